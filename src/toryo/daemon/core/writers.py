"""Writers of the store: in the event loop, or in a thread beside it. What is done there is the head's."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Writer(Protocol):
    """The one place in which the store is used: one piece of work at a time."""

    async def run(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T: ...

    def queue(self, fn: Callable[[], None]) -> None:
        """After what was asked for before; from any thread."""

    def close(self) -> None:
        """What was queued is done first, or never."""


class WriterInLoop:
    """In the event loop itself, for a database that answers within a millisecond: no change goes to another
    thread and back, and its answer goes out before the drain that it leads to (ADR 29)."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._queue: deque[Callable[[], None]] = deque()
        self._is_coming = False

    async def run(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._is_coming:
            turn = asyncio.Event()
            self.queue(turn.set)
            await turn.wait()
        return fn(*args, **kwargs)

    def queue(self, fn: Callable[[], None]) -> None:
        with self._lock:
            self._queue.append(fn)
            begins, self._is_coming = not self._is_coming, True
        if begins:
            with contextlib.suppress(RuntimeError):  # the loop is closed: the next start drains
                self._loop.call_soon_threadsafe(self._next)

    def close(self) -> None:
        return

    def _next(self) -> None:
        """One after the other, and whoever was waked by one goes on before the next."""
        try:
            self._queue.popleft()()
        finally:  # whatever it raised: else nobody would ever have a turn again
            with self._lock:
                self._is_coming = bool(self._queue)
            if self._is_coming:
                self._loop.call_soon(self._next)


class WriterThread:
    """In a thread of its own, for a database at the other end of a network."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="writer")

    async def run(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(self._pool.submit(fn, *args, **kwargs))

    def queue(self, fn: Callable[[], None]) -> None:
        self._pool.submit(fn)

    def close(self) -> None:
        self._pool.shutdown(wait=True)
