"""What a person is told of without asking: one notice per transition that has stood for a moment. Pure.

From events it takes only which tasks to look at; what is told is their state now. Whoever asks keeps the
cursor and what was told before, and carries the notice to the person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

NEEDS_YOU, FAILED, DONE = "needs_you", "failed", "done"
KINDS = (NEEDS_YOU, FAILED, DONE)

SETTLE_S = 2.0
"""A state that lasts no longer than this is told to nobody."""
AGAIN_S = 60.0
"""So long the same is not told again of a task that left that state by itself and came back."""


@dataclass(frozen=True)
class Change:
    """An event of a task."""

    seq: int
    at: float
    task: str
    kind: str = ""
    """What it made of the task; empty: nothing that anybody is told of."""
    by_person: bool = False
    """Not a state, but somebody's own word about the task."""


@dataclass(frozen=True)
class State:
    """What a task is now."""

    kind: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Told:
    """What a person was last told of a task."""

    kind: str
    reason: str
    at: float
    left: bool = False
    """The task is not in that state any more."""


@dataclass(frozen=True)
class Decision:
    tell: tuple[str, ...]
    """Tasks, in the order in which they came to it."""
    told: dict[str, Told]
    cursor: int
    """The last event that is settled."""
    look_at: float | None
    """When the next event is."""


def decide(
    changes: Sequence[Change],
    states: Mapping[str, State],
    told: Mapping[str, Told],
    *,
    cursor: int,
    wanted: Sequence[str],
    now: float,
) -> Decision:
    """`changes` are all that came after the cursor, in their order; `states` those of their tasks."""
    # a clock that was set back must not hold up everything until then
    settled = [change for change in changes if not now - SETTLE_S < change.at <= now]
    first_unsettled = next((one for one in changes if now - SETTLE_S < one.at <= now), None)
    if first_unsettled is not None:
        settled = [change for change in settled if change.seq < first_unsettled.seq]
    cursor = settled[-1].seq if settled else cursor
    moving = {change.task for change in changes if change.seq > cursor and not change.by_person}
    known = {task: one for task, one in told.items() if not _is_over(one) or now - one.at < AGAIN_S}
    tell = []
    for task in dict.fromkeys(change.task for change in settled):
        mine = [change for change in settled if change.task == task]
        _follow(known, task, mine)
        state = states.get(task, State())
        if task in moving:
            continue  # it is another already: told when that has stood
        if state.kind == DONE and all(change.kind != DONE for change in mine):
            continue  # it was done before: somebody only spoke about it
        if state.kind in wanted and not _is_known(known.get(task), state, now):
            known[task] = Told(state.kind, state.reason, now)
            tell.append(task)
    look_at = None if first_unsettled is None else first_unsettled.at + SETTLE_S
    return Decision(tuple(tell), known, cursor, look_at)


def _follow(known: dict[str, Told], task: str, changes: Sequence[Change]) -> None:
    """What these changes make of what was told before."""
    for change in changes:
        before = known.get(task)
        if before is None:
            return
        if change.by_person:
            del known[task]  # whatever follows is news: it answers what a person did
        elif change.kind != before.kind:
            known[task] = replace(before, left=True)


def _is_over(told: Told) -> bool:
    """Whether nothing leads back to it soon: most that is done stays so, and there may be very much of it."""
    return told.left or told.kind == DONE


def _is_known(before: Told | None, state: State, now: float) -> bool:
    if before is None or before.kind != state.kind:
        return False
    return not before.left or (before.reason == state.reason and now - before.at < AGAIN_S)
