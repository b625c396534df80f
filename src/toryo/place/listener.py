"""Long poll for orders on a connection of its own: hands on each complete set, and leaves when superseded."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from toryo.place.daemon_client import Daemon, NextOrders, Registered
from toryo.place.lifecycle import Lifecycle
from toryo.protocol.wire import ToolFailed, WireError

log = logging.getLogger(__name__)

LONGEST_WAIT_S = 30.0
"""The daemon refuses to be asked for longer."""
_AT_ONCE_S = 0.05
"""An unchanged set that comes back faster than this was not waited for."""

Take = Callable[[Registered, NextOrders, float], None]
"""What becomes of a complete set: as whom we asked, the set, and when."""


class Listener:
    def __init__(
        self,
        daemon: Daemon,
        lifecycle: Lifecycle,
        interval_s: float,
        take: Take,
    ) -> None:
        self._daemon = daemon
        self._lifecycle = lifecycle
        self._interval_s = interval_s
        self._take = take
        # changes come at once; an unchanged set costs both sides as much as a new one
        self._wait_s = min(3 * interval_s, LONGEST_WAIT_S)
        self._place: Registered | None = None

    def start(self, place: Registered) -> None:
        """Once; after that only as whom we ask changes."""
        begins = self._place is None
        self._place = place
        if begins:
            threading.Thread(target=self._listen, args=(place,), name="listen", daemon=True).start()

    def _listen(self, place: Registered) -> None:
        try:
            self._until_told_to_leave(place)
        finally:
            self._daemon.close()

    def _until_told_to_leave(self, place: Registered) -> None:
        seen = ""
        while self._lifecycle.may_act:
            if self._place is not None and self._place != place:
                place, seen = self._place, ""
            asked_at = time.monotonic()
            try:
                got = self._daemon.next_orders(place, seen, self._wait_s)
                if place == self._place:  # else it was said to one that we are not any more
                    self._hand_on(place, got, asked_at)
            except WireError:
                # the loop says in the log that the daemon is away; a full set is wanted when it is back
                seen = ""
                self._lifecycle.pause(min(1.0, self._interval_s))
            except ToolFailed as refused:
                log.warning("No orders: %s", refused.message, extra={"hint": refused.hint})
                self._lifecycle.pause(self._interval_s)
            except Exception:  # a thread's outermost edge: without it no order would ever come again
                log.exception("Orders could not be taken")
                self._lifecycle.pause(self._interval_s)
            else:
                is_news = got.version != seen or got.asks
                if not is_news and time.monotonic() - asked_at < _AT_ONCE_S:
                    self._lifecycle.pause(_AT_ONCE_S)
                seen = got.version

    def _hand_on(self, place: Registered, got: NextOrders, asked_at: float) -> None:
        if got.superseded:
            self._lifecycle.supersede()
        else:
            self._take(place, got, asked_at)
