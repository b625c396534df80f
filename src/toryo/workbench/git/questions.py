"""Small questions to git, answered by one process per repository that stays: a process for each costs 2 ms.

Off until a process that lives long asks for it (`stay`); an answer that says "missing", and any trouble, is
left to a git of its own. Which questions there are is the door's to say.
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

MOST = 8
IDLE_S = 60.0
LIMIT_S = 30.0
WORDS = ("cat-file", "--batch-check=%(objectname)")

Key = tuple[str, tuple[tuple[str, str], ...], tuple[tuple[int, int], ...]]
"""Where, with which environment, and which directories these are: another repository may stand there now."""


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
        key: Key | None = None
        try:
            key = (where, tuple(sorted(env.items())), _identity(where))
            talk = self._talk(key, argv)
            with talk.turn:
                talk.used_at = time.monotonic()
                answer = talk.conversation.ask(expression.encode("utf-8", "surrogateescape"), LIMIT_S)
        except (OSError, TimeLimit):
            if key is not None:
                self._hang_up(key)
            return None
        said = answer.decode("utf-8", "surrogateescape")
        if said == f"{expression} missing":
            return ""
        return said if len(said) in (40, 64) and set(said) <= set("0123456789abcdef") else None

    def rest(self, idle_s: float = IDLE_S) -> None:
        """End those that nobody asked for a while."""
        now = time.monotonic()
        for key, talk in list(self._open.items()):
            if now - talk.used_at >= idle_s:
                self._hang_up(key)

    def _talk(self, key: Key, argv: Sequence[str]) -> _Talk:
        with self._lock:
            found = self._open.get(key)
            if found is None:
                found = _Talk(processes.Conversation(argv, key[0], dict(key[1])), used_at=time.monotonic())
                self._open[key] = found
            crowded = sorted(self._open, key=lambda one: self._open[one].used_at)[: len(self._open) - MOST]
        for old in crowded:
            self._hang_up(old)
        return found

    def _hang_up(self, key: Key) -> None:
        with self._lock:
            talk = self._open.pop(key, None)
        if talk is not None:
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
