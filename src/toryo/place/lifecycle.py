"""Lifecycle flags of this process, shared by all threads: it acts, only observes, or ends."""

from __future__ import annotations

import logging
import threading

log = logging.getLogger(__name__)


class Lifecycle:
    def __init__(self) -> None:
        self.wake = threading.Event()
        """Set: look now instead of at the next interval."""
        self._ending = threading.Event()
        self._superseded = threading.Event()

    @property
    def superseded(self) -> bool:
        return self._superseded.is_set()

    @property
    def ending(self) -> bool:
        return self._ending.is_set()

    @property
    def may_act(self) -> bool:
        return not self.superseded and not self.ending

    def supersede(self) -> None:
        if not self._superseded.is_set():
            log.warning("Superseded by another process of this name: from now on only observing")
            self._superseded.set()
            self.wake.set()

    def end(self) -> None:
        """Leave; what was begun in other processes goes on."""
        self._ending.set()
        self.wake.set()

    def rest(self, seconds: float) -> bool:
        """Until woken, at most this long; whether it was woken."""
        woken = self.wake.wait(seconds)
        self.wake.clear()
        return woken

    def pause(self, seconds: float) -> None:
        """For the side threads: this long, shorter only if the process ends."""
        self._ending.wait(seconds)
