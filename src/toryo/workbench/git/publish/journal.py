"""Publish journal of a checkout: what was begun, by which git, for recovery after a crash."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from toryo import processes


@dataclass(frozen=True)
class Entry:
    checkout: str
    ref: str
    old: str
    new: str
    pid: int
    started: str
    boot: str
    orig_head: str = ""
    """What the user's ORIG_HEAD held, which git's merge sets anew; empty if there was none."""
    same: tuple[str, ...] = ()
    """The user's own files that held the new content before: ours are the others."""
    at_ns: int = 0
    """When it was written, by the clock of files: comparable with a lock's time."""

    def git_lives(self) -> bool:
        """Whether the entry's git still runs: a pid counts only on its boot and with its start time."""
        return self.boot == processes.boot_id() and processes.is_alive(self.pid, self.started)


def write(path: Path, entry: Entry) -> None:
    """Durable before it returns, and whole or not there at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    with open(fresh, "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump(asdict(entry), file, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read(path: Path) -> Entry | None:
    """The entry of an attempt that did not come to its end; None if there is none that can be read."""
    try:
        text = path.read_text("utf-8", "surrogateescape")
        fields = json.loads(text) | {"at_ns": path.stat().st_mtime_ns}
        return Entry(**fields)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):
        # written whole or not at all: whatever this is, it is no attempt of ours
        return None


def clear(path: Path) -> None:
    path.unlink(missing_ok=True)
