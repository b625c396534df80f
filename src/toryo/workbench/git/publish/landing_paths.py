"""Landing paths, and what of the user's stands on them in a checkout. Reads only."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from toryo.protocol.kinds.landing import PublishWaiting
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git

MOST_PATHS = 50
"""A waiting landing names at most so many paths."""
LINK = "120000"
SUBMODULE = "160000"
NOTHING = "000000"
ABSENT = (NOTHING, "")


@dataclass(frozen=True)
class Change:
    """One path of a landing; a side without it has the mode NOTHING."""

    path: str
    old_mode: str
    new_mode: str
    old: str
    new: str

    @property
    def is_submodule(self) -> bool:
        return SUBMODULE in (self.old_mode, self.new_mode)

    @property
    def before(self) -> tuple[str, str]:
        """Mode and blob as an index would hold them; `ABSENT` if it would not."""
        return ABSENT if self.old_mode == NOTHING else (self.old_mode, self.old)

    @property
    def after(self) -> tuple[str, str]:
        return ABSENT if self.new_mode == NOTHING else (self.new_mode, self.new)


class On(Enum):
    """What stands at a path of the disk."""

    NOTHING = "nothing"
    FILE = "file"
    LINK = "link"
    STRANGER = "stranger"


@dataclass(frozen=True)
class Seen:
    on: On
    strangers: tuple[str, ...] = ()
    """Paths outside the landing that stand in the way: below it as a directory, or above it as a file."""


def changes(git: Git, old: str, new: str) -> tuple[Change, ...]:
    fields = git.do("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old, new).split("\0")
    found = []
    for about, path in zip(fields[::2], fields[1::2], strict=False):
        old_mode, new_mode, old_blob, new_blob, _ = about.lstrip(":").split(" ")
        found.append(Change(path, old_mode, new_mode, old_blob, new_blob))
    return tuple(found)


def overlap(git: Git, landing: tuple[Change, ...], same: Collection[str] = ()) -> PublishWaiting | None:
    """What a fast-forward would meet of the user's on the landing's own paths; None if nothing.

    `same`: paths that hold the landing's content already, and are no hindrance."""
    touched, unmerged = touched_and_unmerged(git)
    if unmerged:
        return waiting("merge", git.where, unmerged)
    dirty = [change.path for change in landing if change.path in touched and change.path not in same]
    paths = {change.path for change in landing}
    strangers: list[str] = []
    for change in landing:
        if change.is_submodule or change.new_mode == NOTHING or change.path in touched:
            continue
        seen = look(git.where, change.path, paths)
        strangers += seen.strangers
        if change.old_mode == NOTHING and seen.on in (On.FILE, On.LINK) and change.path not in same:
            strangers.append(change.path)
    if not dirty and not strangers:
        return None
    ignored = _ignored(git, strangers)
    why = "dirty" if dirty else "ignored" if set(strangers) <= ignored else "untracked"
    return waiting(why, git.where, [*dirty, *strangers])


def waiting(why: str, checkout: Path | None, paths: Iterable[str] = ()) -> PublishWaiting:
    named = tuple(sorted({layout.shown(path) for path in paths})[:MOST_PATHS])
    return PublishWaiting(why=why, paths=named, checkout=layout.shown(str(checkout)) if checkout else "")


def look(root: Path, path: str, landing: set[str]) -> Seen:
    """What stands at a path, without following symbolic links on the way to it."""
    parts = path.split("/")
    for depth in range(1, len(parts)):
        above = "/".join(parts[:depth])
        mode = _mode(root / above)
        if mode is None:
            return Seen(On.NOTHING)
        if not stat.S_ISDIR(mode):
            # a file that the landing turns into a directory is judged at its own path
            return Seen(On.NOTHING) if above in landing else Seen(On.STRANGER, (above,))
    mode = _mode(root / path)
    if mode is None:
        return Seen(On.NOTHING)
    if stat.S_ISREG(mode):
        return Seen(On.FILE)
    if stat.S_ISLNK(mode):
        return Seen(On.LINK)
    if not stat.S_ISDIR(mode):
        return Seen(On.STRANGER, (path,))
    strangers = tuple(sorted(name for name in _below(root, path) if name not in landing))
    return Seen(On.STRANGER, strangers) if strangers else Seen(On.NOTHING)


def _mode(place: Path) -> int | None:
    try:
        return place.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _below(root: Path, path: str) -> Iterator[str]:
    for folder, folders, files in os.walk(root / path):
        inside = Path(folder).relative_to(root)
        links = [name for name in folders if (root / inside / name).is_symlink()]
        yield from (str(inside / name) for name in (*files, *links))


def touched_and_unmerged(git: Git) -> tuple[set[str], list[str]]:
    """Tracked paths that differ between HEAD, index and disk; and those in conflict."""
    touched: set[str] = set()
    unmerged: list[str] = []
    answer = git.do(
        "status", "--porcelain=v2", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=all"
    )
    for line in answer.split("\0"):
        if line.startswith("1 "):
            touched.add(line.split(" ", 8)[8])
        elif line.startswith("u "):
            unmerged.append(line.split(" ", 10)[10])
    return touched, unmerged


def _ignored(git: Git, paths: list[str]) -> set[str]:
    if not paths:
        return set()
    asked = "\0".join(paths).encode("utf-8", "surrogateescape")
    return set(git.run("check-ignore", "-z", "--stdin", stdin=asked).text.split("\0")) - {""}
