"""Attention list: all that waits for a person, bounded; the most urgent first, the newest failures last.

Whether a task waits, and what a person may do, is `engine/attention.py`; here only which are on the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from toryo.domain.words import TaskStatus
from toryo.engine import attention
from toryo.engine.bus.attention import of_dead_letters
from toryo.engine.missions.attention import of_missions
from toryo.protocol.views import tasks as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.gather import failures, task_steps
from toryo.store.tables import landings, tasks

PAGE = 30
LOOKED_AT = 200
FAILURES = 10
MOST_COUNTED = 1000
"""Tasks behind one, so that a long graph costs no more than this."""


def page(
    tx: Tx, project: str | None, counts: Mapping[str, int]
) -> tuple[list[views.NeedsPerson], dict[str, int]]:
    """The entries, and by status how many there are in all, those that have no room included.

    `counts` are those of all tasks."""
    found: list[TaskRow] = []
    for status in (TaskStatus.RUNNING, TaskStatus.LANDING):
        rows = tasks.page(tx, project=project, status=status, limit=LOOKED_AT, kept=True)
        found += [row for row in rows if attention.waits(row)]
    found = _first_of_each_branch(tx, found)
    found += tasks.newest(tx, TaskStatus.NEEDS_REVIEW, project=project, limit=PAGE)
    rows = tasks.page(tx, project=project, status=TaskStatus.BLOCKED, limit=LOOKED_AT, kept=True)
    found += [row for row in rows if attention.waits(row)]
    found += tasks.newest(tx, TaskStatus.OPEN, project=project, limit=PAGE)
    failed = failures.unseen(tx, project)
    numbers = Counter(str(row.status) for row in found) | Counter(
        {
            TaskStatus.NEEDS_REVIEW: counts.get(TaskStatus.NEEDS_REVIEW, 0),
            TaskStatus.OPEN: counts.get(TaskStatus.OPEN, 0),
            TaskStatus.FAILED: len(failed),
        }
    )
    newest = [row for name in failed[:FAILURES] if (row := tasks.get(tx, name))]
    shown = [*found[: PAGE - len(newest)], *newest]
    behind = task_steps.blocked_behind(tx, [row.id for row in shown], MOST_COUNTED)
    wishes = [attention.wish(tx, row) | {"unblocks": behind[row.id]} for row in shown]
    wishes.sort(key=lambda one: -one["unblocks"])  # else as they were: a list must not move under a hand
    targets = attention.of_targets(tx, project, shown)
    entries = [*of_missions(tx, project), *targets, *of_dead_letters(tx, project), *wishes]
    return entries, {str(status): number for status, number in numbers.items()}


def _first_of_each_branch(tx: Tx, rows: Sequence[TaskRow]) -> list[TaskRow]:
    """A branch that does not move holds up all that was accepted for it: one entry, of the first of them."""
    kept, told = [], set()
    for row in rows:
        branch = (row.project, row.target)
        if row.status != TaskStatus.LANDING:
            kept.append(row)
        elif branch not in told:
            told.add(branch)
            waiting = landings.awaiting_publish(tx, *branch)
            first = next((one.task for one in waiting if attention.is_held(one)), row.id)
            kept.append(tasks.get(tx, first) or row)
    return kept
