"""Worktree location of a new project: inside the repository, or in a folder beside it.

Only a proposal for the first config.yaml; what `worktrees:` there says is the project's own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from toryo.protocol.kinds.repository import StaysInside
from toryo.workbench.git.door import layout

MANIFEST = "package.json"
"""Node's test runners walk into hidden folders of the repository, too."""
MOST = 9


@dataclass(frozen=True)
class Home:
    setting: str = ""
    """Relative to the repository; empty: the default, inside."""
    stays_inside: StaysInside = ""
    """Why the folder beside the repository was not taken."""


def propose(root: Path, common: Path) -> Home:
    if not (root / MANIFEST).is_file():
        return Home()
    parent = root.parent
    if not root.name.isprintable():
        return Home(stays_inside="unprintable")
    if any(layout.git_dir_of(folder) is not None for folder in (parent, *parent.parents)):
        return Home(stays_inside="another_repository")
    names = (f"{root.name}.worktrees{'' if number == 1 else f'-{number}'}" for number in range(1, MOST + 1))
    for name in names:
        folder = parent / name
        if not os.path.lexists(folder):
            is_free = os.access(parent, os.W_OK | os.X_OK)
            return Home(f"../{name}") if is_free else Home(stays_inside="not_writable")
        if _is_ours(folder, common) and os.access(folder, os.W_OK | os.X_OK):
            return Home(f"../{name}")
    return Home(stays_inside="taken")


def _is_ours(folder: Path, common: Path) -> bool:
    """Whether nothing but worktrees of this repository is in it: the project was one before."""
    if not folder.is_dir():
        return False
    found = (layout.git_dir_of(one) for one in folder.iterdir())
    return all(git_dir is not None and layout.common_of(git_dir) == common for git_dir in found)
