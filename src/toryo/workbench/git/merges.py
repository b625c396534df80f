"""Beginning a merge in a worktree and leaving its conflicts to the agent; what is in the way is prepare's."""

from __future__ import annotations

import time
from pathlib import Path

from toryo.workbench.git import places
from toryo.workbench.git.places import Worktree

INDEX_WAIT_S = 10
# each word undoes a setting by which the user's own merges may stash, squash, or refuse what is not signed
_PLAIN = ("--no-autostash", "--no-squash", "--no-verify-signatures", "--no-stat")


def begin(worktree: Worktree, commit: str) -> bool:
    """`git merge --no-commit`; True if the merge is there, with or without conflicts, also one begun before.

    False: git refused, because files in the worktree are in the way."""
    assert worktree.admin is not None
    if commit in places.commits_in(worktree.admin / "MERGE_HEAD"):
        return True
    git = worktree.git
    if git.is_ancestor(commit, "HEAD"):
        return True
    wait_for_index(worktree.admin)
    git.run("merge", "--no-commit", "--no-ff", *_PLAIN, commit, limit_s=600)
    return commit in places.commits_in(worktree.admin / "MERGE_HEAD")


def unmerged(worktree: Worktree) -> list[str]:
    """The paths in conflict."""
    listed = worktree.git.do("diff", "--no-renames", "--name-only", "--diff-filter=U", "-z")
    return [path for path in listed.split("\0") if path]


def give_up(worktree: Worktree) -> None:
    """As before the merge was begun."""
    worktree.git.do("merge", "--abort", limit_s=600)


def wait_for_index(admin: Path, limit_s: float = INDEX_WAIT_S) -> None:
    """A git whose coordinator was killed works on alone and holds `index.lock` meanwhile. One that was killed
    itself leaves the lock behind; nobody else is in a worktree between its runs, so it is removed."""
    lock = admin / "index.lock"
    end = time.monotonic() + limit_s
    while lock.exists():
        if time.monotonic() > end:
            lock.unlink(missing_ok=True)
            return
        time.sleep(0.05)
