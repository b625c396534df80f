"""Repository that was moved: the hint of a command that was typed where a project lies now."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from toryo.domain.errors import ToryoError
from toryo.fronts.text.output import plain

if TYPE_CHECKING:
    from toryo.fronts.client import Desk
    from toryo.protocol.views.projects import ListedProjects
    from toryo.protocol.wire import ToolFailed

MARK = ".git/toryo/project"
"""What `init` writes into the git directory of a project."""


def mend_hint(failed: ToolFailed, desk: Desk) -> None:
    """Instead of `init`, which a repository that was moved does not need."""
    id = _marked(desk.path)
    if not id:
        return
    try:
        known: ListedProjects = desk.call_if_there("list_projects", {})
    except ToryoError:
        return
    for one in known["projects"]:
        if one["id"] == id:
            was = f"This is {plain(one['name'])}, which was at {plain(one['path'])}"
            failed.hint = f"{was}: type `toryo project move`."


def _marked(path: str) -> str:
    while True:
        try:
            with open(os.path.join(path, MARK), encoding="utf-8") as file:  # noqa: PTH118 - pathlib is slow
                return file.read().strip()
        except (OSError, UnicodeDecodeError):
            above = os.path.dirname(path)  # noqa: PTH120 - the same
        if above == path:
            return ""
        path = above
