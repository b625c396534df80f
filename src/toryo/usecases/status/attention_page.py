"""Attention list: all that waits for a person, what frees most first, then what waits longest; bounded.

Whether a task waits, and what a person may do, is `engine/attention.py`; here only which are on the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from toryo.domain.reasons import STOPS
from toryo.domain.words import TaskStatus
from toryo.engine import attention
from toryo.engine.bus.attention import of_dead_letters
from toryo.engine.missions.attention import of_missions
from toryo.protocol.views import tasks as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.gather import failures, needed, task_steps
from toryo.store.tables import landings, missions, tasks
from toryo.usecases.targets.attention import of_targets

PAGE = 30
LOOKED_AT = 200
"""The oldest of each status, and those that the most blocked tasks need."""
FAILURES = 10
"""The newest ones that nothing waits for."""
MOST_COUNTED = 1000
"""Tasks behind one, so that a long graph costs no more than this."""


@dataclass(frozen=True)
class _Entry:
    """What may be on the page; its text is made only if it is."""

    id: str
    unblocks: int
    since: float
    show: Callable[[], views.NeedsPerson]


def page(
    tx: Tx, project: str | None, counts: Mapping[str, int]
) -> tuple[list[views.NeedsPerson], dict[str, int]]:
    """The entries, and by status how many there are in all, those that have no room included.

    `counts` are those of all tasks."""
    needed_most = [row for name in needed.most_needed(tx, project, LOOKED_AT) if (row := tasks.get(tx, name))]
    waiting = _waiting(tx, project, needed_most)
    dead = [row for row in needed_most if attention.is_dead_root(tx, row)]
    unseen = failures.unseen(tx, project)
    failed = _failed(tx, unseen, needed_most)
    numbers = Counter(str(row.status) for row in (*waiting, *dead)) | Counter(
        {
            TaskStatus.NEEDS_REVIEW: counts.get(TaskStatus.NEEDS_REVIEW, 0),
            TaskStatus.OPEN: counts.get(TaskStatus.OPEN, 0),
        }
    )
    numbers[TaskStatus.FAILED] += len(unseen)
    shown = [*_first_of_each_target(waiting), *dead, *failed]
    entries = [*_of_tasks(tx, shown), *_of_targets(tx, project, shown), *_of_others(tx, project)]
    entries.sort(key=lambda one: (-one.unblocks, one.since, one.id))
    found = [{**one.show(), "unblocks": one.unblocks} for one in entries[:PAGE]]
    return found, {str(status): number for status, number in numbers.items() if number}  # type: ignore[return-value]


def _waiting(tx: Tx, project: str | None, needed_most: Sequence[TaskRow]) -> list[TaskRow]:
    """Of each status the oldest, and those that others need."""
    found: list[TaskRow] = []
    for status in (TaskStatus.RUNNING, TaskStatus.LANDING):
        found += tasks.page(tx, project=project, status=status, limit=LOOKED_AT, kept=True)
    found = _first_of_each_branch(tx, [row for row in found if attention.waits(row)])
    for status in (TaskStatus.NEEDS_REVIEW, TaskStatus.BLOCKED, TaskStatus.OPEN):
        found += tasks.page(tx, project=project, status=status, limit=LOOKED_AT, kept=True)
    return [row for row in {row.id: row for row in (*found, *needed_most)}.values() if attention.waits(row)]


def _failed(tx: Tx, unseen: Sequence[str], needed_most: Sequence[TaskRow]) -> list[TaskRow]:
    """Failures that others wait for, and the newest."""
    known: dict[str, TaskRow] = {row.id: row for row in needed_most}
    chosen = [name for place, name in enumerate(unseen) if place < FAILURES or name in known]
    return [row for name in chosen if (row := known.get(name) or tasks.get(tx, name))]


def _of_tasks(tx: Tx, rows: Sequence[TaskRow]) -> Iterator[_Entry]:
    behind = task_steps.blocked_behind(tx, [row.id for row in rows], MOST_COUNTED)
    for row in rows:
        number = behind[row.id]
        if _is_about_target(row):
            number = _held_by_target(tx, row.project, row.target)
        yield _Entry(row.id, number, row.changed_at, _of_task(tx, row, number))


def _of_task(tx: Tx, row: TaskRow, behind: int) -> Callable[[], views.NeedsPerson]:
    if attention.is_dead_root(tx, row):
        return lambda: attention.dead_root(tx, row, behind)
    if _is_about_target(row):
        return lambda: attention.standing_target(tx, row, behind)
    return lambda: attention.wish(tx, row)


def _of_targets(tx: Tx, project: str | None, told: Sequence[TaskRow]) -> Iterator[_Entry]:
    for one in of_targets(tx, project, told):
        _, _, target = one["subject"].partition("/")
        number = _held_by_target(tx, one["project"], target)
        yield _Entry(one["subject"], number, 0, lambda one=one: one)  # type: ignore[misc]


def _of_others(tx: Tx, project: str | None) -> Iterator[_Entry]:
    """Missions, and units with dead letters."""
    for one in of_missions(tx, project):
        mission = missions.get(tx, one["task"])
        number = min(needed.held_by_mission(tx, one["task"]), MOST_COUNTED)
        yield _Entry(one["task"], number, mission.changed_at if mission else 0, lambda one=one: one)  # type: ignore[misc]
    for one in of_dead_letters(tx, project):
        task = tasks.get(tx, one["task"])
        yield _Entry(one["task"], 0, task.changed_at if task else 0, lambda one=one: one)  # type: ignore[misc]


def _held_by_target(tx: Tx, project: str, target: str) -> int:
    """What its target holds up, with what waits behind that."""
    held = needed.held_by_target(tx, project, target, MOST_COUNTED)
    return min(task_steps.all_behind(tx, held, MOST_COUNTED), MOST_COUNTED)


def _is_about_target(row: TaskRow) -> bool:
    return row.status == TaskStatus.BLOCKED and row.reason in STOPS


def _first_of_each_target(rows: Sequence[TaskRow]) -> list[TaskRow]:
    """A target that stands still holds up all its tasks: one entry, of the oldest of them."""
    kept, told = [], set()
    for row in sorted(rows, key=lambda row: row.seq):
        about = (row.project, row.target)
        if not _is_about_target(row) or about not in told:
            kept.append(row)
        if _is_about_target(row):
            told.add(about)
    return kept


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
