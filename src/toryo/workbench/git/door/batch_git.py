"""Batch git: long-lived `cat-file` and `update-ref` processes per repository; each call saves 2 ms.

Off until a process that lives long asks for it (`stay`); an answer that says "missing" or "no", and any
trouble, is left to a git of its own. Which questions there are is the door's to say.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from toryo import processes
from toryo.processes import TimeLimit

MOST = 16
IDLE_S = 60.0
LIMIT_S = 30.0
WORDS = ("cat-file", "--batch-check=%(objectname)")
MOVES = ("update-ref", "-m", "toryo", "--stdin")

Key = tuple[str, str, tuple[tuple[str, str], ...], tuple[tuple[int, int], ...]]
"""What for, where, with which environment, and which directories these are: another repository may stand
there now."""


@dataclass
class _Talk:
    conversation: processes.Conversation
    turn: threading.Lock = field(default_factory=threading.Lock)
    used_at: float = 0.0


class _Talks:
    def __init__(self) -> None:
        self.on = False
        self._lock = threading.Lock()
        self._open: dict[Key, _Talk] = {}

    def ask(self, where: str, env: Mapping[str, str], argv: Sequence[str], expression: str) -> str | None:
        """The object's id; empty: it is not there; None: nobody could say."""
        if not self.on or "\n" in expression:
            return None
        said = self._converse("ask", where, env, argv, (expression,))
        if said == f"{expression} missing":
            return ""
        return said if said and len(said) in (40, 64) and set(said) <= set("0123456789abcdef") else None

    def move(self, where: str, env: Mapping[str, str], argv: Sequence[str], update: str) -> bool:
        """Whether the transaction was committed; a git that refuses one ends, and the next is another."""
        if not self.on or "\n" in update:
            return False
        # without its `commit` a transaction is dropped: a crash in between leaves nothing
        return self._converse("move", where, env, argv, ("start", f"{update}\ncommit")) == "commit: ok"

    def _converse(
        self, what: str, where: str, env: Mapping[str, str], argv: Sequence[str], lines: Sequence[str]
    ) -> str | None:
        """The answer to the last line; None: it is of no use any more."""
        talk: _Talk | None = None
        said = ""
        try:
            key = (what, where, tuple(sorted(env.items())), _identity(where))
            talk = self._talk(key, argv)
            with talk.turn:
                talk.used_at = time.monotonic()
                for line in lines:
                    answer = talk.conversation.ask(line.encode("utf-8", "surrogateescape"), LIMIT_S)
                    said = answer.decode("utf-8", "surrogateescape")
        except (OSError, TimeLimit):
            if talk is not None:
                self._hang_up(key, talk)
            return None
        return said

    def rest(self, idle_s: float = IDLE_S) -> None:
        """End those that nobody asked for a while."""
        now = time.monotonic()
        for key, talk in list(self._open.items()):
            if now - talk.used_at >= idle_s:
                self._hang_up(key, talk)

    def _talk(self, key: Key, argv: Sequence[str]) -> _Talk:
        with self._lock:
            found = self._open.get(key)
            if found is None:
                found = _Talk(processes.Conversation(argv, key[1], dict(key[2])), used_at=time.monotonic())
                self._open[key] = found
            crowded = sorted(self._open.items(), key=lambda one: one[1].used_at)[: len(self._open) - MOST]
        for old in crowded:
            self._hang_up(*old)
        return found

    def _hang_up(self, key: Key, talk: _Talk) -> None:
        with self._lock:
            if self._open.get(key) is talk:  # and not the next one, which another asker has begun
                del self._open[key]
        with talk.turn:
            talk.conversation.close()


def _identity(where: str) -> tuple[tuple[int, int], ...]:
    found = []
    for path in (where, f"{where}/.git"):
        with suppress(FileNotFoundError):
            seen = Path(path).stat()
            found.append((seen.st_dev, seen.st_ino))
    return tuple(found)


TALKS = _Talks()


def stay() -> None:
    """This process lives long: keep gits that answer."""
    TALKS.on = True


def leave() -> None:
    TALKS.on = False
    TALKS.rest(0)
