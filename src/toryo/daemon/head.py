"""The head: one writer for every use case, the drain after every change, and the clock's wake-ups.

What a change or a drain does is the use cases'; who may ask for it is the table of tools.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Callable, Iterable
from typing import Concatenate, ParamSpec, TypeVar

import structlog

from toryo.daemon.changes import EVENTS, LOOK, Changes, place_topic, task_topic
from toryo.daemon.writers import Writer
from toryo.domain.errors import DiskFull
from toryo.store import marks
from toryo.store.engine import Committed
from toryo.usecases.context import HeadContext

P = ParamSpec("P")
T = TypeVar("T")

Drain = Callable[[HeadContext], bool | None]
"""Looks at every marked subject that is due. True: more is left, let waiting calls go first."""
Extend = Callable[[HeadContext, float], None]
"""Moves every deadline by that many seconds."""

MOST_AT_WORK = 8
"""Use cases that wait for the writer or whose answers were not taken yet; the next ones wait outside."""
SHORTEST_LOOK_S = 1.0
AFTER_A_BUG_S = 5.0
WITHOUT_ROOM_S = 1.0
LAZY_S = 0.05
"""How long a drain that nobody waits for leaves the cores to others."""
ENOUGH_CHANGES, TOO_MANY_CHANGES = 32, 384
"""Since the last checkpoint: worth one at a quiet moment, and at any moment."""
QUIET_S = 0.025
JUMP_S = 2.0
"""A clock that went so much more or less than time did was set, or the machine slept."""

log = structlog.get_logger("toryo.daemon.head")


class Head:
    def __init__(
        self,
        context: HeadContext,
        writer: Writer,
        *,
        drain: Drain,
        extend_deadlines: Extend,
        interval_s: float = 10,
        alive_at: float | None = None,
        on_tick: Callable[[], None] = lambda: None,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self.context = context
        self.changes = Changes()
        self.closing = False
        self.stopped = asyncio.Event()
        self._writer = writer
        self._drain = drain
        self._extend = extend_deadlines
        self._interval_s = interval_s
        self._on_tick = on_tick
        self._loop = asyncio.get_running_loop()
        self._alive_at = context.clock() if alive_at is None else alive_at
        self._steady = steady
        self._alive = steady()
        self._owed = 0.0
        """Seconds by which deadlines are still to be moved."""
        self._full_since: float | None = None
        self._turns = asyncio.Semaphore(MOST_AT_WORK)
        self._lock = threading.Lock()
        self._drain_queued = False
        self._lazy: asyncio.TimerHandle | None = None
        self._changes = 0
        self._checkpoint: asyncio.TimerHandle | None = None
        self._writing_back: asyncio.Future[None] | None = None
        self._settled = asyncio.Event()
        self._settled.set()
        self._topics: set[str] = set()
        self._told = False
        self._look: asyncio.TimerHandle | None = None
        self._looked_at = self._loop.time() - SHORTEST_LOOK_S
        self._ticker: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Drain what an earlier process left, then follow the store."""
        self.context.store.listen(self._committed)
        await self._writer.run(self._give_back_the_downtime)
        await self._writer.run(self._drain_now)
        self._ticker = asyncio.create_task(self._tick_for_ever(), name="tick")

    async def do(self, fn: Callable[Concatenate[HeadContext, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a use case where the store is used."""

        def run() -> T:
            try:
                self._mind_the_gap()
                return fn(self.context, *args, **kwargs)
            except DiskFull:
                self._cannot_write()
                raise

        async with self._turns:  # else the answers to a flood would lie in memory all at once
            return await self._writer.run(run)

    def hurry(self) -> None:
        """What claims left is looked at before anything that is asked for after this."""
        if self._lazy is not None:
            self._drain_lazily()

    async def settle(self) -> None:
        """Wait for what claims left; for whoever has time."""
        await asyncio.sleep(0)  # a claim of just now says so in the loop's next round
        await self._settled.wait()

    async def aside(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run something slow that needs no store, such as a passkey's hash, without holding up the writer."""
        return await asyncio.to_thread(fn, *args, **kwargs)

    async def wait_for_change(self, topics: str | Iterable[str], seen: int, timeout_s: float) -> int:
        return await self.changes.wait(topics, seen, timeout_s)

    async def until(
        self, topics: Iterable[str], timeout_s: float, ask: Callable[[HeadContext], tuple[bool, T]]
    ) -> T:
        """A long poll: ask again after each change until the answer is final, time is up or we close."""
        names = tuple(topics)
        deadline = self._loop.time() + timeout_s
        while True:
            seen = self.changes.version(*names)
            final, answer = await self.do(ask)
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
        self.changes.close()
        self.stopped.set()

    async def close(self) -> None:
        self.stop()
        if self._ticker is not None:
            self._ticker.cancel()
        for timer in (self._look, self._checkpoint):
            if timer is not None:
                timer.cancel()
        if self._writing_back is not None:
            await self._writing_back
        await asyncio.to_thread(self._writer.close)

    # in the writer, while the store holds its turn: be quick, change nothing

    def _committed(self, committed: Committed) -> None:
        topics = {place_topic(place) for place in committed.places}
        topics.update(task_topic(event.task) for event in committed.events if event.task)
        if committed.events:  # a mark alone, as each heartbeat leaves, has changed nothing yet
            topics |= {EVENTS, LOOK}
        with self._lock:
            self._topics |= topics
        self._changes += 1
        if self._changes == ENOUGH_CHANGES:
            self._call_loop(self._await_quiet)
        if committed.marked:
            self._queue_drain()
        elif committed.marked_lazily:
            self._call_loop(self._be_lazy)
            return  # the news are told after that drain
        self._announce()

    def _announce(self) -> None:
        """Not before a drain that is to come: those who wait would only ask twice, and it would wait for
        their first question."""
        with self._lock:
            wanted = bool(self._topics) and not self._drain_queued and not self._told
            self._told = self._told or wanted
        if wanted:
            self._call_loop(self._bump)

    def _queue_drain(self) -> None:
        with self._lock:
            if self._drain_queued:
                return
            self._drain_queued = True
        if not self.stopped.is_set():
            self._writer.queue(self._drain_now)

    # in the writer, on its own

    def _drain_now(self) -> None:
        with self._lock:
            self._drain_queued = True  # marks that the drain itself leaves are its own affair
        more: bool | None = False
        look_at: float | None
        try:
            self._mind_the_gap()
            more = self._drain(self.context)
            with self.context.store.read() as tx:
                look_at = marks.next_look(tx)
        except DiskFull as full:
            log.warning("drain_waits", why=full.message)
            self._cannot_write()
            look_at = self.context.clock() + WITHOUT_ROOM_S
        except Exception:  # the outermost edge of the drain: it is tried again later
            log.exception("drain_failed")
            look_at = self.context.clock() + AFTER_A_BUG_S
        finally:
            with self._lock:
                self._drain_queued = False
            self._announce()
        if more:
            self._queue_drain()
        else:
            self._call_loop(self._look_at, look_at)

    def _give_back_the_downtime(self) -> None:
        """However short we were away: nobody could speak to us meanwhile, so no deadline ran.

        A clock that was set back meanwhile takes the deadlines along: what was left of each is left."""
        now = self.context.clock()
        gap, self._alive_at, self._alive = now - self._alive_at, now, self._steady()
        if gap:
            self._extend(self.context, gap)
        self._on_tick()

    def _mind_the_gap(self) -> bool:
        """After a suspend or a jump of the clock nobody had the time that seems to have passed.

        True: deadlines were moved, by what the clock went beside time, and by a pause of this process."""
        now, steady = self.context.clock(), self._steady()
        passed, shown = steady - self._alive, now - self._alive_at
        self._alive_at, self._alive = now, steady
        if abs(shown - passed) > JUMP_S:
            self._owed += shown - passed
        if passed - self._interval_s > 2 * self._interval_s:
            self._owed += passed
        # what nobody could write down did not pass either
        gap = self._owed + (0.0 if self._full_since is None else steady - self._full_since)
        if not gap:
            return False
        try:
            self._extend(self.context, gap)
        except DiskFull:
            self._cannot_write()
            return False
        self._on_tick()  # whoever comes after us must not give the same time back once more
        log.warning("clock_gap", gap_s=round(gap, 3))
        self._owed, self._full_since = 0.0, None
        return True

    def _cannot_write(self) -> None:
        if self._full_since is None:
            self._full_since = self._alive

    def _call_loop(self, fn: Callable[..., None], *args: object) -> None:
        try:
            self._loop.call_soon_threadsafe(fn, *args)
        except RuntimeError:  # the loop is closed: nobody is left to be told
            return

    # in a thread of its own

    def _write_back(self) -> None:
        """Else a commit would do it, and whoever reports an end would wait for it."""
        try:
            self.context.store.checkpoint()
        except DiskFull as full:
            log.warning("checkpoint_waits", why=full.message)
        except Exception:  # the outermost edge: the next one does it, or a commit
            log.exception("checkpoint_failed")

    # in the event loop

    def _be_lazy(self) -> None:
        if self._lazy is None and not self.closing:
            self._settled.clear()
            self._lazy = self._loop.call_later(LAZY_S, self._drain_lazily)

    def _drain_lazily(self) -> None:
        self._be_settled()
        self._queue_drain()

    def _be_settled(self) -> None:
        if self._lazy is not None:
            self._lazy.cancel()
            self._lazy = None
        self._settled.set()

    def _await_quiet(self) -> None:
        if not self.closing:
            self._checkpoint = self._loop.call_later(QUIET_S, self._check_quiet, self._changes)

    def _check_quiet(self, changes: int) -> None:
        if changes != self._changes < TOO_MANY_CHANGES:
            self._await_quiet()
            return
        self._changes = 0
        gc.collect(1)  # a fraction of a millisecond, which a report would wait for otherwise
        self._writing_back = self._loop.run_in_executor(None, self._write_back)

    def _bump(self) -> None:
        with self._lock:
            topics, self._topics, self._told = self._topics, set(), False
        self.changes.bump(topics)

    def _look_at(self, look_at: float | None) -> None:
        self._be_settled()  # whatever marked it: a drain looks at everything
        if self._look is not None:
            self._look.cancel()
            self._look = None
        if look_at is None or self.closing:
            return
        due = look_at - self.context.clock()
        rest = self._looked_at + SHORTEST_LOOK_S - self._loop.time()
        self._look = self._loop.call_later(max(due, rest, 0), self._look_now)

    def _look_now(self) -> None:
        self._look = None
        self._looked_at = self._loop.time()
        self._queue_drain()

    async def _tick_for_ever(self) -> None:
        while not self.closing:
            await asyncio.sleep(self._interval_s)
            try:
                self._on_tick()
                await self._writer.run(self._tick)
            except Exception:  # the outermost edge of the ticking loop
                log.exception("tick_failed")

    def _tick(self) -> None:
        if self._mind_the_gap():
            self._drain_now()
