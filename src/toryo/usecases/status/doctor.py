"""Diagnosis of an installation, with the line to type: from the store and from what machines report."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from toryo.domain.actions import lines
from toryo.domain.advice import INSTALL
from toryo.domain.client_names import AGENT_CLIS, program_of
from toryo.domain.reasons import Reason, meaning
from toryo.domain.words import PlaceKind
from toryo.engine import hindrances
from toryo.engine.context import HeadContext
from toryo.engine.home_settings import in_force
from toryo.engine.notices import stopped_targets
from toryo.protocol.views import status as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import CoordinatorRow
from toryo.store.tables import agents, coordinators, facts, missions, projects
from toryo.usecases.projects import settings_problems

Seen = Mapping[str, Mapping[str, Any] | None]
"""By machine, what a coordinator there answered; None: nothing in time."""


def doctor(context: HeadContext, seen: Seen) -> views.Doctor:
    """Findings, worst first; an empty list is a healthy house."""
    machines = [_machine(name, body) for name, body in seen.items() if body is not None]
    with context.store.read() as tx:
        listed = coordinators.listing(tx)
        findings = [_finding("error", one["what"], one["type"]) for one in hindrances.shown(context)]
        findings += _of_coordinators(listed, seen) + _of_projects(context, tx) + _of_facts(tx)
        findings += _of_planners(context, tx) + _of_agents(tx, machines) + _of_clients(machines)
        told = [coordinators.clients_of(row) for row in listed if not row.unseen]
        clients = {name: path for one in told for name, path in one.items() if path}
    if context.store.recovered:
        findings.append(_finding("warning", context.store.recovered, ""))
    findings.sort(key=lambda one: LEVELS.index(one["level"]))
    return {
        "success": True,
        "findings": findings,
        "clients": clients,
        "machines": machines,
        "isolation": _isolation(machines),
    }


LEVELS = ("error", "warning", "note")


def _of_coordinators(listed: list[CoordinatorRow], seen: Seen) -> list[views.Finding]:
    if not any(row.incarnation and not row.unseen for row in listed):
        return [_finding("error", "no coordinator answers", "toryo up")]
    return [
        _finding(
            "warning", f"the coordinator of {machine} did not say what is installed there", "toryo status"
        )
        for machine, body in seen.items()
        if body is None
    ]


def _of_planners(context: HeadContext, tx: Tx) -> list[views.Finding]:
    """A model is configured, and nobody is there who would ask it."""
    known = coordinators.listing(tx, PlaceKind.PLANNER)
    if not in_force(context).planner.is_set or any(one.incarnation and not one.unseen for one in known):
        return []
    is_wanted = any(one.reason == Reason.PLANNER_AWAY for one in missions.live(tx))
    level = "error" if is_wanted else "note"
    return [_finding(level, "a model is configured, and no planner runs", "toryo up")]


def _of_projects(context: HeadContext, tx: Tx) -> list[views.Finding]:
    found = []
    for row in projects.kept(tx):
        wrong = settings_problems.told(context, row)
        if wrong:
            found.append(_finding("error", f"{row.name}: {wrong['what']}", wrong["type"]))
        elif row.settings_from == settings_problems.UNCOMMITTED:
            found.append(
                _finding("note", f"{row.name}: settings: uncommitted", "git add .toryo && git commit")
            )
        for target in projects.targets_of(tx, row.id):
            if target.stopped:
                why = f"{row.name}: nothing lands on {target.name}: {meaning(target.stopped).sentence}"
                shown = f"toryo target show {target.name} --project {row.name}"
                typed = lines(stopped_targets.actions(row, target))
                found.append(_finding("error", why, typed[0] if typed else shown))
    return found


def _of_facts(tx: Tx) -> list[views.Finding]:
    found = [
        _finding("warning", f"orphan fact {fact.kind} (order {fact.order or '-'})", "")
        for fact in facts.with_standing(tx, "orphan", 20)
    ]
    late = facts.with_standing(tx, "late", 20)
    return found + [_finding("note", f"late fact {fact.kind} of run {fact.run or '-'}", "") for fact in late]


def _of_agents(tx: Tx, machines: list[views.MachineView]) -> list[views.Finding]:
    found = []
    installed = {one["name"] for machine in machines for one in machine["clients"] if one["path"]}
    told = [machine["programs"] for machine in machines if machine["programs"]]
    missing = {name for programs in told for name in programs if not any(one.get(name) for one in told)}
    for agent in agents.listing(tx):
        if not agent.client:
            line = f"toryo agent add {agent.id} --client command --command 'sh agent.sh {{prompt_file}}'"
            found.append(_finding("warning", f"the agent {agent.id} has no client", line))
        elif agent.client in AGENT_CLIS and machines and agent.client not in installed:
            what = f"the agent {agent.id} is driven by {agent.client}, which is not installed"
            found.append(_finding("warning", what, f"{INSTALL[agent.client]}"))
        elif (program := program_of(agent.client, agent.command)) in missing:
            what = f"the program {program} of the agent {agent.id} is not there"
            found.append(_finding("warning", what, f"toryo agent add {agent.id} --command '…'"))
    return found


def _of_clients(machines: list[views.MachineView]) -> list[views.Finding]:
    found = []
    for machine in machines:
        for one in machine["clients"]:
            if one["problem"] and not one["path"]:
                what = f"a client's definition is wrong: {one['problem']}"
                found.append(_finding("error", what, one["hint"]))
            elif one["problem"]:
                what = f"the client {one['name']} ({one['path']}): {one['problem']}"
                found.append(_finding("warning", what, one["hint"]))
            elif one["path"] and one["name"] in AGENT_CLIS and not one["tested"]:
                what = f"{one['name']} {one['version'] or '(version unknown)'} was not tested with this Toryo"
                found.append(_finding("note", what, ""))
    return found


def _machine(name: str, body: Mapping[str, Any]) -> views.MachineView:
    """A coordinator of an older version tells its clients as name → path."""
    told = body.get("clients") or []
    if isinstance(told, Mapping):
        told = [{"name": client, "path": path} for client, path in told.items()]
    return {
        "machine": name,
        "uid": body.get("uid"),
        "programs": dict(body.get("programs") or {}),
        "clients": [
            {
                "name": str(one.get("name", "")),
                "path": str(one.get("path") or ""),
                "version": str(one.get("version") or ""),
                "tested": bool(one.get("tested")),
                "problem": str(one.get("problem") or ""),
                "hint": str(one.get("hint") or ""),
            }
            for one in told
        ],
    }


def _isolation(machines: list[views.MachineView]) -> str:
    """Whether anything stands between an agent and its user but good will (docs/security.md)."""
    other = [one for one in machines if one["uid"] not in (None, os.getuid())]
    if other and len(other) == len(machines):
        return "agents run under another uid than the daemon: they cannot do what you can do"
    return "agents run under your own uid: scopes and gates hold against mistakes, not against malice"


def _finding(level: str, what: str, hint: str) -> views.Finding:
    return {"level": level, "what": what, "hint": hint}
