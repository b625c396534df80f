"""The head: the one door to the use cases, changes one at a time and reads beside them.

What a change leads to is `schedule`'s, what a use case does its own; who may ask is the table of tools.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, ParamSpec, TypeVar

import structlog

from toryo.daemon.core.asks import Asks
from toryo.daemon.core.changes import Changes
from toryo.daemon.core.checkpoints import Checkpoints
from toryo.daemon.core.clock_gaps import ClockGaps
from toryo.daemon.core.schedule import Schedule
from toryo.daemon.core.writers import Writer
from toryo.domain.errors import DiskFull
from toryo.engine.context import HeadContext
from toryo.engine.drain import drain, extend_deadlines

P = ParamSpec("P")
T = TypeVar("T")

MOST_AT_WORK = 8
"""Use cases that wait for the writer or whose answers were not taken yet; the next ones wait outside."""
READERS = 2

log = structlog.get_logger("toryo.daemon.head")


class Head:
    def __init__(
        self,
        context: HeadContext,
        writer: Writer,
        *,
        interval_s: float = 10,
        alive_at: float | None = None,
        on_tick: Callable[[], None] = lambda: None,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self.context = context
        self.changes = Changes()
        self.asks = Asks(self.changes)
        self.closing = False
        self.stopped = asyncio.Event()
        self._writer = writer
        self._interval_s = interval_s
        self._on_tick = on_tick
        self._loop = asyncio.get_running_loop()
        self._turns = asyncio.Semaphore(MOST_AT_WORK)
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="reader")
        self._gaps = ClockGaps(
            context,
            extend_deadlines,
            interval_s=interval_s,
            alive_at=alive_at,
            on_tick=on_tick,
            steady=steady,
        )
        self._checkpoints = Checkpoints(context.store, self._loop)
        self._schedule = Schedule(
            context, writer, drain, changes=self.changes, gaps=self._gaps, checkpoints=self._checkpoints
        )
        self._ticker: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Drain what an earlier process left, then follow the store."""
        self.context.store.listen(self._schedule.committed)
        await self._writer.run(self._gaps.give_back_the_downtime)
        await self._writer.run(self._schedule.drain_now)
        self._ticker = asyncio.create_task(self._tick_for_ever(), name="tick")

    async def do(self, fn: Callable[Concatenate[HeadContext, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a use case where the store is written."""

        def run() -> T:
            try:
                self._gaps.mind()
                return fn(self.context, *args, **kwargs)
            except DiskFull:
                self._gaps.cannot_write()
                raise

        async with self._turns:  # else the answers to a flood would lie in memory all at once
            return await self._writer.run(run)

    async def read(
        self, fn: Callable[Concatenate[HeadContext, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a use case that only reads, beside the writer: a long page holds up nobody's report.

        After the drain that is queued, if one is: whoever changed something sees what was decided of it."""
        async with self._turns:
            if self._schedule.is_drain_queued:
                await self._writer.run(_nothing)
            return await self._loop.run_in_executor(self._readers, lambda: fn(self.context, *args, **kwargs))

    async def aside(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run something slow that needs no store, such as a passkey's hash, without holding up the writer."""
        return await asyncio.to_thread(fn, *args, **kwargs)

    async def wait_for_change(self, topics: str | Iterable[str], seen: int, timeout_s: float) -> int:
        return await self.changes.wait(topics, seen, timeout_s)

    async def until(
        self, topics: Iterable[str], timeout_s: float, ask: Callable[[HeadContext], tuple[bool, T]]
    ) -> T:
        """A long poll: ask again after each change until the answer is final, time is up or we close.

        For questions that may write; what only reads is `read_until`'s."""
        return await self._poll(topics, timeout_s, lambda: self.do(ask))

    async def read_until(
        self, topics: Iterable[str], timeout_s: float, ask: Callable[[HeadContext], tuple[bool, T]]
    ) -> T:
        """A long poll beside the writer: those who wait hold up nobody's report when they all wake."""
        return await self._poll(topics, timeout_s, lambda: self.read(ask))

    async def _poll(
        self, topics: Iterable[str], timeout_s: float, ask: Callable[[], Awaitable[tuple[bool, T]]]
    ) -> T:
        names = tuple(topics)
        deadline = self._loop.time() + timeout_s
        while True:
            seen = self.changes.version(*names)
            final, answer = await ask()
            left = deadline - self._loop.time()
            if final or left <= 0 or self.closing:
                return answer
            await self.changes.wait(names, seen, left)

    @property
    def uptime_s(self) -> float:
        return max(0.0, self.context.clock() - self.context.started_at)

    def stop(self) -> None:
        """Ask for the end; waiting long polls answer with what they have."""
        self.closing = True
        self.asks.close()
        self.changes.close()
        self.stopped.set()

    async def close(self) -> None:
        self.stop()
        if self._ticker is not None:
            self._ticker.cancel()
        self._schedule.close()
        await self._checkpoints.close()
        await asyncio.to_thread(self._writer.close)
        await asyncio.to_thread(self._readers.shutdown)

    async def _tick_for_ever(self) -> None:
        while not self.closing:
            await asyncio.sleep(self._interval_s)
            try:
                self._on_tick()
                await self._writer.run(self._tick)
            except Exception:  # the outermost edge of the ticking loop
                log.exception("tick_failed")

    def _tick(self) -> None:
        """In the writer."""
        if self._gaps.mind():
            self._schedule.drain_now()


def _nothing() -> None:
    """Takes a turn of the writer, behind what was queued before."""
