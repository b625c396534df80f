"""Worktree registration: the admin directory, whole from the first moment, without a process of git.

`git worktree add` costs four processes, and in git 2.39 two at once fail: each sees what the other half made.
The files are those of gitrepository-layout(5). Names, branch and checkout are left to worktrees.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from toryo import files
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git, GitFailed
from toryo.workbench.git.door.layout import Worktree

NOTHING: Mapping[str, str] = {}


def register(
    repo: Path,
    common: Path,
    path: Path,
    run: str,
    base: str,
    branch: str,
    settings: Mapping[str, str] = NOTHING,
) -> Worktree:
    """Registered, locked for the run, detached at the base, nothing checked out, with its own settings.

    The caller holds the registration lock and has seen that the name and the path are free."""
    if (common / "reftable").is_dir():
        # a worktree has a store of refs of its own there, which only git can make
        return _by_git(repo, common, path, run, base, branch, settings)
    admin = common / "worktrees" / path.name
    half = _empty(common / "toryo" / "registering" / run)
    _write(
        half,
        {
            "locked": f"{layout.LOCK_REASON}{run}\n",
            "gitdir": f"{path / '.git'}\n",
            "commondir": "../..\n",
            "HEAD": f"{base}\n",
            **settings,
        },
    )
    admin.parent.mkdir(exist_ok=True)
    half.rename(admin)
    # after it: a crash in between leaves what the next prepare of this run finds by its lock
    try:
        _make(path)
    except OSError:
        shutil.rmtree(admin, ignore_errors=True)  # another run would not know it for its own
        raise
    files.put(path / ".git", f"gitdir: {admin}\n".encode("utf-8", "surrogateescape"))
    return Worktree(path, common, admin, branch)


def _empty(folder: Path) -> Path:
    try:
        _make(folder)
    except FileExistsError:  # of an attempt that was interrupted
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    return folder


def _make(folder: Path) -> None:
    try:
        folder.mkdir()  # as a rule only the last one is missing
    except FileNotFoundError:
        folder.mkdir(parents=True)


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    if texts:
        (folder / "info").mkdir(exist_ok=True)
    for name, text in texts.items():
        files.put(f"{folder}/{name}", text.encode("utf-8", "surrogateescape"))


def _by_git(
    repo: Path, common: Path, path: Path, run: str, base: str, branch: str, settings: Mapping[str, str]
) -> Worktree:
    Git(repo).do(
        *("worktree", "add", "--quiet", "--lock", "--reason", f"{layout.LOCK_REASON}{run}"),
        *("--no-checkout", "--detach", str(path), base),
    )
    admin = layout.admin_of(common, path)
    if admin is None:
        raise GitFailed(("worktree", "add"), 0, "it is not registered")
    _write(admin, settings)
    return Worktree(path, common, admin, branch)
