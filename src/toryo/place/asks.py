"""Asks of a place: carried out on a lane of their own, beside all orders, and never written down.

What a read finds is left to the place; one that cannot be answered in time is let go.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable

from toryo.place.daemon_client import Registered
from toryo.place.lanes import Lane
from toryo.place.lifecycle import Lifecycle
from toryo.protocol.asks import Answered, Ask, AskAnswer
from toryo.protocol.wire import ToolFailed, WireError

log = logging.getLogger(__name__)

HANDS = 4
"""One that waits for a slow disk or a program leaves hands for the others."""


class Asks:
    def __init__(
        self,
        answer: Callable[[Ask], AskAnswer],
        tell: Callable[[Registered, Answered], bool],
        lifecycle: Lifecycle,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`answer` raises nothing: what is in its way is the answer. `tell`: whether we are superseded."""
        self._answer = answer
        self._tell = tell
        self._lifecycle = lifecycle
        self._clock = clock
        self._lock = threading.Lock()
        self._taken: set[str] = set()
        self._lane = Lane("asks", HANDS)

    def take(self, place: Registered, asks: Iterable[Ask]) -> None:
        for ask in asks:
            with self._lock:
                if ask.id in self._taken:
                    continue  # handed over once more, after a line that broke
                self._taken.add(ask.id)
            self._put(place, ask, self._clock() + ask.within_s)

    def close(self) -> None:
        self._lane.close()

    def _put(self, place: Registered, ask: Ask, until: float) -> None:
        self._lane.put(lambda: self._carry_out(place, ask, until))

    def _carry_out(self, place: Registered, ask: Ask, until: float) -> None:
        try:
            if self._lifecycle.may_act and self._clock() < until:
                self._send(place, Answered(id=ask.id, answer=self._answer(ask)))
        finally:
            with self._lock:
                self._taken.discard(ask.id)

    def _send(self, place: Registered, answered: Answered) -> None:
        try:
            if self._tell(place, answered):
                self._lifecycle.supersede()
        except (WireError, ToolFailed) as away:  # whoever asked asks again
            log.info("An ask was not answered", extra={"ask": answered.id, "reason": away.message})
