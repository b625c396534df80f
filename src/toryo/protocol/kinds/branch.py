"""Orders about a branch that a person works with: delete it, open a worktree, start a CLI there."""

from __future__ import annotations

from toryo.domain.words import OrderKind
from toryo.protocol.base import Kind, Model, Problem, Whole


class DropBranchInputs(Model):
    repo: str
    branch: str
    old: str
    """The commit that the person saw it at; it goes only if it is still there."""
    target: str
    """What its commits are counted against."""


class BranchDropped(Model):
    problem: Problem | None = None
    commit: str = ""
    kept: str = ""
    """The ref that holds the commit from now on."""
    unmerged: Whole | None = None
    """Its commits that the target does not have; None: nobody could count them."""


class OpenBranchInputs(Model):
    repo: str
    branch: str
    worktree_root: str = ""
    client: str = ""
    """The agent CLI that is started there in a window; empty: none."""
    model: str = ""


class BranchOpened(Model):
    problem: Problem | None = None
    path: str = ""
    is_new: bool = False
    """False: it was checked out there before."""
    argv: tuple[str, ...] = ()
    """What shows the window."""


KINDS = (
    Kind(OrderKind.DROP_BRANCH, DropBranchInputs, {"branch_dropped": BranchDropped}),
    Kind(OrderKind.OPEN_BRANCH, OpenBranchInputs, {"branch_opened": BranchOpened}),
)
