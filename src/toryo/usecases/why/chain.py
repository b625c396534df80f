"""The chain of what a task waits for: other tasks first, then its target, account, run or a person.

Breadth first and bounded; a task that cannot land without a person makes everything behind it dead-blocked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toryo.domain.reasons import Reason, Turn, parse, turn
from toryo.domain.words import TaskStatus
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.gather import task_steps
from toryo.store.tables import projects, tasks

LONGEST = 50
"""Tasks that are looked at behind one that waits."""
_DEAD = (TaskStatus.FAILED, TaskStatus.CANCELLED)


@dataclass(frozen=True)
class Chain:
    """What is behind one task, nearest first."""

    links: tuple[dict[str, Any], ...] = ()
    """`{subject, status, reason}` each."""
    ends_at: TaskRow | None = None
    """The task whose turn decides: the first that moves by itself or by a person."""
    dead: TaskRow | None = None
    """The failed, cancelled or rejected one that nothing passes without a person."""


def of_task(tx: Tx, row: TaskRow) -> Chain:
    return of_tasks(tx, [row])[row.id]


def of_tasks(tx: Tx, rows: Sequence[TaskRow]) -> dict[str, Chain]:
    """Of a whole page with two statements for each step away from it."""
    known: dict[str, TaskRow | None] = {row.id: row for row in rows}
    needs: dict[str, list[str]] = {}
    left = [row.id for row in rows if _waits_for_tasks(row)]
    while left and len(known) <= LONGEST * max(1, len(rows)):
        needs |= {id: [] for id in left} | task_steps.needs_of(tx, left)
        found = {name for id in left for name in needs[id] if name not in known}
        known |= {name: tasks.get(tx, name) for name in sorted(found)}
        left = [one.id for name in sorted(found) if (one := known[name]) and _waits_for_tasks(one)]
    return {row.id: _walk(tx, row, known, needs) for row in rows}


def _walk(tx: Tx, row: TaskRow, known: Mapping[str, TaskRow | None], needs: Mapping[str, list[str]]) -> Chain:
    links: list[dict[str, Any]] = []
    seen, left = {row.id}, [row]
    ends_at: TaskRow | None = None
    dead: TaskRow | None = None
    while left:
        one = left.pop(0)
        if one is not row:
            links.append(_link(one))
        waits = [known.get(name) for name in needs.get(one.id, ()) if name not in seen]
        open_ones = [other for other in waits if other and not _has_landed(other)]
        if one is not row and one.status in _DEAD:
            dead = dead or one
        if not _waits_for_tasks(one) and one is not row:
            ends_at = ends_at or one
        seen |= {other.id for other in open_ones}
        left += open_ones
    if (target := _target_link(tx, ends_at or row)) is not None:
        links.append(target)
    return Chain(tuple(links), ends_at, dead)


def _waits_for_tasks(row: TaskRow) -> bool:
    return row.status == TaskStatus.BLOCKED and parse(row.reason)[0] in (
        Reason.DEPENDENCY,
        Reason.DEPENDENCY_FAILED,
    )


def _has_landed(row: TaskRow) -> bool:
    return row.status in (TaskStatus.DONE, TaskStatus.LANDING)


def _link(row: TaskRow) -> dict[str, Any]:
    return {"subject": f"task:{row.id}", "status": row.status, "reason": row.reason}


def _target_link(tx: Tx, row: TaskRow) -> dict[str, Any] | None:
    """A target that stands still holds up everything for it."""
    target = projects.target(tx, row.project, row.target)
    is_held = parse(row.reason)[0] in (Reason.BASE_GATE, Reason.WAITING_FOR_CHECKOUT, Reason.PUBLISH_FAILED)
    if target is None or not (target.stopped or is_held):
        return None
    stands = "stopped" if target.stopped else "moving"
    return {"subject": f"target:{target.name}", "status": stands, "reason": target.stopped or row.reason}


def whose_turn(row: TaskRow, chain: Chain) -> Turn:
    """Of the task at the end of the chain; a dead end is a person's."""
    if chain.dead is not None:
        return Turn.PERSON
    last = chain.ends_at or row
    return turn(TaskStatus(last.status), last.reason)
