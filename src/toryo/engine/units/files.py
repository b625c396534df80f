"""Files of a unit: requirements, breakdown and the state of its children, written from the store."""

from __future__ import annotations

from typing import Any

from toryo.domain.times import iso
from toryo.domain.units import (
    BREAKDOWN,
    EXAMPLES,
    PARENT,
    PARENT_BREAKDOWN,
    PARENT_REQUIREMENTS,
    REQUIREMENTS,
    SCOPED,
    STATUS,
)
from toryo.domain.words import TaskStatus
from toryo.engine.units.frames import examples
from toryo.protocol.kinds.units import UnitFile
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.gather import unit_facts
from toryo.store.tables import runs, tasks, texts
from toryo.store.tables.units import units
from toryo.yaml.unit_files import dump

EDGE: dict[TaskStatus, str] = {
    TaskStatus.OPEN: "pending",
    TaskStatus.BLOCKED: "pending",
    TaskStatus.READY: "pending",
    TaskStatus.RUNNING: "running",
    TaskStatus.VERIFYING: "running",
    TaskStatus.LANDING: "running",
    TaskStatus.NEEDS_REVIEW: "running",
    TaskStatus.DONE: "completed",
    TaskStatus.FAILED: "error",
    TaskStatus.CANCELLED: "error",
}
"""The words of children-status.yml."""
OWN_NOTE = "# Written by Toryo: what is changed here is lost, and changes nothing.\n"


def edge_status(row: TaskRow) -> str:
    """A unit that waits for its children is at work."""
    if row.status == TaskStatus.BLOCKED and row.generation:
        return "running"
    return EDGE[TaskStatus(row.status)]


def files_of(tx: Tx, task: TaskRow) -> tuple[UnitFile, ...]:
    row = units.get(tx, task.id) if task.unit else None
    if row is None:
        return ()
    wanted = {REQUIREMENTS: row.requirements, EXAMPLES: texts.put(tx, examples())}
    wanted[SCOPED] = row.scoped
    parent = tasks.get(tx, task.parent) if task.parent else None
    if parent is not None:
        above = units.get(tx, parent.id)
        wanted[PARENT] = texts.put(tx, f"{parent.unit}\n")
        wanted[PARENT_REQUIREMENTS] = (above.scoped or above.requirements) if above else ""
        wanted[PARENT_BREAKDOWN] = texts.put(tx, breakdown_text(tx, parent))
    if unit_facts.breakdowns(tx, task):
        wanted[BREAKDOWN] = texts.put(tx, breakdown_text(tx, task))
        wanted[STATUS] = texts.put(tx, status_text(tx, task))
    return tuple(UnitFile(path=path, blob=blob) for path, blob in wanted.items() if blob)


def status_text(tx: Tx, unit: TaskRow) -> str:
    """children-status.yml."""
    found = unit_facts.newest_of_each(unit_facts.children(tx, unit))
    return OWN_NOTE + dump({"children": [_child(tx, one) for one in found]})


def _child(tx: Tx, row: TaskRow) -> dict[str, Any]:
    told: dict[str, Any] = {"unit_id": row.unit, "status": edge_status(row)}
    past = runs.of_task(tx, row.id)
    begun = next((run.started_at for run in past if run.started_at), None)
    if begun:
        told["started_at"] = iso(begun)
    if row.status == TaskStatus.DONE:
        told["completed_at"] = iso(row.changed_at)
    if row.reason and row.status != TaskStatus.DONE:
        told["reason"] = row.reason
    return told


def breakdown_text(tx: Tx, unit: TaskRow) -> str:
    """task-breakdown.yml as it was last taken in, with the parent's own notes; `completed` is Toryo's word,
    for what has landed."""
    known = unit_facts.breakdowns(tx, unit)
    if not known:
        return ""
    landed = {one.planned for one in unit_facts.children(tx, unit) if one.status == TaskStatus.DONE}
    listed = []
    body = known[-1].body
    for one in body.get("tasks", ()):
        notes = dict(one.get("notes", {}))
        own = notes.pop("status", None) or "pending"
        status = "completed" if one["id"] in landed else "pending" if own == "completed" else own
        kept = {key: value for key, value in one.items() if key != "notes" and value not in (None, "", [])}
        listed.append({**kept, "status": status, **notes})
    return dump(
        {"parent_unit": unit.unit, "total_tasks": len(listed), "tasks": listed, **body.get("notes", {})}
    )
