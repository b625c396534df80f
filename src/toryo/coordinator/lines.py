"""Connections to the daemon that any thread may borrow for one question: a new one costs a millisecond."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from toryo.coordinator.calls import Daemon
from toryo.protocol.wire import WireError

T = TypeVar("T")

MOST = 4


class Lines:
    def __init__(self, daemon: Callable[[], Daemon]) -> None:
        self._daemon = daemon
        self._free: list[Daemon] = []
        self._closed = False

    def ask(self, question: Callable[[Daemon], T]) -> T:
        """Over a line that is free, or a new one; a line that broke while nobody used it is no failure."""
        try:
            line = self._free.pop()
        except IndexError:
            return self._ask(self._daemon(), question)
        try:
            return self._ask(line, question)
        except WireError:
            return self._ask(self._daemon(), question)

    def close(self) -> None:
        self._closed = True
        while self._free:
            self._free.pop().close()

    def _ask(self, line: Daemon, question: Callable[[Daemon], T]) -> T:
        try:
            answer = question(line)
        except BaseException:
            line.close()
            raise
        if len(self._free) < MOST and not self._closed:
            self._free.append(line)
        else:
            line.close()
        return answer
