"""Moved repositories: worktrees, admin directories and trash name each other by absolute paths, and are
given the new ones. Only what Toryo made; a worktree of the user's is theirs.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from toryo.workbench.git.door import layout, locks
from toryo.workbench.git.keep import trash


def mend(repo: Path, common: Path) -> list[str]:
    """What was told a new place, in words."""
    with locks.registration(common):
        told = [_mend_worktree(repo, admin) for admin in layout.admin_dirs(common)]
        for entry in list(trash.entries(common)):
            _mend_entry(repo, common, entry)
    return [f"worktrees/{name}/gitdir" for name in told if name]


def _mend_worktree(repo: Path, admin: Path) -> str:
    registered = layout.registered_at(admin)
    if registered is None or not layout.lock_holder(admin) or _is_joined(registered, admin):
        return ""
    found = next((path for path in _below(repo, registered) if _names(path, admin)), None)
    if found is None or (found == registered and layout.git_dir_of(found) is not None):
        return ""  # it has a repository: this one is a copy of that
    (admin / "gitdir").write_text(f"{found / '.git'}\n", "utf-8", "surrogateescape")
    (found / ".git").write_text(f"gitdir: {admin}\n", "utf-8", "surrogateescape")
    return admin.name


def _mend_entry(repo: Path, common: Path, entry: trash.Entry) -> None:
    now = entry
    if not Path(entry.files).exists():
        found = next((path for path in _below(repo, Path(entry.files)) if path.is_dir()), None)
        now = entry if found is None else replace(entry, files=str(found))
    home = Path(entry.admin).parent.parent  # the git directory it was put away from
    if entry.admin and home != common and home.name == common.name == ".git":
        place = _along(home.parent, repo, Path(entry.worktree))
        admin = common / "worktrees" / Path(entry.admin).name
        now = replace(now, worktree=str(place), admin=str(admin))
    if now != entry:
        trash.rewrite(common, now)


def _along(old: Path, new: Path, path: Path) -> Path:
    """A path after its repository was moved: what lay inside went along, what lay beside it perhaps."""
    if path.is_relative_to(old):
        return new / path.relative_to(old)
    beside = Path(os.path.normpath(new / os.path.relpath(path, old)))
    return beside if beside.parent.is_dir() and not path.parent.is_dir() else path


def _below(repo: Path, old: Path) -> list[Path]:
    """Where a path may be now: its last parts below the repository, the longest first; below the folder it
    is in, for what went along beside it; else where it was."""
    parts = old.parts[1:]
    tails = [parts[start:] for start in range(len(parts))]
    return [*(base.joinpath(*tail) for base in (repo, repo.parent) for tail in tails), old]


def _is_joined(path: Path, admin: Path) -> bool:
    named = layout.git_dir_of(path)
    return named is not None and os.path.realpath(named) == os.path.realpath(admin)


def _names(path: Path, admin: Path) -> bool:
    """Whether the worktree there was this admin directory's, before the repository was moved."""
    text = layout.read(path / ".git")
    return text.startswith("gitdir:") and text.endswith(f"/worktrees/{admin.name}")
