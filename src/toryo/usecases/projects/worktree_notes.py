"""Notes of `init` about the worktree folder, where its place matters to a repository's tests."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from toryo.engine.facts.projects import CONFIG

_STAYS_INSIDE = {
    "not_writable": "the folder above cannot be written",
    "another_repository": "the folder above belongs to another repository",
    "taken": "the folder beside it is taken",
    "unprintable": "its name cannot be written into the settings",
}


def worktree_notes(survey: Mapping[str, Any]) -> list[str]:
    """Where agents will work, if the repository's own test runner would look for tests there."""
    if survey.get("worktrees"):
        folder = os.path.normpath(PurePosixPath(survey["root"]) / survey["worktrees"])
        return [
            f"Agents work in {folder}, beside the repository: inside it, `node --test` and its like would "
            f"run their tests, too. `worktrees:` in .toryo/{CONFIG} says where."
        ]
    why = _STAYS_INSIDE.get(survey.get("stays_inside", ""))
    if not why:
        return []
    return [
        f"Agents work in .worktrees/ of the repository, because {why}: `node --test` and its like may run "
        f"their tests, too. `worktrees:` in .toryo/{CONFIG} names another folder."
    ]
