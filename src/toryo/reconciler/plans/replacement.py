"""Replacement of an approved plan while its tasks run: what is kept, replaced, cancelled, added. Pure.

Tasks are known by their plan ids: a replaced task's successor takes its id, so edges need no translation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from toryo.domain.planned_tasks import PlannedTask
from toryo.domain.words import TaskStatus


@dataclass(frozen=True)
class ExistingTask:
    """A task of the plan in force: what was planned, and where it is."""

    planned: PlannedTask
    status: TaskStatus
    begun: bool = False
    """It had a run: its edges are past and do not move."""

    @property
    def id(self) -> str:
        return self.planned.id

    @property
    def landed(self) -> bool:
        return self.status is TaskStatus.DONE or self.planned.done


@dataclass(frozen=True)
class MovedEdges:
    """All that a task waits for from now on."""

    task: str
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Replacement:
    """By plan ids; each is in one of the first four."""

    kept: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    """The old task is cancelled, a new one takes its id."""
    cancelled: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    create: tuple[PlannedTask, ...] = ()
    """The new tasks of `replaced` and `added`, with their edges."""
    edges: tuple[MovedEdges, ...] = ()
    """Of kept tasks that have not begun: in the same transaction."""
    ignored: tuple[str, ...] = ()
    """Landed tasks that the new plan words differently: what landed stays as it is."""


def replan(old: Sequence[ExistingTask], new: Sequence[PlannedTask]) -> Replacement:
    """The old plan is in force, the new one was judged without faults and approved."""
    before = {task.id: task for task in old}
    wanted = {task.id: task for task in new}
    changed = {id for id, task in wanted.items() if id in before and not _same(before[id].planned, task)}
    landed = {task.id for task in old if task.landed}
    replaced = changed - landed
    gone = [task.id for task in old if task.id not in wanted and task.id not in landed]
    cancelled = {id for id in gone if before[id].status is not TaskStatus.CANCELLED}
    create = tuple(
        replace(task, depends_on=_known(task, wanted, landed))
        for task in new
        if task.id not in before or task.id in replaced
    )
    waiting = [
        task for task in old if task.id in wanted and task.id not in landed | replaced and not task.begun
    ]
    moved = [MovedEdges(task.id, _known(wanted[task.id], wanted, landed)) for task in waiting]
    return Replacement(
        kept=tuple(task.id for task in old if task.id not in replaced | cancelled),
        replaced=tuple(task.id for task in old if task.id in replaced),
        cancelled=tuple(task.id for task in old if task.id in cancelled),
        added=tuple(task.id for task in create if task.id not in before),
        create=create,
        edges=tuple(one for one in moved if _moves(one, before[one.task].planned, replaced)),
        ignored=tuple(task.id for task in old if task.id in changed & landed),
    )


def _same(one: PlannedTask, other: PlannedTask) -> bool:
    """Whether the work is the same: edges, story and ticks are not part of it."""
    return replace(one, depends_on=(), story="", done=False) == replace(
        other, depends_on=(), story="", done=False
    )


def _known(task: PlannedTask, wanted: dict[str, PlannedTask], landed: set[str]) -> tuple[str, ...]:
    return tuple(need for need in dict.fromkeys(task.depends_on) if need in wanted or need in landed)


def _moves(edges: MovedEdges, planned: PlannedTask, replaced: set[str]) -> bool:
    return set(edges.needs) != set(planned.depends_on) or not replaced.isdisjoint(edges.needs)
