"""File growth: which files have more lines than before, for goals that want something added; and what
git counts in each, for a parent that integrates."""

from __future__ import annotations

from collections.abc import Iterator

from toryo.workbench.git.door.git import Git


def grown(git: Git, *between: str) -> frozenset[str]:
    """Files that were added, or have more lines than they had; one that was only moved has no more."""
    told = git.do("diff", "-M", "--raw", "--numstat", "-z", *between, "--", limit_s=600)
    return frozenset(_grown(iter(told.split("\0"))))


def counted(git: Git, between: str) -> list[tuple[str, int | None, int | None]]:
    """Path, lines added and lines removed; None for both where git counts none, as in a picture."""
    told = git.do("diff", "--no-renames", "--numstat", "-z", between, "--", limit_s=600)
    found = []
    for word in filter(None, told.split("\0")):
        added, removed, path = word.split("\t", 2)
        lines = (int(added), int(removed)) if added.isdecimal() else (None, None)
        found.append((path, *lines))
    return found


def _grown(words: Iterator[str]) -> Iterator[str]:
    """Per file `:… STATUS` and path (moved: two paths), then `added TAB deleted TAB path` (moved: no path
    there, two after it)."""
    for word in words:
        if word.startswith(":"):
            status = word.split()[-1]
            path = next(words)
            if status.startswith("R"):
                next(words)
            elif status == "A":
                yield path
        elif word:
            added, deleted, path = word.split("\t", 2)
            if not path:
                next(words)
                path = next(words)
            if added.isdecimal() and int(added) > int(deleted):
                yield path
