"""Diffs that were made: the newest one is kept, because it is read page by page."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

LARGEST_KEPT = 64 * 1024 * 1024
"""Bytes."""

Which = tuple[str, str, str, bool]
"""Repository, base, head, whether only its statistics: commits do not change."""


@dataclass
class Diffs:
    _which: Which | None = None
    _text: bytes = b""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, which: Which, make: Callable[[], bytes]) -> bytes:
        with self._lock:
            if self._which == which:
                return self._text
        text = make()
        if len(text) <= LARGEST_KEPT:
            with self._lock:
                self._which, self._text = which, text
        return text
