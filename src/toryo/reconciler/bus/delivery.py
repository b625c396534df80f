"""Delivery of messages to a living run: which one is told next, decided from what became of each try. Pure.

In the order in which they were stored. A try that lies ready for the agent's next step lets the next message
lie behind it; any other one is awaited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

MOST_TRIES = 5
"""Failed ones of a message; then it is a dead letter."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 60.0


class State(StrEnum):
    """What became of telling a run one message, the last time."""

    ASKED = "asked"
    """Nobody reported of it yet."""
    READY = "ready"
    """It lies where the agent takes it at its next step."""
    FAILED = "failed"
    DEAF = "deaf"
    """The run's agent cannot be spoken to: its next prompt has the message."""


@dataclass(frozen=True)
class Try:
    state: State
    ended_at: float = 0


@dataclass(frozen=True)
class Waiting:
    id: str
    attempts: int = 0
    """Failed tries, in whichever run."""


@dataclass(frozen=True)
class Decision:
    tell: tuple[str, ...] = ()
    """Ids of messages to be told now, in this order."""
    look_at: float | None = None


def decide(waiting: Sequence[Waiting], tries: Mapping[str, Try], now: float) -> Decision:
    """`waiting`: not delivered and not given up, the oldest first; `tries`: the last one of each."""
    if any(one.state is State.DEAF for one in tries.values()):
        return Decision()
    for message in waiting:
        last = tries.get(message.id)
        if last is None:
            return Decision(tell=(message.id,))
        if last.state is State.READY:
            continue
        if last.state is State.ASKED:
            return Decision()
        again = last.ended_at + pause_s(message.attempts)
        return Decision(tell=(message.id,)) if now >= again else Decision(look_at=again)
    return Decision()


def pause_s(attempts: int) -> float:
    doublings = min(max(attempts - 1, 0), 10)
    return min(FIRST_PAUSE_S * 2.0**doublings, LONGEST_PAUSE_S)
