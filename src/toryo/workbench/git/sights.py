"""What git said of a checkout, for as long as the file system says that nothing in it changed since.

A `git status` costs a launch as much as the checkout of twenty files. Where a checkout is small, the times of
its files are read faster than git starts; where all of them are as they were, so is git's answer (ADR 32).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toryo import settings
from toryo.clock import wall
from toryo.workbench.git import places, status
from toryo.workbench.git.door import Git

MOST_ENTRIES = 500
"""Files and folders; beyond that git is as fast."""
RACY_S = 0.1
"""What changed so short before a look may change again within one tick of the file system's clock."""

_OURS = frozenset({".git", ".worktrees", ".aiagent/logs", ".aiagent/agents"})
"""Not in git, and touched by every run."""
_OWN = ("HEAD", "index", "config.worktree", "info/sparse-checkout")
_SHARED = ("config", "info/exclude", "info/attributes", "packed-refs", "reftable/tables.list")
_OF_USER = ("config", "ignore", "attributes")

Stamp = tuple[tuple[object, ...], ...]


class CannotTell(Exception):
    """The times of its files do not say whether git would answer the same."""


@dataclass(frozen=True)
class Sight:
    stamp: Stamp
    status: status.Status


_lock = threading.Lock()
_known: dict[str, Sight] = {}
_large: set[str] = set()
"""Checkouts that were too large once: they are not walked again and again to find that out."""


class Reading:
    """A status that was begun, or is known already; whoever begins it finishes it."""

    def __init__(self, root: Path, git_dir: Path, common: Path) -> None:
        self._root = str(root)
        try:
            self._stamp = None if self._root in _large else stamp(self._root, git_dir, common)
        except (CannotTell, OSError):
            self._stamp = None
        known = _known.get(self._root)
        self._known = known.status if known is not None and known.stamp == self._stamp else None
        self._begun = status.begin(Git(root)) if self._known is None else None

    @property
    def asks_git(self) -> bool:
        return self._begun is not None

    def finish(self) -> status.Status:
        if self._begun is None:
            assert self._known is not None
            return self._known
        seen = self._begun.finish()
        with _lock:
            _known.pop(self._root, None)
            if self._stamp is not None:  # of before git looked: a change in between is another stamp
                _known[self._root] = Sight(self._stamp, seen)
        return seen


def stamp(root: str, git_dir: Path, common: Path) -> Stamp:
    """Another one as soon as anything changed that git would look at."""
    found: list[tuple[object, ...]] = []
    newest = 0
    for path, seen in (*_rules(git_dir, common), *_walk(root)):
        if seen is None:
            found.append((path,))
            continue
        found.append((path, seen.st_mode, seen.st_size, seen.st_ino, seen.st_mtime_ns, seen.st_ctime_ns))
        newest = max(newest, seen.st_ctime_ns)
    if newest > (wall() - RACY_S) * 1e9:
        raise CannotTell
    return tuple(found)


def _rules(git_dir: Path, common: Path) -> Iterator[tuple[str, os.stat_result | None]]:
    """The files beside the checkout that change git's answer."""
    outer = settings.environment()
    home = outer.get("HOME", "")
    of_user = outer.get("XDG_CONFIG_HOME") or f"{home}/.config"
    names = [f"{git_dir}/{name}" for name in _OWN]
    names += [f"{common}/{name}" for name in (*_SHARED, places.read(git_dir / "HEAD").removeprefix("ref: "))]
    names += [f"{of_user}/git/{name}" for name in _OF_USER]
    for name in (*names, f"{home}/.gitconfig", "/etc/gitconfig"):
        try:
            yield name, os.stat(name)  # noqa: PTH116 — a Path costs more than the call
        except OSError:
            yield name, None


def _walk(root: str) -> Iterator[tuple[str, os.stat_result]]:
    folders, count = [""], 0
    while folders:
        folder = folders.pop()
        with os.scandir(f"{root}/{folder}") as entries:
            for entry in entries:
                name = f"{folder}{entry.name}"
                if name in _OURS:
                    continue
                if entry.name in (".git", ".gitmodules"):
                    raise CannotTell  # a repository of its own has more to tell than its files
                yield name, entry.stat(follow_symlinks=False)
                count += 1
                if count > MOST_ENTRIES:
                    _large.add(root)
                    raise CannotTell
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{name}/")
