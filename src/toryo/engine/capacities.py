"""Capacities of coordinators: how many runs each has at once, of which agents; reported with heartbeats.

Kept in memory only, to say what a task waits for: no claim is decided by it.
"""

from __future__ import annotations

from collections.abc import Sequence

from toryo.engine.context import Capacity, HeadContext


def note(context: HeadContext, coordinator: str, max_concurrent: int, serves: Sequence[str] | None) -> None:
    context.capacities[coordinator] = Capacity(max_concurrent, None if serves is None else frozenset(serves))


def of(context: HeadContext, coordinator: str) -> Capacity:
    """Of one that has not told it yet since the daemon began: no limit is known."""
    return context.capacities.get(coordinator, Capacity())
