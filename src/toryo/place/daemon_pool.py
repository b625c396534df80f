"""Connection pool to the daemon, for one question of any thread: a new connection costs a millisecond."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from toryo.place.daemon_client import Daemon
from toryo.protocol.wire import WireError

D = TypeVar("D", bound=Daemon)
T = TypeVar("T")

MOST = 4


class DaemonPool(Generic[D]):
    def __init__(self, daemon: Callable[[], D]) -> None:
        self._daemon = daemon
        self._free: list[D] = []
        self._lent: list[D] = []
        self._closed = False

    def ask(self, question: Callable[[D], T]) -> T:
        """On a free connection or a new one. An idle connection may be stale: retry once on a new one."""
        try:
            line = self._free.pop()
        except IndexError:
            return self._ask(self._daemon(), question)
        try:
            return self._ask(line, question)
        except WireError:
            return self._ask(self._daemon(), question)

    def borrow(self) -> D:
        """For a question whose answer is heard later; to be given back."""
        try:
            line = self._free.pop()
        except IndexError:
            line = self._daemon()
        self._lent.append(line)
        return line

    def give_back(self, line: D) -> None:
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

    def _ask(self, line: D, question: Callable[[D], T]) -> T:
        try:
            answer = question(line)
        except BaseException:
            line.close()
            raise
        self.give_back(line)
        return answer
