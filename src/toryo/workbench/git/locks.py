"""File locks between coordinators: around worktree registration, and around Toryo's own benches."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def registration(common_dir: Path) -> Iterator[None]:
    """Hold while worktrees of this repository are registered, moved or enumerated: in git 2.39 these race.

    `common_dir` is the repository's git directory, the one its linked worktrees share. Not re-entrant."""
    with held(common_dir / "toryo" / "registration.lock"):
        yield


@contextmanager
def held(path: Path) -> Iterator[None]:
    """An exclusive flock on the file, which is made if it is not there and never removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
