"""Fingerprint prefetch, begun ahead of the runs it is for: git reads while the daemon decides.

What a look sees is the fingerprint's; whether it is young enough to be a run's beginning is said here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from toryo.domain.errors import ToryoError
from toryo.processes import TimeLimit
from toryo.workbench.git.keep import fingerprint

FRESH_S = 1.0
"""What a person changed since an older look would be taken for the run's own doing."""

_Look = tuple[float, str, Future[dict[str, Any]]]


class FingerprintPrefetch:
    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._hands = ThreadPoolExecutor(2, thread_name_prefix="look")
        self._coming: list[_Look] = []

    def begin(self, repo: str) -> None:
        """A run of that repository may be about to begin."""
        if repo:
            coming = self._hands.submit(fingerprint.take, repo, "")
            self._coming = [*self._fresh(), (self._clock(), repo, coming)]

    def take(self, repo: str) -> dict[str, Any] | None:
        """A fresh one, for one run; None: there is none, or it failed."""
        for look in reversed(self._fresh()):
            if look[1] == repo:
                self._coming = [one for one in self._coming if one is not look]
                try:
                    return look[2].result()
                except (ToryoError, OSError, TimeLimit):
                    return None  # the fingerprint that is taken instead fails with the reason
        return None

    def _fresh(self) -> list[_Look]:
        now = self._clock()
        return [look for look in self._coming if now - look[0] < FRESH_S]
