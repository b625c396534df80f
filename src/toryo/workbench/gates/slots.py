"""Gate slots: who holds one, what it is made of on disk, and how a spent one is put aside.

A slot is `{gates}/{project}/{number}/` with the checkout and, outside it, the check's HOME and TMPDIR and our
own git directory. What a commit looks like in there is `checkout`'s.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from toryo.domain.errors import ToryoError
from toryo.workbench.gates import commands

_FIRST_PAUSE_S = 0.02
_LONGEST_PAUSE_S = 0.5


class NoSlot(ToryoError):
    """Nobody waits for a gate slot any more."""

    way_out = "`toryo up` takes the check up again."


@dataclass(frozen=True)
class Slot:
    path: Path

    @property
    def checkout(self) -> Path:
        return self.path / "checkout"

    @property
    def git_dir(self) -> Path:
        """Ours alone: what a check does to the `.git` in its checkout cannot reach the next gate."""
        return self.path / "git"

    @property
    def home(self) -> Path:
        return self.path / "home"

    @property
    def tmp(self) -> Path:
        return self.path / "tmp"

    @property
    def setup_key(self) -> str:
        """The key whose set-up ended well here; empty where there is none."""
        try:
            return (self.git_dir / "setup-key").read_text().strip()
        except OSError:
            return ""

    def mark_set_up(self, key: str) -> None:
        (self.git_dir / "setup-key").write_text(key + "\n")

    def occupy(self, run_dir: Path) -> None:
        """Say which run is about to work here: it outlives a coordinator that is killed, and its flock."""
        half = self._occupant.with_name(f"{self._occupant.name}.{secrets.token_hex(6)}")
        half.write_text(str(run_dir))
        half.replace(self._occupant)  # a half name, as a full disk leaves it, would be another run's

    def vacate(self) -> None:
        """The run that was named has ended, and in order."""
        self._occupant.unlink(missing_ok=True)

    def is_free(self) -> bool:
        """Asked by the holder of the flock: what an occupant of unknown end left here is put aside."""
        try:
            run_dir = Path(self._occupant.read_text())
        except OSError:
            return True
        if commands.may_be_running(run_dir):
            return False
        if not commands.left_a_record(run_dir):
            self.set_aside()
        self.vacate()
        return True

    @property
    def _occupant(self) -> Path:
        return self.path.with_name(f"{self.path.name}.occupant")

    def set_aside(self, part: Path | None = None) -> None:
        """Out of the way at once, whatever its state; deleted when the slot is given back."""
        old = part or self.path
        trash = self.path.parent / "trash"
        trash.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):
            old.rename(trash / f"{self.path.name}-{secrets.token_hex(6)}")


@contextmanager
def acquire(
    gates_root: Path,
    project: str,
    limit: int = 1,
    *,
    prefer: str = "",
    keep_waiting: Callable[[], bool] | None = None,
) -> Iterator[Slot]:
    """Hold one of the project's `limit` slots, if possible one that was set up for the key `prefer`."""
    folder = gates_root.absolute() / project
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    slots = [Slot(folder / str(number)) for number in range(1, limit + 1)]
    pause = _FIRST_PAUSE_S
    while (held := _take(_in_order(slots, prefer))) is None:
        if keep_waiting is not None and not keep_waiting():
            raise NoSlot
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_S)
    slot, handle = held
    try:
        slot.path.mkdir(mode=0o700, exist_ok=True)
        yield slot
    finally:
        _empty(folder / "trash")
        # closing gives the lock back; the file stays, or two holders could have two files
        os.close(handle)


def _in_order(slots: list[Slot], prefer: str) -> list[Slot]:
    """One that was set up for this key, then an empty one: another key's set-up is the last to be spent."""
    keys = {slot: slot.setup_key for slot in slots}
    return sorted(
        slots, key=lambda slot: (keys[slot] != prefer, keys[slot] != "") if prefer else (False, False)
    )


def _take(slots: list[Slot]) -> tuple[Slot, int] | None:
    for slot in slots:
        handle = os.open(
            slot.path.with_name(f"{slot.path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            continue
        if slot.is_free():
            return slot, handle
        os.close(handle)
    return None


def _empty(trash: Path) -> None:
    if not trash.is_dir():
        return
    for old in trash.iterdir():
        if not old.is_symlink() and old.is_dir():
            # module caches are written read-only
            for folder, _, _ in os.walk(old):
                with suppress(OSError):
                    Path(folder).chmod(0o700)
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.unlink(missing_ok=True)
