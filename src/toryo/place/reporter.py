"""Report sender: hands the outbox to the daemon, in order, on one connection, from whichever thread has
news.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from toryo.place.daemon_client import Daemon, Registered
from toryo.place.outbox import Batch, Outbox, is_final
from toryo.protocol.order import Fact
from toryo.protocol.wire import RequestRefused, ToolFailed, WireError

log = logging.getLogger(__name__)


class Reporter:
    def __init__(
        self,
        outbox: Outbox,
        daemon: Daemon,
        *,
        on_superseded: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._outbox = outbox
        self._daemon = daemon
        self._on_superseded = on_superseded
        self._clock = clock
        self._sending = threading.Lock()
        self._mine = threading.local()
        self._place: Registered | None = None
        self._aside: set[int] = set()
        self._answered: dict[str, float] = {}

    def introduce(self, place: Registered) -> None:
        """From now on facts can be sent; until then they wait on disk."""
        self._place = place
        self.flush()

    def close(self) -> None:
        with self._sending:
            self._daemon.close()

    def report(
        self,
        kind: str,
        body: Mapping[str, Any],
        *,
        order: str = "",
        generation: int = 0,
        blobs: Mapping[str, str] | None = None,
        subject: str = "",
    ) -> None:
        """Durable when this returns, and at the daemon if it can be reached."""
        self._outbox.add(kind, body, order=order, generation=generation, blobs=blobs, subject=subject)
        self.flush()

    def report_records(
        self, facts: Iterable[tuple[str, Mapping[str, Any]]], *, order: str, generation: int
    ) -> None:
        """For facts that durable records repeat after a crash: sent first, kept only if they must wait."""
        added = [
            self._outbox.add(kind, body, order=order, generation=generation, keep=False)
            for kind, body in facts
        ]
        waiting: list[Fact] | None = getattr(self._mine, "waiting", None)
        if waiting is None:
            self._send_records(added)
        else:
            waiting += added

    @contextmanager
    def together(self) -> Iterator[None]:
        """Records that this thread reports meanwhile go in one call, at the end."""
        self._mine.waiting = []
        try:
            yield
        finally:
            added, self._mine.waiting = self._mine.waiting, None
            self._send_records(added)

    def _send_records(self, added: list[Fact]) -> None:
        self.flush()
        for fact in added:
            try:
                self._outbox.keep_waiting(fact)
            except OSError as unwritten:  # it is sent all the same; after a crash the records repeat it
                reason = str(unwritten)[:500]
                log.warning("Fact waits in memory only", extra={"order": fact.order, "reason": reason})

    def answering(self) -> frozenset[str]:
        """Orders whose final fact is on the way."""
        return self._outbox.answered_orders()

    def answered_at(self, order: str) -> float | None:
        """When the daemon last acknowledged this order's final fact, by our clock."""
        return self._answered.get(order)

    def forget(self, open_orders: frozenset[str]) -> None:
        self._answered = {order: at for order, at in dict(self._answered).items() if order in open_orders}

    def flush(self) -> bool:
        """Send what waits; whether everything went. One sender at a time keeps the numbers in order."""
        if self._place is None:
            return False
        with self._sending:
            place = self._place
            while (batch := self._outbox.batch(self._aside)) is not None:
                try:
                    if not self._send(place, batch):
                        return False
                except WireError as away:
                    log.debug("Facts wait for the daemon", extra={"reason": away.message})
                    return False
        return not self._aside

    def try_again(self) -> bool:
        """The safety net, once per interval: also what was refused before."""
        with self._sending:
            self._aside.clear()
        return self.flush()

    def _send(self, place: Registered, batch: Batch) -> bool:
        """False: the daemon did not take it, and there is nothing to gain by going on now."""
        try:
            receipt = self._daemon.report(place, batch.facts, batch.blobs)
        except (ToolFailed, RequestRefused) as refused:
            self._daemon.close()  # after a line that is no request the daemon hangs up
            if len(batch.facts) > 1:
                # one fact that the daemon cannot read must not hold up the others
                went = [self._send(place, self._outbox.alone(fact)) for fact in batch.facts]
                return all(went)
            self._aside.add(batch.facts[0].seq)
            log.warning(
                "Fact set aside: it is not taken",
                extra={"fact": batch.facts[0].kind, "order": batch.facts[0].order, "reason": refused.message},
            )
            return True
        now = self._clock()
        taken = set(receipt.acknowledged)
        self._answered |= {fact.order: now for fact in batch.facts if fact.seq in taken and is_final(fact)}
        self._outbox.acknowledge(taken)
        if receipt.superseded and place == self._place:
            self._on_superseded()
        return all(fact.seq in taken for fact in batch.facts)
