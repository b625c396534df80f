"""Integration: what a unit's next run is told of its children, from facts and from what they said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toryo.domain.words import Outcome, TaskStatus
from toryo.engine.facts.runs import SET_ASIDE
from toryo.engine.units.files import edge_status
from toryo.reconciler.bus.lines import said_in
from toryo.store.database.engine import Tx
from toryo.store.database.rows import RunRow, TaskRow
from toryo.store.gather import unit_facts
from toryo.store.tables import claims, facts, missions, plans, runs
from toryo.store.tables.units import unit_messages

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
    mission = missions.get(tx, unit.mission)
    plan = plans.newest(tx, unit.mission) if mission and mission.root == unit.id else None
    if plan is not None and plan.rejected_at is not None:
        told["rejected"] = plan.rejection
    kept = _set_aside(tx, unit)
    if kept:
        told["set_aside"] = kept
    if unit.reason == "integrate_failed" and unit.detail:
        told["failed_before"] = unit.detail
    elif ended := _ended(runs.of_task(tx, unit.id)):
        told["ended"] = ended
    return told


def _ended(past: Sequence[RunRow]) -> str:
    """How its last run ended, if badly; nothing of one that a person or its mission stopped."""
    last = past[-1] if past else None
    match last.outcome if last else "":
        case Outcome.LOST:
            return "it was lost in the middle"
        case Outcome.TIMED_OUT:
            return "its time was over"
        case Outcome.FAILED if last and last.signal:
            return f"{last.signal} ended it"
        case Outcome.FAILED if last and last.exit_code:
            return f"it exited with {last.exit_code}"
        case _:
            return ""


def _child(tx: Tx, row: TaskRow) -> dict[str, Any]:
    past = runs.of_task(tx, row.id)
    collected = (past[-1].collected or {}) if past else {}
    told: dict[str, Any] = {"unit": row.unit, "status": edge_status(row)}
    if row.status == TaskStatus.DONE:
        told |= _changed(collected)
    else:
        told |= {"reason": row.reason, "detail": row.detail[:300]}
        told["branch"] = row.branch
    summary = _summary(tx, row, past)
    return {**told, "summary": summary[:SUMMARY]} if summary else told


def _changed(collected: Mapping[str, Any]) -> dict[str, Any]:
    stat = list(collected.get("stat", ()))
    return {
        "files": stat[:MOST_FILES],
        "count": collected.get("stat_count", len(stat)),
        "added": sum(one["added"] or 0 for one in stat),
        "removed": sum(one["removed"] or 0 for one in stat),
    }


def _summary(tx: Tx, row: TaskRow, past: Sequence[RunRow]) -> str:
    """What it posted as its result, else reported, else said last."""
    posted = unit_messages.newest_result(tx, row.id)
    if posted is not None and (words := said_in(posted.data)):
        return words
    said = [one.summary for one in claims.of_task(tx, row.id) if one.summary]
    spoken = [str((run.said or {}).get("words") or "") for run in past]
    return said[-1] if said else next((one for one in reversed(spoken) if one), "")


def _set_aside(tx: Tx, unit: TaskRow) -> list[str]:
    """Commits that keep what lay in its worktree when its children's work was put there."""
    found = [
        str(fact.body["commit"])
        for run in runs.of_task(tx, unit.id)
        for fact in facts.of_run(tx, run.id)
        if fact.kind == SET_ASIDE
    ]
    return found[-3:]
