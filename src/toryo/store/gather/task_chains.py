"""The chain of tasks that a task waits for: those that it needs, and the children of a unit.

Breadth first and bounded; a task that cannot land without a person makes everything behind it dead-blocked.
What the tasks at its ends wait for: `usecases/why/standing.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toryo.domain.reasons import Reason, parse
from toryo.domain.words import TaskStatus
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.gather import task_steps
from toryo.store.tables import tasks

Link = dict[str, Any]
"""`{subject, status, reason}`."""
LONGEST = 1000
"""Tasks that are looked at behind those that wait."""
_DEAD = (TaskStatus.FAILED, TaskStatus.CANCELLED)


@dataclass(frozen=True)
class Chain:
    """What is behind one task, nearest first."""

    links: tuple[Link, ...] = ()
    ends: tuple[TaskRow, ...] = ()
    """Tasks that wait for no other one: they move by themselves or by a person."""
    dead: TaskRow | None = None
    """The failed, cancelled or rejected one that nothing passes without a person."""


def of_task(tx: Tx, row: TaskRow) -> Chain:
    return of_tasks(tx, [row])[row.id]


def of_tasks(tx: Tx, rows: Sequence[TaskRow]) -> dict[str, Chain]:
    """Of a whole page with three statements for each step away from it."""
    known: dict[str, TaskRow] = {row.id: row for row in rows}
    waits: dict[str, list[str]] = {}
    left = [row for row in rows if waits_for_tasks(row)]
    while left and len(known) - len(rows) < LONGEST:
        waits |= {row.id: [] for row in left} | _edges(tx, left)
        found = {name for row in left for name in waits[row.id] if name not in known}
        behind = tasks.these(tx, sorted(found))
        known |= {one.id: one for one in behind}
        left = [one for one in behind if waits_for_tasks(one)]
    return {row.id: _walk(row, known, waits) for row in rows}


def _edges(tx: Tx, rows: Sequence[TaskRow]) -> dict[str, list[str]]:
    """By task: the tasks that it needs, or the children of a unit that are not at rest."""
    parents = [row.id for row in rows if parse(row.reason)[0] is Reason.WAITING_FOR_CHILDREN]
    others = [row.id for row in rows if row.id not in parents]
    return {**task_steps.needs_of(tx, others), **task_steps.open_children_of(tx, parents)}


def _walk(row: TaskRow, known: Mapping[str, TaskRow], waits: Mapping[str, list[str]]) -> Chain:
    links: list[Link] = []
    ends: list[TaskRow] = []
    seen, left = {row.id}, [row]
    while left:
        one = left.pop(0)
        if one is not row:
            links.append(link(one))
            ends += [] if waits_for_tasks(one) else [one]
        named = [known.get(name) for name in waits.get(one.id, ()) if name not in seen]
        open_ones = [other for other in named if other and not _has_landed(other)]
        seen |= {other.id for other in open_ones}
        left += open_ones
    dead = next((one for one in ends if one.status in _DEAD), None)
    return Chain(tuple(links), tuple(ends), dead)


def waits_for_tasks(row: TaskRow) -> bool:
    return row.status == TaskStatus.BLOCKED and parse(row.reason)[0] in _FOR_TASKS


_FOR_TASKS = (Reason.DEPENDENCY, Reason.DEPENDENCY_FAILED, Reason.WAITING_FOR_CHILDREN)


def _has_landed(row: TaskRow) -> bool:
    return row.status in (TaskStatus.DONE, TaskStatus.LANDING)


def link(row: TaskRow) -> Link:
    return {"subject": f"task:{row.id}", "status": row.status, "reason": row.reason}
