"""Orders and inputs of units: open the target that a unit's branch is, files and environment of its runs."""

from __future__ import annotations

from pydantic import Field

from toryo.domain.words import OrderKind
from toryo.protocol.base import Kind, Model, Problem


class UnitFile(Model):
    """A file of a unit's worktree that is never committed: a view of the store."""

    path: str
    blob: str
    """Hash of its text."""


class UnitPlace(Model):
    """Which unit a run works for, for its environment."""

    unit: str
    parent: str = ""
    parent_branch: str = ""
    environment: dict[str, str] = Field(default_factory=dict)


class OpenTargetInputs(Model):
    """Take a unit's branch as a target, from where it stands now; or let it be one no more."""

    repo: str
    target: str
    close: bool = False


class TargetOpened(Model):
    problem: Problem | None = None
    commit: str = ""
    tree: str = ""
    closed: bool = False


class RefreshInputs(Model):
    """Write the files about a unit's children anew in the worktree where its run lives."""

    run: str
    repo: str
    worktree: str
    branch: str
    files: tuple[UnitFile, ...]


class Refreshed(Model):
    problem: Problem | None = None
    kept: tuple[str, ...] = ()
    """Files that stay as they are: the agent has written in them what Toryo was not told yet."""


KINDS = (
    Kind(OrderKind.OPEN_TARGET, OpenTargetInputs, {"target_opened": TargetOpened}),
    Kind(OrderKind.REFRESH, RefreshInputs, {"refreshed": Refreshed}),
)
