"""Loop of a place: register, then at every interval, or when woken: heartbeat, cleanup, a look of its own.

Orders come by the listener and are carried out by the worker, beside it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from toryo.place.daemon_client import Daemon, Registered
from toryo.place.lifecycle import Lifecycle
from toryo.place.order_set import OrderSet
from toryo.place.parts import Parts
from toryo.place.registration import Registration
from toryo.place.worker import Worker
from toryo.protocol.wire import ToolFailed, WireError

log = logging.getLogger(__name__)

D = TypeVar("D", bound=Daemon)


@dataclass
class PlaceLoop(Generic[D]):
    parts: Parts[D]
    daemon: D
    registration: Registration
    worker: Worker
    refusal: ClassVar[str] = "The daemon refused: %s"

    @property
    def lifecycle(self) -> Lifecycle:
        return self.parts.lifecycle

    @property
    def orders(self) -> OrderSet:
        return self.parts.orders

    def run(self) -> None:
        self.begin()
        while not self._is_over():
            if self._cycle():
                self.rest()
            else:
                self.registration.wait_for_daemon(self._is_over)
        self.close()

    # ── what a kind of place adds ──

    def begin(self) -> None:
        """Before the daemon is asked for anything."""

    def look(self, place: Registered, has_beaten: bool) -> None:
        """Once a cycle; `has_beaten`: about once an interval."""

    def rest(self) -> None:
        """Until woken, at most an interval."""
        self.lifecycle.rest(self.registration.interval_s)

    def is_at_work(self) -> bool:
        """One that is superseded tells what it has done, too late as it is, and leaves nothing half done."""
        return self.orders.is_acting()

    def close(self) -> None:
        """What was not reported waits on disk."""
        self.lifecycle.end()
        self.worker.close()
        self.parts.reporter.close()
        self.daemon.close()
        self.parts.pool.close()

    # ── the same for all ──

    def _cycle(self) -> bool:
        """False: the daemon cannot be reached."""
        try:
            if self.registration.place is not None or self.registration.register():
                self._act_as_registered()
        except WireError as away:
            log.warning("MCP server not available, retrying...", extra={"reason": away.message})
            return False
        except ToolFailed as refused:
            log.warning(self.refusal, refused.message, extra={"hint": refused.hint})
            self.registration.replace_refused_key()
        except Exception:  # the loop's outermost edge: a bug costs a cycle, never what goes on beside it
            log.exception("Cycle failed by a bug")
        return True

    def _act_as_registered(self) -> None:
        if not self.daemon.is_healthy():
            log.warning("MCP server unhealthy, skipping cycle")
            return
        self.parts.reporter.try_again()
        place = self.registration.place
        if place is None or not self.lifecycle.may_act:
            return
        has_beaten = self.registration.beat()
        self.worker.tidy()
        self.look(place, has_beaten)

    def _is_over(self) -> bool:
        return self.lifecycle.ending or (self.lifecycle.superseded and not self.is_at_work())
