"""User index during a publication: locked as git locks it, and worked on as a copy.

git reads an index before it locks it, so what a person staged in between would be written over. We make the
lock first, have our gits work on a copy, and put the copy in the place of the index at the end. The lock
says whose it is: one that a dead process left is removed without a doubt. A copy that is still there means
that the index was not replaced.
"""

from __future__ import annotations

import os
import shutil
import threading
import uuid
from contextlib import suppress
from pathlib import Path

from toryo import processes
from toryo.steps import step
from toryo.workbench.git.door import layout, locks

_OURS = "toryo"
_holding: set[Path] = set()
_guard = threading.Lock()


class Held:
    """The lock and the copy. Leaving it gives the lock back; the copy stays unless it was used or dropped."""

    def __init__(self, git_dir: Path) -> None:
        self._was_left = was_left(git_dir)
        self._index, self._lock, self._copy = git_dir / "index", _lock(git_dir), _copy(git_dir)
        self.env = {"GIT_INDEX_FILE": str(self._copy)}
        """For the gits that work on the copy."""

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()

    def renew(self) -> None:
        """The copy anew, as the index is. Its time goes along: git tells by it which files it must read."""
        drop_copy(self._copy.parent)
        with suppress(FileNotFoundError):  # a checkout without an index is one with an empty one
            shutil.copy2(self._index, self._copy)

    def put_in_place(self) -> None:
        """What our gits made of the copy is the index from now on, and the lock is gone."""
        with suppress(FileNotFoundError):
            self._copy.replace(self._index)
        step("publish.index")
        self.give_back()

    def drop(self) -> None:
        """The index stays as it is, and nothing was done."""
        if not self._was_left:  # or the next one would not know of it
            drop_copy(self._copy.parent)
        self.give_back()

    def give_back(self) -> None:
        with _guard:
            if self._lock in _holding:
                _holding.discard(self._lock)
                if _is_ours(self._lock):
                    self._lock.unlink(missing_ok=True)


def take(git_dir: Path) -> Held | None:
    """None: another git has the lock. One that a process of ours left when it died is removed before."""
    clear_dead(git_dir)
    lock = _lock(git_dir)
    mark = git_dir / f"{lock.name}.{uuid.uuid4().hex}"
    pid = processes.own_pid()
    try:
        mark.write_text(f"{_OURS} {pid} {processes.start_time(pid)} {processes.boot_id()}\n")
        with _guard:
            os.link(mark, lock)  # there with all it says, or not at all
            _holding.add(lock)
    except FileExistsError:
        return None
    finally:
        mark.unlink(missing_ok=True)
    held = Held(git_dir)
    try:
        held.renew()
    except BaseException:
        held.drop()
        raise
    step("publish.locked")
    return held


def clear_dead(git_dir: Path) -> None:
    """Remove a lock of ours whose process is gone."""
    lock = _lock(git_dir)
    if _is_ours(lock) and not _lives(lock):
        with locks.registration(layout.common_of(git_dir)):  # or a second one would remove the next one's
            if _is_ours(lock) and not _lives(lock):
                lock.unlink(missing_ok=True)


def was_left(git_dir: Path) -> bool:
    """Whether a publication ended before its copy became the index."""
    return _copy(git_dir).exists()


def drop_copy(git_dir: Path) -> None:
    copy = _copy(git_dir)
    for path in (copy, copy.with_name(f"{copy.name}.lock")):
        path.unlink(missing_ok=True)


def _lock(git_dir: Path) -> Path:
    return git_dir / "index.lock"


def _copy(git_dir: Path) -> Path:
    return git_dir / "index.toryo"


def _mark(lock: Path) -> list[str]:
    try:
        with open(lock, "rb") as file:
            return file.read(200).decode("ascii", "replace").split()
    except OSError:
        return []


def _is_ours(lock: Path) -> bool:
    said = _mark(lock)
    return len(said) == 4 and said[0] == _OURS


def _lives(lock: Path) -> bool:
    said = _mark(lock)
    if len(said) != 4 or said[3] != processes.boot_id():
        return False
    if said[1] == str(processes.own_pid()):
        return lock in _holding
    return processes.is_alive(int(said[1]), said[2])
