"""The schedule of drains: one after each change that marked something, and one when a mark falls due.

Who waits for a change is told after the drain that it leads to: told sooner, each would query twice.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import structlog

from toryo.daemon.core.changes import EVENTS, LOOK, Changes, mission_topic, place_topic, task_topic
from toryo.daemon.core.checkpoints import Checkpoints
from toryo.daemon.core.clock_gaps import ClockGaps
from toryo.daemon.core.writers import Writer
from toryo.domain.errors import DiskFull
from toryo.engine.context import HeadContext
from toryo.store.database.engine import Committed
from toryo.store.tables import marks

Drain = Callable[[HeadContext], bool | None]
"""Looks at every marked subject that is due. True: more is left, let waiting calls go first."""

SHORTEST_LOOK_S = 1.0
AFTER_A_BUG_S = 5.0
WITHOUT_ROOM_S = 1.0
MISSION = mission_topic("")

log = structlog.get_logger("toryo.daemon.head")


class Schedule:
    def __init__(
        self,
        context: HeadContext,
        writer: Writer,
        drain: Drain,
        *,
        changes: Changes,
        gaps: ClockGaps,
        checkpoints: Checkpoints,
    ) -> None:
        self._context = context
        self._writer = writer
        self._drain = drain
        self._changes = changes
        self._gaps = gaps
        self._checkpoints = checkpoints
        self._loop = asyncio.get_running_loop()
        self._closing = False
        self._lock = threading.Lock()
        self._drain_queued = False
        self._topics: set[str] = set()
        self._told = False
        self._look: asyncio.TimerHandle | None = None
        self._looked_at = self._loop.time() - SHORTEST_LOOK_S

    def close(self) -> None:
        self._closing = True
        if self._look is not None:
            self._look.cancel()

    @property
    def is_drain_queued(self) -> bool:
        with self._lock:
            return self._drain_queued

    # in the writer, while the store holds its turn: be quick, change nothing

    def committed(self, committed: Committed) -> None:
        topics = {place_topic(place) for place in committed.places}
        topics.update(task_topic(event.task) for event in committed.events if event.task)
        topics.update(event.subject for event in committed.events if event.subject.startswith(MISSION))
        topics.update(mission_topic(mission) for mission in committed.missions)
        if committed.events:  # a mark alone, as each heartbeat leaves, has changed nothing yet
            topics |= {EVENTS, LOOK}
        with self._lock:
            self._topics |= topics
        if self._checkpoints.count():
            self._call_loop(self._checkpoints.await_quiet)
        if committed.marked:
            self._queue_drain()
        self._announce()

    # in the writer, on its own

    def drain_now(self) -> None:
        with self._lock:
            self._drain_queued = True  # marks that the drain itself leaves are its own affair
        more: bool | None = False
        look_at: float | None
        try:
            self._gaps.mind()
            more = self._drain(self._context)
            with self._context.store.read() as tx:
                look_at = marks.next_look(tx)
        except DiskFull as full:
            log.warning("drain_waits", why=full.message)
            self._gaps.cannot_write()
            look_at = self._context.clock() + WITHOUT_ROOM_S
        except Exception:  # the outermost edge of the drain: it is tried again later
            log.exception("drain_failed")
            look_at = self._context.clock() + AFTER_A_BUG_S
        finally:
            with self._lock:
                self._drain_queued = False
            self._announce()
        if more:
            self._queue_drain()
        else:
            self._call_loop(self._look_at, look_at)

    def _announce(self) -> None:
        """Announce after the drain: waking pollers earlier makes each query twice and delays it."""
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
        if not self._closing:
            self._writer.queue(self.drain_now)

    def _call_loop(self, fn: Callable[..., None], *args: object) -> None:
        try:
            self._loop.call_soon_threadsafe(fn, *args)
        except RuntimeError:  # the loop is closed: nobody is left to be told
            return

    # in the event loop

    def _bump(self) -> None:
        with self._lock:
            topics, self._topics, self._told = self._topics, set(), False
        self._changes.bump(topics)

    def _look_at(self, look_at: float | None) -> None:
        if self._look is not None:
            self._look.cancel()
            self._look = None
        if look_at is None or self._closing:
            return
        due = look_at - self._context.clock()
        rest = self._looked_at + SHORTEST_LOOK_S - self._loop.time()
        self._look = self._loop.call_later(max(due, rest, 0), self._look_now)

    def _look_now(self) -> None:
        self._look = None
        self._looked_at = self._loop.time()
        self._queue_drain()
