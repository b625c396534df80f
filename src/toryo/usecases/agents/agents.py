"""Agents as people and coordinators see them: definitions in the store, with a passkey that is shown once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toryo.domain import subjects
from toryo.domain.advice import not_on_path
from toryo.domain.errors import Refused, UserError
from toryo.domain.ids import AgentName
from toryo.domain.times import iso
from toryo.domain.words import TaskStatus
from toryo.engine.context import HeadContext
from toryo.engine.default_agents import Settled, is_missing, settle
from toryo.protocol.views import agents as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, ProjectRow
from toryo.store.tables import agents, coordinators, missions, projects, runs, tasks, tokens
from toryo.usecases.agents.definition import (
    changed,
    columns,
    known_clients,
    look_over,
    refuse_missing_script,
    refuse_wrong_client,
)
from toryo.usecases.agents.of_projects import passkey_of_name
from toryo.usecases.credentials import hash_passkey, new_passkey
from toryo.usecases.finding import project_at, the_agent, the_project
from toryo.usecases.tasks import cautions


def add_agent(
    context: HeadContext,
    name: str,
    said: Mapping[str, Any],
    project: str,
    path: str,
    passkey: str,
    passkey_hash: str,
) -> views.AddedAgent:
    """Add it, or change what is said of the one of that name; assigned to the project at hand, if any."""
    with context.store.change() as tx:
        chosen = project_at(tx, project, path)
        known = agents.get(tx, name, chosen.id if chosen else "")
        if known and known.client and chosen and not _is_here(tx, known, chosen):
            raise UserError(
                f"There is an agent {known.id} already; it works in another project.",
                hint=f"Choose another name, or let it work here too: toryo agent assign {known.id}",
            )
        wish = changed(known, name, said)
        look_over(wish, known_clients(context, tx))
        if "client" in said:
            refuse_wrong_client(context, wish.client)
        if "client" in said or "command" in said:
            refuse_missing_script(wish)
        values = columns(wish)
        kept = passkey_of_name(tx, name)
        if known:
            agents.update(tx, name, known.project, **values)
        else:
            agents.insert(tx, AgentRow(id=AgentName(name), name=name, created_at=tx.now, **values))
        agents.put_passkey(tx, name, kept or passkey_hash)
        settled = _assign(tx, chosen.id, name) if chosen else Settled()
        tx.emit(
            "agent_changed" if known else "agent_added",
            {"agent": name, "client": wish.client},
            subject=subjects.agent(AgentName(name)),
        )
        for row in projects.listing(tx):
            tasks.mark_of_agent(tx, row.id, name)
        agent = the_agent(tx, name, chosen.id if chosen else "")
        waiting = _waiting(tx, agent)
        notes = _notes(tx, wish.client, chosen) if "client" in said else []
        notes += _namesakes(tx, agent, chosen)
        if chosen and not known and not notes and settled.default not in ("", name):
            line = f"`toryo agent assign {name} --default` makes it this one"
            notes.append(f"{settled.default} stays the default agent of {chosen.name}: {line}")
        body = _body(tx, agent)
    return {
        "success": True,
        "agent": body,
        "passkey": None if kept else passkey,
        "changed": bool(known),
        "projects": [chosen.id] if chosen else [],
        "default_of": [chosen.name] if chosen and settled.changed and settled.default == name else [],
        "took": list(settled.took) if settled.default == name else [],
        "waiting_tasks": waiting,
        "notes": notes,
    }


def _notes(tx: Tx, client: str, project: ProjectRow | None) -> list[str]:
    """A client that is not installed where the agent would work is no error: it may come later."""
    here = {project.machine} if project else {row.machine for row in coordinators.listing(tx)}
    missing = bool(here) and all(is_missing(tx, machine, client) for machine in here)
    return [f"{client} is {not_on_path(client)}"] if missing else []


def _namesakes(tx: Tx, agent: AgentRow, chosen: ProjectRow | None) -> list[str]:
    """Another definition of the same name: nobody should wonder which of them counts where."""
    if agent.project and chosen:
        return [f"{agent.id} is defined in {chosen.name}: `toryo agent sync` brings back what its file says"]
    owners = [
        row.name for row in projects.listing(tx) if (one := agents.get(tx, agent.id, row.id)) and one.project
    ]
    if not owners:
        return []
    return [f"{', '.join(owners)} has an agent {agent.id} of its own in .toryo/agents/, which counts there"]


def fresh_passkey() -> tuple[str, str]:
    passkey = new_passkey()
    return passkey, hash_passkey(passkey)


def set_passkey(context: HeadContext, name: str, passkey: str, passkey_hash: str) -> views.NewPasskey:
    """A new passkey for the name; the old one is refused from now on."""
    with context.store.change() as tx:
        agent = next(iter(agents.named(tx, name)), None) or the_agent(tx, name)
        agents.put_passkey(tx, agent.id, passkey_hash)
        tx.emit("agent_passkey_changed", {"agent": agent.id}, subject=subjects.agent(agent.id))
    return {"success": True, "agent": agent.id, "passkey": passkey}


def remove_agent(
    context: HeadContext, name: str, project: str = "", path: str = "", *, everywhere: bool = False
) -> views.RemovedAgent:
    """Its history stays; refused while a task or a run needs it, or where it would be missed elsewhere."""
    with context.store.change() as tx:
        agent = _agent_at(tx, name, project, path)
        listed = where_meant(tx, agent)
        here = [row.name for row in listed if _is_here(tx, agent, row)]
        if len(here) > 1 and not everywhere:
            raise Refused(
                f"{agent.id} works in {len(here)} projects: {', '.join(here[:10])}.",
                hint=f"toryo agent unassign {agent.id}, or toryo agent remove {agent.id} --everywhere",
            )
        for run in [run for row in listed for run in runs.live_of_pair(tx, agent.id, row.id)]:
            raise Refused(f"{agent.id} is at work: {run.id}.", hint=f"toryo run stop {run.id}")
        needing = [task for row in listed for task in agents.tasks_needing(tx, row.id, agent.id)]
        if needing:
            raise Refused(
                f"{_counted(needing)} {agent.id}: {', '.join(needing[:5])}{', …' if needing[5:] else ''}.",
                hint=f"toryo task update {needing[0]} --agent NAME, or toryo task cancel {needing[0]}",
            )
        for row in listed:
            for token in tokens.active_of_pair(tx, agent.id, row.id, tx.now):
                tokens.end(tx, token.hash, "operator")
        agents.remove(tx, agent.id, agent.project)
        for row in listed:
            if row.default_agent == agent.id:
                settle(tx, row.id)
        tx.emit("agent_removed", {"agent": agent.id}, subject=subjects.agent(agent.id))
    return {"success": True, "agent": agent.id}


def _agent_at(tx: Tx, name: str, project: str, path: str) -> AgentRow:
    """Whom the name means where the person is."""
    chosen = project_at(tx, project, path)
    if chosen is None or (not project and agents.get(tx, name, chosen.id) is None):
        return the_agent(tx, name)
    return the_agent(tx, name, chosen.id)


def where_meant(tx: Tx, agent: AgentRow) -> list[ProjectRow]:
    """Projects in which the name means this definition."""
    if agent.project:
        return [row for row in projects.listing(tx) if row.id == agent.project]
    owners = {one.project for one in agents.named(tx, agent.id)}
    return [row for row in projects.listing(tx) if row.id not in owners]


def _is_here(tx: Tx, agent: AgentRow, project: ProjectRow) -> bool:
    here = {(one.id, one.project) for one in projects.agents_of(tx, project.id)}
    return (agent.id, agent.project) in here


def _assign(tx: Tx, project: str, name: str, wish: str = "") -> Settled:
    """Before it comes the default is settled: a second agent must not become it by being older."""
    before = settle(tx, project)
    projects.assign(tx, project, name)
    after = settle(tx, project, wish)
    return Settled(after.default, after.changed, before.took + after.took)


def _waiting(tx: Tx, agent: AgentRow) -> int:
    """How many tasks wait for the agent's next run."""
    needing = [task for row in where_meant(tx, agent) for task in agents.tasks_needing(tx, row.id, agent.id)]
    rows = [tasks.get(tx, task) for task in needing]
    waiting = (TaskStatus.OPEN, TaskStatus.BLOCKED, TaskStatus.READY)
    return sum(row is not None and row.status in waiting for row in rows)


def _body(tx: Tx, row: AgentRow) -> views.AgentView:
    """With the project that defines it, and those it works in."""
    owner = projects.get(tx, row.project) if row.project else None
    return {
        "id": row.id,
        "name": row.name,
        "role": row.role,
        "client": row.client or None,
        "command": row.command,
        "model": row.model,
        "system_prompt": row.system_prompt,
        "prompt": row.prompt,
        "scope": dict(row.scope),
        "slots": row.slots or None,
        "access": row.access,
        "style": row.style,
        "terminal": row.terminal,
        "start_in": row.start_in,
        "skills": sorted(row.skills),
        "status": row.status,
        "created_at": iso(row.created_at),
        "warnings": []
        if row.prompt or row.system_prompt
        else ["it has no prompt of its own: tell it your rules with --prompt-file"],
        "project": row.project or None,
        "project_name": owner.name if owner else None,
        "projects": _projects_of(tx, row),
    }


def list_agents(context: HeadContext, project: str, path: str) -> views.ListedAgents:
    with context.store.read() as tx:
        if project or path:
            rows: Sequence[AgentRow] = projects.agents_of(tx, the_project(tx, project, path).id)
        else:
            rows = agents.listing(tx)
        listed = [_body(tx, row) for row in rows]
    return {"success": True, "agents": listed}


def get_agent(context: HeadContext, name: str, project: str = "", path: str = "") -> views.OneAgent:
    with context.store.read() as tx:
        row = _agent_at(tx, name, project, path)
        body = _body(tx, row)
        live = [run.id for project in body["projects"] for run in runs.live_of_pair(tx, row.id, project)]
        sessions = [
            project
            for project in body["projects"]
            if any(not token.run for token in tokens.active_of_pair(tx, row.id, project, tx.now))
        ]
    return {"success": True, "agent": {**body, "live_runs": live, "sessions": sessions}}


def _projects_of(tx: Tx, agent: AgentRow) -> list[str]:
    return [row.id for row in where_meant(tx, agent) if _is_here(tx, agent, row)]


def get_profile(context: HeadContext, agent_id: str, project_id: str = "") -> dict[str, Any]:
    """For the coordinator that prepares a context directory (S0-06); an older one names no project."""
    with context.store.read() as tx:
        row = the_agent(tx, agent_id, project_id)
    return {
        "success": True,
        "agent_id": row.id,
        "name": row.name,
        "role": row.role,
        "ai_type": row.client,
        "system_prompt": row.system_prompt,
        "skills": dict(row.skills),
    }


def set_assignment(
    context: HeadContext, name: str, project: str, path: str, *, assigned: bool, default: bool = False
) -> views.Assignment:
    with context.store.change() as tx:
        row = the_project(tx, project, path)
        agent = the_agent(tx, name, row.id)
        if assigned:
            settled = _assign(tx, row.id, agent.id, agent.id if default else "")
        else:
            projects.unassign(tx, row.id, agent.id)
            settled = settle(tx, row.id)
        tx.emit("agent_assigned" if assigned else "agent_unassigned", {"agent": agent.id}, project=row.id)
        tasks.mark_of_agent(tx, row.id, agent.id)
        missions.mark_live(tx, row.id)  # a plan that waits may name it
        notes = cautions.of_agent(tx, row, agent.id) if assigned else []
    return {
        "success": True,
        "agent": agent.id,
        "project": row.id,
        "notes": notes,
        "default_agent": settled.default,
        "default_of": [row.name] if settled.changed and settled.default == agent.id else [],
        "took": list(settled.took) if settled.default == agent.id else [],
    }


def set_status(
    context: HeadContext, name: str, status: str, project: str = "", path: str = ""
) -> views.EnabledAgent:
    """Enable or disable: a disabled agent is started nowhere; what it is doing goes on."""
    took: list[str] = []
    with context.store.change() as tx:
        agent = _agent_at(tx, name, project, path)
        agents.update(tx, agent.id, agent.project, status=status)
        tx.emit(f"agent_{status}", {"agent": agent.id}, project=agent.project)
        for row in where_meant(tx, agent):
            tasks.mark_of_agent(tx, row.id, agent.id)
            if status == "active" and _is_here(tx, agent, row):
                took += settle(tx, row.id).took
    return {**get_agent(context, name, agent.project), "took": took}


def _counted(needing: Sequence[str]) -> str:
    return "1 task needs" if len(needing) == 1 else f"{len(needing)} tasks need"
