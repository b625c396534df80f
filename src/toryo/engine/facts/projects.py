"""Facts about a repository: its settings, and where a person left the target branch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toryo.domain import subjects
from toryo.domain.errors import UserError
from toryo.domain.ids import TaskId
from toryo.engine.orders.compose import settings_changed, survey_settings
from toryo.engine.project_settings import ProjectSettings, parse_settings, settings_of
from toryo.protocol.order import Fact
from toryo.reconciler.queueing import FOLLOWING
from toryo.store.database.engine import Tx
from toryo.store.database.rows import OrderRow, ProjectRow, TargetRow
from toryo.store.gather import subject_facts
from toryo.store.tables import landings, meta, missions, projects, tasks

CONFIG = "config.yaml"
TELLS = ("same", "ahead", "diverged")
"""Sights of a target that say which settings are in force."""


def apply_surveyed(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    """A survey that the daemon ordered because the target's settings changed; others have a caller."""
    project = projects.get(tx, order.project) if order.project else None
    if project is None:
        return
    problem = body.get("problem")
    if problem:
        projects.update(tx, project.id, settings_problem=problem["message"])
    else:
        take_settings(tx, project, body)
    for target in projects.targets_of(tx, project.id):
        tx.mark(subjects.queue(project.id, target.name))


def take_settings(tx: Tx, project: ProjectRow, body: Mapping[str, Any]) -> ProjectSettings | None:
    """Put the surveyed settings in force; wrong ones are shown and the old ones stay."""
    found = body.get("settings_files", {})
    known: dict[str, Any] = {
        "settings_files": dict(found),
        "settings_from": body.get("settings_from", "none"),
        "settings_tree": body.get("settings_tree", ""),
    }
    parsed = None
    try:
        parsed = parse_settings(found.get(CONFIG, ""))
        known |= {"settings": parsed.model_dump(mode="json"), "settings_problem": ""}
    except UserError as error:
        known["settings_problem"] = error.message
    projects.update(tx, project.id, **known)
    if parsed and parsed.model_dump(mode="json") != project.settings:
        # another gate may be asked of the same tip now
        for target in projects.targets_of(tx, project.id):
            projects.update_target(tx, project.id, target.name, tip_gate="")
            landings.forget_follows(tx, project.id, target.name)
            tx.mark(subjects.queue(project.id, target.name))
            tasks.mark_of_target(tx, project.id, target.name)
        missions.mark_live(tx, project.id)  # a plan that waits is judged by the settings in force
        if parsed.dispatch != settings_of(project.settings).dispatch:
            tasks.mark_of_project(tx, project.id)
    tx.emit(
        "settings_read",
        {"from": known["settings_from"], "problem": known.get("settings_problem", "")},
        project=project.id,
    )
    return parsed


def is_early(tx: Tx, fact: Fact) -> bool:
    return fact.kind == "target_seen" and _is_early(tx, fact.body)


def apply_found(tx: Tx, body: dict[str, Any]) -> None:
    """The sight that an order came back with, instead of building on a target that a person moved."""
    if not _is_early(tx, body):
        apply_target_seen(tx, body)


def _is_early(tx: Tx, body: Mapping[str, Any]) -> bool:
    """Whether a branch was looked for where the project lay before, or compared with another tip than ours,
    or, beside or behind it, with another commit than the published one: a newer look will tell."""
    project = projects.get(tx, str(body.get("project")))
    target = projects.target(tx, str(body.get("project")), str(body.get("target")))
    if project is None or target is None:
        return False
    if body.get("path", "") not in ("", project.path):
        return True
    if body.get("relation") == "missing":
        return False
    if body.get("tip", "") not in ("", target.tip):
        return True
    has_tip = body.get("relation") in ("same", "ahead")  # and with it what was published
    if has_tip and body.get("contains_published", True):
        return False
    return body.get("published", "") not in ("", target.published)


def apply_target_seen(tx: Tx, body: dict[str, Any]) -> None:
    target = projects.target(tx, str(body["project"]), str(body["target"]))
    if target is None:
        return
    project = projects.get(tx, target.project)
    relation = _relation(tx, body)
    known: dict[str, Any] = {
        "seen": body["commit"],
        "seen_tree": body["tree"],
        "seen_relation": relation,
        "seen_contains_published": body["contains_published"],
        "retry_at": 0,
    }
    projects.update_target(tx, target.project, target.name, **known)
    if relation != target.seen_relation or body["commit"] != target.seen:
        shown = {"target": target.name, "commit": body["commit"], "relation": relation}
        about = subjects.target(target.project, target.name)
        tx.emit("target_seen", shown, subject=about, project=target.project)
        if _is_other_ground(tx, target, replace(target, **known)):
            tasks.mark_of_target(tx, target.project, target.name)
    if body["commit"]:
        for task in landings.note_lost(tx, target.project, target.name, body.get("lost", ())):
            tx.mark(subjects.task(TaskId(task)))
    # the tip itself, or the commit that a person put the branch on, says which settings are in force
    if (
        project
        and relation in TELLS
        and target.name == project.base
        and settings_changed(project, body["settings_tree"])
    ):
        survey_settings(tx, project, body["settings_tree"], body["commit"])
    tx.mark(subjects.queue(target.project, target.name))


def _is_other_ground(tx: Tx, before: TargetRow, after: TargetRow) -> bool:
    """Whether a task that waits, or could start, may see a difference. Our own landings make none, and there
    may be very many tasks."""
    starts, started = (one.seen_relation not in FOLLOWING for one in (after, before))
    return starts != started or subject_facts.base(tx, before) != subject_facts.base(tx, after)


def _relation(tx: Tx, body: Mapping[str, Any]) -> str:
    """Where the branch stands; `owned` if the repository names another installation than ours."""
    relation, owner = str(body["relation"]), str(body.get("owner") or "")
    if relation in ("gone", "other") or not owner:
        return relation
    return relation if owner == (meta.get(tx, "installation") or owner) else "owned"
