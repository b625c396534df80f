"""Events of runs: who supervises them announces, who has to follow subscribes.

Subscribers are joined before the first run is watched; each is called in the announcer's thread.
"""

from __future__ import annotations

from collections.abc import Callable

from toryo.place.journal import Outcome
from toryo.protocol.order import Order

Started = Callable[[str], None]
Ended = Callable[[str, Order, Outcome], None]
Unstarted = Callable[[str], None]


class RunEvents:
    def __init__(self) -> None:
        self._started: list[Started] = []
        self._ended: list[Ended] = []
        self._unstarted: list[Unstarted] = []

    def subscribe(
        self,
        *,
        started: Started | None = None,
        ended: Ended | None = None,
        unstarted: Unstarted | None = None,
    ) -> None:
        """`started(run)`: its shim is there. `ended(run, order, outcome)`: after the end was reported; the
        journal is left to the subscriber. `unstarted(order)`: its shim died before it let the agent go."""
        self._started += [started] if started else []
        self._ended += [ended] if ended else []
        self._unstarted += [unstarted] if unstarted else []

    def started(self, run: str) -> None:
        for tell in self._started:
            tell(run)

    def ended(self, run: str, order: Order, outcome: Outcome) -> None:
        for tell in self._ended:
            tell(run, order, outcome)

    def unstarted(self, order_id: str) -> None:
        for tell in self._unstarted:
            tell(order_id)
