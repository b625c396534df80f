"""A target branch: where it is believed to stand, and where it was found."""

from __future__ import annotations

from typing import Literal

from toryo.protocol.base import Model


class TargetSeen(Model):
    """Orderless: where a target branch stands in the hub, told when it moved without us."""

    project: str
    target: str
    commit: str
    tree: str
    relation: Literal["same", "ahead", "behind", "diverged", "missing", "no_tip", "gone", "other"]
    """Of the branch to the tip. no_tip: the tip's ref is gone, or its commit; gone: there is no repository at
    the project's path; other: not its own."""
    path: str = ""
    """Where the repository was looked for."""
    owner: str = ""
    """The installation that the repository's own mark names."""
    tip: str = ""
    """The tip it was compared with."""
    published: str = ""
    """What the coordinator believes to be published, which may be behind."""
    contains_published: bool = True
    """False: the branch was rewound or rebased away from what was published."""
    lost: tuple[str, ...] = ()
    """Commits that the target once had and has not now; the newest, where they are very many."""
    settings_tree: str = ""


class OnTarget(Model):
    """Inputs of an order that builds on a target: a branch that a person moved since is followed first."""

    seen: str = ""
    """Where the daemon last saw the branch; empty: it is not compared."""
    published: str = ""
    """What the daemon knows to be published there."""


class OfTarget(Model):
    """The fact of such an order."""

    moved_to: TargetSeen | None = None
    """Where the branch is instead: nothing was done."""


class Removal(Model):
    """History that a person took off a target: it comes back by a person's act only."""

    commit: str
    stays: tuple[str, ...] = ()
    """What of its history was not taken away."""
