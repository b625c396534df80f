"""Merge begun in a worktree, its conflicts left to the agent; what is in the way is `prepare`'s affair."""

from __future__ import annotations

import time
from pathlib import Path

from toryo.workbench.git.door import layout
from toryo.workbench.git.door.layout import Worktree

INDEX_WAIT_S = 10
# each word undoes a setting by which the user's own merges may stash, squash, or refuse what is not signed
_PLAIN = ("--no-autostash", "--no-squash", "--no-verify-signatures", "--no-stat")


def begin(worktree: Worktree, commit: str) -> bool:
    """`git merge --no-commit`; True if the merge is there, with or without conflicts, also one begun before.

    False: git refused, because files in the worktree are in the way."""
    assert worktree.admin is not None
    if commit in layout.commits_in(worktree.admin / "MERGE_HEAD"):
        return True
    git = worktree.git
    if git.is_ancestor(commit, "HEAD"):
        return True
    wait_for_index(worktree.admin)
    git.run("merge", "--no-commit", "--no-ff", *_PLAIN, commit, limit_s=600)
    return commit in layout.commits_in(worktree.admin / "MERGE_HEAD")


def unmerged(worktree: Worktree) -> list[str]:
    """The paths in conflict."""
    listed = worktree.git.do("diff", "--no-renames", "--name-only", "--diff-filter=U", "-z")
    return [path for path in listed.split("\0") if path]


def give_up(worktree: Worktree) -> None:
    """As before the merge was begun."""
    worktree.git.do("merge", "--abort", limit_s=600)


def wait_for_index(admin: Path) -> None:
    """A git whose coordinator was killed works on alone and holds `index.lock` meanwhile. One that was killed
    itself leaves the lock behind; nobody else is in a worktree between its runs, so it is removed."""
    _wait_for((admin / "index.lock",))


def wait_for_git(worktree: Worktree) -> None:
    """As `wait_for_index`, for whatever a commit locks."""
    _wait_for(_locks(worktree))


def drop_locks(worktree: Worktree) -> None:
    """Nothing of the run lives any more: what a git of its left locked would keep the next one from work."""
    for lock in _locks(worktree):
        lock.unlink(missing_ok=True)


def _locks(worktree: Worktree) -> tuple[Path, ...]:
    branch = worktree.common / f"{layout.head_ref(worktree.branch)}.lock"
    own = () if worktree.admin is None else (worktree.admin / "index.lock", worktree.admin / "HEAD.lock")
    return (*own, branch)


def _wait_for(locks: tuple[Path, ...]) -> None:
    end = time.monotonic() + INDEX_WAIT_S
    while any(lock.exists() for lock in locks):
        if time.monotonic() > end:
            for lock in locks:
                lock.unlink(missing_ok=True)
            return
        time.sleep(0.05)
