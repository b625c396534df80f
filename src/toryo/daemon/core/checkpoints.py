"""Checkpoints of SQLite's log, and garbage collection, at quiet moments (ADR 34)."""

from __future__ import annotations

import asyncio
import gc

import structlog

from toryo.domain.errors import DiskFull
from toryo.store.database.engine import Store

ENOUGH_CHANGES, TOO_MANY_CHANGES = 32, 384
"""Since the last checkpoint: worth one at a quiet moment, and at any moment."""
QUIET_S = 0.025

log = structlog.get_logger("toryo.daemon.head")


class Checkpoints:
    """Counted in the writer; everything else in the event loop."""

    def __init__(self, store: Store, loop: asyncio.AbstractEventLoop) -> None:
        self._store = store
        self._loop = loop
        self._closing = False
        self._changes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._writing_back: asyncio.Future[None] | None = None

    def count(self) -> bool:
        """One more change. True: have `await_quiet` called in the event loop."""
        self._changes += 1
        return self._changes == ENOUGH_CHANGES

    def await_quiet(self) -> None:
        if not self._closing:
            self._timer = self._loop.call_later(QUIET_S, self._check_quiet, self._changes)

    async def close(self) -> None:
        self._closing = True
        if self._timer is not None:
            self._timer.cancel()
        if self._writing_back is not None:
            await self._writing_back

    def _check_quiet(self, changes: int) -> None:
        if changes != self._changes < TOO_MANY_CHANGES:
            self.await_quiet()
            return
        self._changes = 0
        gc.collect(1)  # a fraction of a millisecond, which a report would wait for otherwise
        self._writing_back = self._loop.run_in_executor(None, self._write_back)

    def _write_back(self) -> None:
        """In a thread of its own."""
        try:
            self._store.checkpoint()
        except DiskFull as full:
            log.warning("checkpoint_waits", why=full.message)
        except Exception:  # the outermost edge: the next one does it, or a commit
            log.exception("checkpoint_failed")
