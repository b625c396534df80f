"""After a repository was moved as a whole: worktrees, their admin directories and the trash name each other
by absolute paths, and are told the new ones. Only what Toryo made; a worktree of the user's is theirs.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from toryo.workbench.git import locks, places, trash


def mend(repo: Path, common: Path) -> list[str]:
    """What was told a new place, in words."""
    with locks.registration(common):
        told = [_mend_worktree(repo, admin) for admin in places.admin_dirs(common)]
        for entry in list(trash.entries(common)):
            _mend_entry(repo, common, entry)
    return [f"worktrees/{name}/gitdir" for name in told if name]


def _mend_worktree(repo: Path, admin: Path) -> str:
    registered = places.registered_at(admin)
    if registered is None or not places.lock_holder(admin) or _is_joined(registered, admin):
        return ""
    found = next((path for path in _below(repo, registered) if _names(path, admin)), None)
    if found is None or (found == registered and places.git_dir_of(found) is not None):
        return ""  # it has a repository: this one is a copy of that
    (admin / "gitdir").write_text(f"{found / '.git'}\n", "utf-8", "surrogateescape")
    (found / ".git").write_text(f"gitdir: {admin}\n", "utf-8", "surrogateescape")
    return admin.name


def _mend_entry(repo: Path, common: Path, entry: trash.Entry) -> None:
    if Path(entry.files).exists():
        return
    found = next((path for path in _below(repo, Path(entry.files)) if path.is_dir()), None)
    if found is not None:
        root = found.parent.parent
        admin = common / "worktrees" / Path(entry.admin).name
        place = root / Path(entry.worktree).name
        trash.rewrite(common, replace(entry, files=str(found), worktree=str(place), admin=str(admin)))


def _below(repo: Path, old: Path) -> list[Path]:
    """Where a path may be now: its last parts below the repository, the longest first; else where it was."""
    parts = old.parts[1:]
    return [*(repo.joinpath(*parts[start:]) for start in range(len(parts))), old]


def _is_joined(path: Path, admin: Path) -> bool:
    named = places.git_dir_of(path)
    return named is not None and os.path.realpath(named) == os.path.realpath(admin)


def _names(path: Path, admin: Path) -> bool:
    """Whether the worktree there was this admin directory's, before the repository was moved."""
    text = places.read(path / ".git")
    return text.startswith("gitdir:") and text.endswith(f"/worktrees/{admin.name}")
