"""Arrival of a complete set of orders at a coordinator: to its capacity, its worker and its claims; and of
asks, to their own lane."""

from __future__ import annotations

from dataclasses import dataclass

from toryo.coordinator.claims import Capacity, Claims
from toryo.place.asks import Asks
from toryo.place.daemon_client import NextOrders, Registered
from toryo.place.lifecycle import Lifecycle
from toryo.place.worker import Worker


@dataclass(frozen=True)
class Arrivals:
    capacity: Capacity
    worker: Worker
    claims: Claims
    lifecycle: Lifecycle
    asks: Asks

    def take(self, place: Registered, got: NextOrders, asked_at: float) -> None:
        self.asks.take(place, got.asks)
        self.capacity.ordered(got.orders)
        self.worker.replace(got.orders, asked_at)
        if got.startable:
            self.claims.at_once(place, got.startable, got.programs)
        elif got.look:
            self.lifecycle.wake.set()
