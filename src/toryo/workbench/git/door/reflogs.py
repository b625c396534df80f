"""Reflogs: who moved a branch, as far as they tell; Toryo's own moves carry its name.

A person and an agent have the same name. What is no move of ours is taken for a person's, unless the branch
was put on the run's own commits from outside every checkout of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import EMAIL, Git

MOST_MOVES = 50
SWITCH = "checkout: "
_LINE = re.compile(r"^([0-9a-f]+) ([0-9a-f]+) .*<([^>]*)> \d+ [-+]\d+(?:\t(.*))?$")


@dataclass(frozen=True)
class Move:
    old: str
    new: str
    words: str
    """What git noted, as `commit: …` or `reset: …`."""

    def makes(self, branch: str, commit: str) -> bool:
        """Whether it may have put that branch there; a switch only the branch that it names."""
        is_elsewhere = self.words.startswith(SWITCH) and not self.words.endswith(f" to {branch}")
        return self.new == commit and not is_elsewhere


def moves_of_people(common: Path, ref: str, since: str) -> list[Move]:
    """The moves after the branch was last at that commit that are not ours."""
    found: list[Move] = []
    for line in reversed(layout.read(common / "logs" / ref).splitlines()):
        entry = _LINE.match(line)
        if entry is None or entry[2] == since:
            break
        if entry[3] != EMAIL:
            found.append(Move(entry[1], entry[2], entry[4] or ""))
        if entry[1] == since:
            break
    return found


def sizes(common: Path) -> dict[str, int]:
    """How long the logs of the user's checkouts are, by the names of their folders; the main one has none."""
    return {_name(common, log): _size(log) for log in _logs_of_checkouts(common)}


def moves_since(common: Path, known: Mapping[str, int], *, of_main: bool = False) -> list[Move]:
    """What was done in checkouts of the user's since their logs had those sizes, and not by us; a log that
    was cut meanwhile tells nothing."""
    found: list[Move] = []
    for log in _logs_of_checkouts(common):
        name = _name(common, log)
        if name not in known or (of_main and name):
            continue
        for line in _read_from(log, known[name]):
            entry = _LINE.match(line)
            if entry is not None and entry[3] != EMAIL:
                found.append(Move(entry[1], entry[2], entry[4] or ""))
    return found


def _read_from(log: Path, size: int) -> list[str]:
    if _size(log) < size:
        return []
    try:
        with open(log, "rb") as file:
            file.seek(size)
            return file.read().decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []


def _size(log: Path) -> int:
    try:
        return log.stat().st_size
    except OSError:
        return 0


def _name(common: Path, log: Path) -> str:
    admin = log.parent.parent
    return "" if admin == common else admin.name


def is_by_the_run(common: Path, git: Git, own: str, base: str, old: str, new: str) -> bool:
    """Whether the run put a target on its own commits: `own` is its branch, begun at `base`."""
    head = git.commit_of(layout.head_ref(own))
    if not head or any(new in layout.commits_in(log) for log in _logs_of_checkouts(common)):
        return False
    shared = git.run("merge-base", head, new).text.strip()
    return bool(shared) and not any(git.is_ancestor(shared, other) for other in (base, old) if other)


@dataclass(frozen=True)
class Excused:
    paths: frozenset[str] = frozenset()
    whatever_is_clean: bool = False
    """`reset --hard` takes edits of any file along."""

    def covers(self, path: str, status: str) -> bool:
        if path in self.paths or (self.whatever_is_clean and not status):
            return True
        return path.endswith("/") and any(one.startswith(path) for one in self.paths)


def excused_by(moves: list[Move], git: Git) -> Excused:
    """What a person's moves did to the files of the checkout where they made them."""
    paths: set[str] = set()
    for move in moves[:MOST_MOVES]:
        listed = git.run("diff", "--name-only", "--no-renames", "-z", move.old, move.new, "--")
        paths.update(layout.shown(path) for path in listed.text.split("\0") if path)
    return Excused(frozenset(paths), any(move.words.startswith("reset:") for move in moves))


def _logs_of_checkouts(common: Path) -> list[Path]:
    """Of the user's own; those of our worktrees are the agents'."""
    admins = [admin for admin in layout.admin_dirs(common) if not layout.lock_holder(admin)]
    return [folder / "logs" / "HEAD" for folder in (common, *admins)]
