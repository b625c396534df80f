"""Repository identity: the marks that adopt wrote, read again before anything is done in its name."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from toryo.domain.errors import Hindered
from toryo.protocol.base import Problem
from toryo.workbench.git.door import layout

Presence = Literal["here", "gone", "other"]


class RepositoryAway(Hindered):
    """The project's repository is not where it was."""


def read_mark(common: Path, name: str) -> str:
    """`project` or `owner`, as adopt wrote it; empty if nobody did."""
    return layout.read(common / "toryo" / name)


def presence(repo: str | Path, project: str) -> Presence:
    """Whether the project's own repository lies there: not none, nor another one, like a fresh clone."""
    try:
        common = layout.common_dir(repo)
    except FileNotFoundError:
        return "gone"
    return "here" if read_mark(common, "project") == project else "other"


def insist(repo: str | Path, project: str) -> None:
    found = presence(repo, project)
    if found != "here":
        what = "There is no repository" if found == "gone" else "There is another repository"
        raise RepositoryAway(
            f"{what} at {repo}.", hint="Say where the project's own is: `toryo project move PATH`."
        )


def owned_elsewhere(repo: str | Path, installation: str) -> Problem | None:
    """Why this installation may not move a branch there; None: it may."""
    owner = read_mark(layout.common_dir(repo), "owner")
    if owner == installation:
        return None
    whose = f"Another installation of Toryo ({owner}) lands" if owner else "No installation of Toryo lands"
    hint = f"Stop the other one, then type `toryo init --take-over` in {repo}."
    return Problem(code="owned_elsewhere", message=f"{whose} on {repo} now.", hint=hint)
