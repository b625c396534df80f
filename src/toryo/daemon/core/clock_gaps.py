"""Clock gaps: after a sleep of the machine, or a clock that was set, every deadline is moved along."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from toryo.domain.errors import DiskFull
from toryo.engine.context import HeadContext

Extend = Callable[[HeadContext, float], None]
"""Moves every deadline by that many seconds."""

JUMP_S = 2.0
"""A clock that went so much more or less than time did was set, or the machine slept."""

log = structlog.get_logger("toryo.daemon.head")


class ClockGaps:
    """Used in the writer alone."""

    def __init__(
        self,
        context: HeadContext,
        extend: Extend,
        *,
        interval_s: float,
        alive_at: float | None,
        on_tick: Callable[[], None],
        steady: Callable[[], float],
    ) -> None:
        self._context = context
        self._extend = extend
        self._interval_s = interval_s
        self._on_tick = on_tick
        self._steady = steady
        self._alive_at = context.clock() if alive_at is None else alive_at
        self._alive = steady()
        self._owed = 0.0
        """Seconds by which deadlines are still to be moved."""
        self._full_since: float | None = None

    def give_back_the_downtime(self) -> None:
        """However short we were away: nobody could speak to us meanwhile, so no deadline ran.

        A clock that was set back meanwhile takes the deadlines along: what was left of each is left."""
        now = self._context.clock()
        gap, self._alive_at, self._alive = now - self._alive_at, now, self._steady()
        if gap:
            self._extend(self._context, gap)
        self._on_tick()

    def mind(self) -> bool:
        """After a suspend or a jump of the clock nobody had the time that seems to have passed.

        True: deadlines were moved, by what the clock went beside time, and by a pause of this process."""
        now, steady = self._context.clock(), self._steady()
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
            self._extend(self._context, gap)
        except DiskFull:
            self.cannot_write()
            return False
        self._on_tick()  # whoever comes after us must not give the same time back once more
        log.warning("clock_gap", gap_s=round(gap, 3))
        self._owed, self._full_since = 0.0, None
        return True

    def cannot_write(self) -> None:
        """The disk is full: until it is not, no deadline runs."""
        if self._full_since is None:
            self._full_since = self._alive
