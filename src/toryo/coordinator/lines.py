"""Connections to the daemon that any thread may borrow for one question: a new one costs a millisecond."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from toryo.coordinator.calls import Daemon
from toryo.protocol.wire import WireError

T = TypeVar("T")

MOST = 4


class Lines:
    def __init__(self, daemon: Callable[[], Daemon]) -> None:
        self._daemon = daemon
        self._free: list[Daemon] = []
        self._lent: list[Daemon] = []
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

    def borrow(self) -> Daemon:
        """For a question whose answer is heard later; to be given back."""
        try:
            line = self._free.pop()
        except IndexError:
            line = self._daemon()
        self._lent.append(line)
        return line

    def give_back(self, line: Daemon) -> None:
        """One that has heard its answer, or was closed."""
        with suppress(ValueError):  # of all lines, only some were lent
            self._lent.remove(line)
        if len(self._free) < MOST and not self._closed:
            self._free.append(line)
        else:
            line.close()

    def close(self) -> None:
        self._closed = True
        for lines in (self._free, self._lent):
            while lines:
                lines.pop().close()

    def _ask(self, line: Daemon, question: Callable[[Daemon], T]) -> T:
        try:
            answer = question(line)
        except BaseException:
            line.close()
            raise
        self.give_back(line)
        return answer
