"""Integration: what a unit's next run is told of its children, from facts and from what they said."""

from __future__ import annotations

from typing import Any

from toryo.domain.words import TaskStatus
from toryo.engine.facts.runs import SET_ASIDE
from toryo.engine.units.files import edge_status
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.gather import unit_facts
from toryo.store.tables import claims, facts, plans, runs

MOST_FILES = 12
SUMMARY = 800


def told_to(tx: Tx, unit: TaskRow) -> dict[str, Any]:
    """`children` is how they rest: another list is news, and leads to another run."""
    children = unit_facts.children(tx, unit)
    told: dict[str, Any] = {
        "why": "children",
        "children": unit_facts.states(children),
        "units": [_child(tx, one) for one in unit_facts.newest_of_each(children)],
    }
    plan = plans.newest(tx, unit.mission) if not unit.parent else None
    if plan is not None and plan.rejected_at is not None:
        told["rejected"] = plan.rejection
    kept = _set_aside(tx, unit)
    if kept:
        told["set_aside"] = kept
    if unit.reason == "integrate_failed" and unit.detail:
        told["failed_before"] = unit.detail
    return told


def _child(tx: Tx, row: TaskRow) -> dict[str, Any]:
    past = runs.of_task(tx, row.id)
    collected = (past[-1].collected or {}) if past else {}
    said = [one.summary for one in claims.of_task(tx, row.id) if one.summary]
    words = [str((run.said or {}).get("words") or "") for run in past]
    told: dict[str, Any] = {"unit": row.unit, "status": edge_status(row)}
    if row.status == TaskStatus.DONE:
        told["files"] = list(collected.get("changed_files", ()))[:MOST_FILES]
    else:
        told |= {"reason": row.reason, "detail": row.detail[:300]}
        told["branch"] = row.branch
    summary = said[-1] if said else next((one for one in reversed(words) if one), "")
    return {**told, "summary": summary[:SUMMARY]} if summary else told


def _set_aside(tx: Tx, unit: TaskRow) -> list[str]:
    """Commits that keep what lay in its worktree when its children's work was put there."""
    found = [
        str(fact.body["commit"])
        for run in runs.of_task(tx, unit.id)
        for fact in facts.of_run(tx, run.id)
        if fact.kind == SET_ASIDE
    ]
    return found[-3:]
