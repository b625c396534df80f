"""Registering a worktree: its admin directory, whole from the first moment, without a process of git.

`git worktree add` costs four processes, and in git 2.39 two at once fail: each sees what the other half made.
The files are those of gitrepository-layout(5). Names, branch and checkout are left to worktrees.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from toryo.workbench.git import places
from toryo.workbench.git.door import Git, GitFailed
from toryo.workbench.git.places import Worktree


def register(repo: Path, common: Path, path: Path, run: str, base: str, branch: str) -> Worktree:
    """Registered, locked for the run, detached at the base, nothing checked out.

    The caller holds the registration lock and has seen that the name and the path are free."""
    if (common / "reftable").is_dir():
        # a worktree has a store of refs of its own there, which only git can make
        return _by_git(repo, common, path, run, base, branch)
    admin = common / "worktrees" / path.name
    half = common / "toryo" / "registering" / run
    shutil.rmtree(half, ignore_errors=True)
    half.mkdir(parents=True)
    for name, line in (
        ("locked", f"{places.LOCK_REASON}{run}"),
        ("gitdir", str(path / ".git")),
        ("commondir", "../.."),
        ("HEAD", base),
    ):
        (half / name).write_text(f"{line}\n", "utf-8", "surrogateescape")
    admin.parent.mkdir(exist_ok=True)
    half.rename(admin)
    # after it: a crash in between leaves what the next prepare of this run finds by its lock
    try:
        path.mkdir(parents=True)
    except OSError:
        shutil.rmtree(admin, ignore_errors=True)  # another run would not know it for its own
        raise
    (path / ".git").write_text(f"gitdir: {admin}\n", "utf-8", "surrogateescape")
    return Worktree(path, common, admin, branch)


def _by_git(repo: Path, common: Path, path: Path, run: str, base: str, branch: str) -> Worktree:
    Git(repo).do(
        *("worktree", "add", "--quiet", "--lock", "--reason", f"{places.LOCK_REASON}{run}"),
        *("--no-checkout", "--detach", str(path), base),
    )
    admin = places.admin_of(common, path)
    if admin is None:
        raise GitFailed(("worktree", "add"), 0, "it is not registered")
    return Worktree(path, common, admin, branch)
