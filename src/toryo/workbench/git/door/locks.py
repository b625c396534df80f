"""File locks between coordinators: around worktree registration, and around Toryo's own benches."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from toryo.domain.errors import Hindered

PATIENCE_S = 20.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.002, 0.05


class LockHeld(Hindered):
    """Another process holds a lock, and does not give it back: perhaps it is stopped."""


@contextmanager
def registration(common_dir: Path) -> Iterator[None]:
    """Hold while worktrees of this repository are registered, moved or enumerated: in git 2.39 these race.

    `common_dir` is the repository's git directory, the one its linked worktrees share. Not re-entrant."""
    with held(common_dir / "toryo" / "registration.lock"):
        yield


@contextmanager
def held(path: Path, keep_waiting: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """An exclusive flock on the file, which is made if it is not there and never removed.

    Whoever holds it and is stopped cannot be told from one that works: it keeps it, but nobody waits for it
    without a word."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    end, pause = time.monotonic() + PATIENCE_S, _FIRST_PAUSE_S
    try:
        while not _taken(handle):
            if time.monotonic() > end or not keep_waiting():
                raise _held_by(path, _holder(handle))
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)
        yield
    finally:
        os.close(handle)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(handle: int) -> str:
    """The pid, where the kernel says so: `1: FLOCK ADVISORY WRITE 807 fe:00:2344153 0 EOF`."""
    inode = str(os.fstat(handle).st_ino)
    try:
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return ""
    for words in map(str.split, lines):
        if words[1] == "FLOCK" and words[5].rpartition(":")[2] == inode:
            return words[4]
    return ""


def _held_by(path: Path, pid: str) -> LockHeld:
    who = f"The process {pid}" if pid else "Another process"
    hint = f"kill -CONT {pid}" if pid else f"fuser -v {path}"
    return LockHeld(f"{who} has held {path} for a while: perhaps it is stopped.", hint=hint)
