"""Which state may follow which: a table beside the decisions, which come from facts (ADR 35).

Nothing here decides: `decide` never sees the old status. One look may see many facts at once, a run's
beginning with its end, so a task may skip what lies between; the table has every way from one look to the
next, and forbids what no facts can bring about. To stay is always allowed: the reason may change.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from toryo.domain.words import OrderState, Outcome, TaskStatus, Verb

State = TypeVar("State", bound=StrEnum)

_NOT_LANDED = frozenset(
    {
        TaskStatus.BLOCKED,
        TaskStatus.READY,
        TaskStatus.VERIFYING,
        TaskStatus.NEEDS_REVIEW,
        TaskStatus.FAILED,
        TaskStatus.CANCELLED,
    }
)
"""Where a task may be found that was worked on and whose work was not accepted."""

_STARTABLE = _NOT_LANDED | {TaskStatus.RUNNING}
"""A run is born only of a task that is ready, or (`session start`) open or blocked for want of an agent."""

_WITH_A_LANDING = _NOT_LANDED | {TaskStatus.LANDING, TaskStatus.DONE}
"""A landing is made by the look that says `verifying`, and lives on while its target's queue is stopped."""

_NEW_ATTEMPT = frozenset({TaskStatus.BLOCKED, TaskStatus.READY, TaskStatus.VERIFYING})
"""After a retry; `verifying` while what the cancelled run left is still collected, after a submit too."""

TASK_STATUS: Mapping[TaskStatus, frozenset[TaskStatus]] = {
    TaskStatus.OPEN: _STARTABLE,
    TaskStatus.BLOCKED: _STARTABLE,
    TaskStatus.READY: _STARTABLE,
    TaskStatus.RUNNING: _NOT_LANDED,
    TaskStatus.VERIFYING: _WITH_A_LANDING,
    TaskStatus.NEEDS_REVIEW: _WITH_A_LANDING,
    # back to verifying once a person set the target back before it was published; if somebody had said
    # `cancel` or `reject` while the tip was being moved, that counts again then
    TaskStatus.LANDING: frozenset(
        {
            TaskStatus.VERIFYING,
            TaskStatus.NEEDS_REVIEW,
            TaskStatus.DONE,
            TaskStatus.FAILED,
            TaskStatus.CANCELLED,
        }
    ),
    TaskStatus.DONE: frozenset(),
    TaskStatus.FAILED: _NEW_ATTEMPT | {TaskStatus.CANCELLED},
    TaskStatus.CANCELLED: _NEW_ATTEMPT,
}

_ENDED = frozenset({OrderState.REPORTED, OrderState.WITHDRAWN})

ORDER_STATE: Mapping[OrderState, frozenset[OrderState]] = {
    OrderState.OPEN: _ENDED | {OrderState.TAKEN},
    OrderState.TAKEN: _ENDED,
    OrderState.REPORTED: frozenset(),
    OrderState.WITHDRAWN: frozenset(),
}
"""What is told of an order that has ended comes too late, and is kept as that."""

OUTCOME: Mapping[Outcome, frozenset[Outcome]] = {
    outcome: frozenset(Outcome) if outcome is Outcome.RUNNING else frozenset() for outcome in Outcome
}
"""A run ends once, also as `unknown` (somebody released or reported it) or `parked`: another one goes on."""


def may_follow(table: Mapping[State, frozenset[State]], old: State, new: State) -> bool:
    return new is old or new in table[old]


def only_by(old: TaskStatus, new: TaskStatus) -> frozenset[Verb]:
    """The words of a person without one of which this step is not taken; none: facts alone may lead there."""
    if new is TaskStatus.CANCELLED:
        return frozenset({Verb.CANCEL})
    if old in (TaskStatus.FAILED, TaskStatus.CANCELLED):
        return frozenset({Verb.RETRY, Verb.SUBMIT})
    if (old, new) == (TaskStatus.LANDING, TaskStatus.FAILED):
        return frozenset({Verb.REJECT})
    return frozenset()
