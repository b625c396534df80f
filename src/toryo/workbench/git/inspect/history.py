"""Commits between two of them, and the diff of two, as people read them."""

from __future__ import annotations

from dataclasses import dataclass

from toryo.workbench.git.door.git import Git, GitFailed

LONGEST = 200
"""Characters of a subject or a name: a page travels in one line."""
_FORMAT = "%H%x00%an%x00%cI%x00%s"
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/")


@dataclass(frozen=True)
class Commit:
    id: str
    subject: str
    author: str
    at: str


def diff(git: Git, base: str, head: str, *, stat: bool) -> bytes:
    argv = ("diff", *_PLAIN, *(("--stat=100",) if stat else ()), base, head, "--")
    done = git.run(*argv)
    if done.code != 0:
        raise GitFailed(argv, done.code, done.complaint)
    return done.out


def commits(git: Git, base: str, head: str, skip: int, most: int) -> list[Commit]:
    """Newest first."""
    told = git.do("log", f"--format={_FORMAT}", f"--skip={skip}", f"--max-count={most}", *_range(base, head))
    lines = [line.split("\0", 3) for line in told.split("\n") if line]
    return [Commit(id, subject[:LONGEST], author[:LONGEST], at) for id, author, at, subject in lines]


def count(git: Git, base: str, head: str) -> int:
    return int(git.do("rev-list", "--count", *_range(base, head)))


def _range(base: str, head: str) -> tuple[str, ...]:
    return (head, *((f"^{base}",) if base else ()), "--")
