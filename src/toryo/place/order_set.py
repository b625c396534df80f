"""Order set: what the daemon wants from us now, and which of it is being carried out or waits.

A set says what is wanted, not what is new. It is passive: the worker changes it, every thread asks it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from toryo.domain.errors import Hindered
from toryo.protocol.order import Order


class OrderSet:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wanted: dict[str, Order] = {}
        self._busy: set[str] = set()
        self._acting: set[str] = set()
        self._hindered: dict[str, Hindered] = {}
        self._heard = False

    # ── asked by everybody ──

    def wanted(self) -> dict[str, Order]:
        with self._lock:
            return dict(self._wanted)

    def get(self, order_id: str) -> Order | None:
        with self._lock:
            return self._wanted.get(order_id)

    def is_wanted(self, order_id: str) -> bool:
        return self.get(order_id) is not None

    def busy(self) -> list[Order]:
        """What is wanted and being done."""
        with self._lock:
            return [self._wanted[one] for one in self._busy if one in self._wanted]

    def is_busy(self, order_id: str) -> bool:
        with self._lock:
            return order_id in self._busy

    def is_acting(self) -> bool:
        """Whether an effect is under way, or its report."""
        with self._lock:
            return bool(self._acting)

    def hindrances(self) -> list[Hindered]:
        """What stands in the way of orders that wait: each once."""
        with self._lock:
            found = {one.message: one for one in self._hindered.values()}
        return [found[message] for message in sorted(found)]

    @property
    def was_heard(self) -> bool:
        """Whether a complete set has come."""
        return self._heard

    # ── changed by the worker ──

    def replace(self, orders: Iterable[Order]) -> None:
        with self._lock:
            self._wanted = {order.id: order for order in orders}
            self._heard = True

    def add(self, orders: Iterable[Order]) -> None:
        with self._lock:
            self._wanted |= {order.id: order for order in orders}

    def make_busy(self, order_id: str) -> bool:
        """False: it is already."""
        with self._lock:
            if order_id in self._busy:
                return False
            self._busy.add(order_id)
            return True

    def let_go(self, order_id: str) -> None:
        with self._lock:
            self._busy.discard(order_id)

    @contextmanager
    def acting(self, order_id: str) -> Iterator[None]:
        with self._lock:
            self._acting.add(order_id)
        try:
            yield
        finally:
            with self._lock:
                self._acting.discard(order_id)

    def hinder(self, order_id: str, by: Hindered) -> bool:
        """Whether that is news."""
        with self._lock:
            before = self._hindered.get(order_id)
            self._hindered[order_id] = by
        return before is None or before.message != by.message

    def clear_the_way(self, order_id: str) -> None:
        with self._lock:
            self._hindered.pop(order_id, None)
