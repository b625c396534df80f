"""Waits for orders on its own connection, hands each complete set on, wakes the loop when work may start."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable

from toryo.coordinator.calls import Daemon, OrderSet, Place
from toryo.coordinator.claims import Capacity
from toryo.coordinator.orders import Orders
from toryo.coordinator.standing import Standing
from toryo.protocol.wire import ToolFailed, WireError

log = logging.getLogger(__name__)

LONGEST_WAIT_S = 30.0
"""The daemon refuses to be asked for longer."""
_AT_ONCE_S = 0.05
"""An unchanged set that comes back faster than this was not waited for."""


class Listener:
    def __init__(
        self,
        daemon: Daemon,
        orders: Orders,
        capacity: Capacity,
        standing: Standing,
        interval_s: float,
        claim: Callable[[Place, Iterable[tuple[str, str]]], None] = lambda place, pairs: None,
    ) -> None:
        self._daemon = daemon
        self._orders = orders
        self._capacity = capacity
        self._standing = standing
        self._interval_s = interval_s
        self._claim = claim
        # changes come at once; an unchanged set costs both sides as much as a new one
        self._wait_s = min(3 * interval_s, LONGEST_WAIT_S)
        self._place: Place | None = None

    def start(self, place: Place) -> None:
        """Once; after that only as whom we ask changes."""
        begins = self._place is None
        self._place = place
        if begins:
            threading.Thread(target=self._listen, args=(place,), name="listen", daemon=True).start()

    def _listen(self, place: Place) -> None:
        try:
            self._until_told_to_leave(place)
        finally:
            self._daemon.close()

    def _until_told_to_leave(self, place: Place) -> None:
        seen = ""
        while self._standing.may_act:
            if self._place is not None and self._place != place:
                place, seen = self._place, ""
            asked_at = time.monotonic()
            try:
                got = self._daemon.next_orders(place, seen, self._wait_s)
                if place == self._place:  # else it was said to one that we are not any more
                    self._take(place, got, asked_at)
            except WireError:
                # the loop says in the log that the daemon is away; a full set is wanted when it is back
                seen = ""
                self._standing.pause(min(1.0, self._interval_s))
            except ToolFailed as refused:
                log.warning("No orders: %s", refused.message, extra={"hint": refused.hint})
                self._standing.pause(self._interval_s)
            except Exception:  # a thread's outermost edge: without it no order would ever come again
                log.exception("Orders could not be taken")
                self._standing.pause(self._interval_s)
            else:
                if got.version == seen and time.monotonic() - asked_at < _AT_ONCE_S:
                    self._standing.pause(_AT_ONCE_S)
                seen = got.version

    def _take(self, place: Place, got: OrderSet, asked_at: float) -> None:
        if got.superseded:
            self._standing.supersede()
            return
        self._capacity.ordered(got.orders)
        self._orders.replace(got.orders, asked_at)
        if got.startable:
            self._claim(place, got.startable)
        elif got.look:
            self._standing.wake.set()
