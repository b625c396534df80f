"""Reachability: which commits would be lost because no ref reaches them.

A repository keeps two refs or more of every run for ever. So the few that a run made are asked first; only
what those do not reach is asked of all.
"""

from __future__ import annotations

from collections.abc import Iterable

from toryo.workbench.git.door.git import Git

TIPS = "refs/toryo/tips"
SNAPSHOTS = "refs/toryo/snapshots"
KEPT = "refs/toryo/kept"

_ALL = ("--not", "--glob=refs/*")


def lost(git: Git, commits: Iterable[str], run: str) -> list[str]:
    """Those of the commits that no ref reaches. All of them must be there."""
    given = tuple(commits)
    if not given:
        return []
    wanted = git.do("rev-list", "--no-walk", *given, "--").split("\n")
    for known in _asked(git, run):
        left = set(git.do("rev-list", *given, *known, "--").split("\n"))
        wanted = [commit for commit in wanted if commit in left]
        if not wanted:
            break
    return wanted


def newest_lost(git: Git, commits: list[str], run: str) -> list[str]:
    """Of the commits that no ref reaches, those that no other of them reaches. Some may not be there."""
    found = commits
    for known in _asked(git, run):
        found = newest_beyond(git, commits, known)
        if not found:
            break
    return found


def newest_beyond(git: Git, commits: list[str], known: Iterable[str]) -> list[str]:
    """Of the commits that `known` does not reach, those that no other of them reaches."""
    if not commits:
        return []
    argv = ("rev-list", "--ignore-missing", "--parents", "--stdin", *known)
    text = git.do(*argv, stdin="\n".join([*commits, ""]).encode())
    lines = [line.split(" ") for line in text.split("\n") if line]
    below = {parent for line in lines for parent in line[1:]}
    return [line[0] for line in lines if line[0] not in below]


def _asked(git: Git, run: str) -> list[tuple[str, ...]]:
    """What is known to be kept: by the tips and the refs of that run, then by all.

    The tips hold what every run began from: without any the first question would walk all of history."""
    tips, own = (_held(git, spaces) for spaces in ((TIPS,), (f"{KEPT}/{run}", f"{SNAPSHOTS}/{run}")))
    return [(*tips, *own), _ALL] if tips else [_ALL]


def _held(git: Git, spaces: Iterable[str]) -> tuple[str, ...]:
    listed = git.do("for-each-ref", "--format=^%(objectname)", *spaces).split("\n")
    return tuple(line for line in dict.fromkeys(listed) if line)
