"""Change broadcast: "something about X changed". Long polls wait here. It carries names, never what
happened.

Lives in the event loop's thread; `Head` brings the store's commits over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

EVENTS = "events"
LOOK = "look"
MOST_REMEMBERED = 10_000


def task_topic(task: str) -> str:
    return f"task:{task}"


def mission_topic(mission: str) -> str:
    return f"mission:{mission}"


def place_topic(place: str) -> str:
    return f"place:{place}"


def asks_topic(place: str) -> str:
    return f"asks:{place}"


class Changes:
    """Versions grow over all topics together, so one number stands for any set of them."""

    def __init__(self) -> None:
        self._newest = 0
        self._last: dict[str, int] = {}
        self._floor = 0  # a forgotten topic may have changed as late as this: waking in vain is harmless
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}
        self._closed = False

    def version(self, *topics: str) -> int:
        """Read it before asking the store, and give it to `wait`: then no change slips in between."""
        return max((self._last.get(topic, self._floor) for topic in topics), default=self._floor)

    def bump(self, topics: Iterable[str]) -> None:
        self._newest += 1
        for topic in topics:
            self._last.pop(topic, None)
            self._last[topic] = self._newest
            for waiter in self._waiting.get(topic, ()):
                if not waiter.done():
                    waiter.set_result(None)
        while len(self._last) > MOST_REMEMBERED:
            self._floor = self._last.pop(next(iter(self._last)))

    async def wait(self, topics: str | Iterable[str], seen: int, timeout_s: float) -> int:
        """The version once it is newer than `seen`; the old one after `timeout_s` or when we close."""
        names = {topics} if isinstance(topics, str) else set(topics)
        if self._closed or timeout_s <= 0 or self.version(*names) > seen:
            return self.version(*names)
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        for name in names:
            self._waiting.setdefault(name, set()).add(waiter)
        try:
            await asyncio.wait((waiter,), timeout=timeout_s)
        finally:
            waiter.cancel()
            for name in names:
                group = self._waiting[name]
                group.discard(waiter)
                if not group:
                    del self._waiting[name]
        return self.version(*names)

    def close(self) -> None:
        """Everybody who waits goes on with what there is."""
        self._closed = True
        for group in self._waiting.values():
            for waiter in group:
                if not waiter.done():
                    waiter.set_result(None)
