"""Orders of a landing: build its candidate or its reverse, accept it, publish it."""

from __future__ import annotations

from toryo.domain.words import OrderKind
from toryo.protocol.base import Kind, Model, Problem
from toryo.protocol.kinds.target import OfTarget, OnTarget, Removal
from toryo.protocol.kinds.work import Collected


class RevertInputs(Model):
    """Make the commit that takes a landing back, on the target's tip."""

    repo: str
    run: str
    target: str
    commit: str
    """The landing."""
    head: str
    """What the task's branch held; of a landing that somebody else merged, its own work is `base..head`."""
    base: str
    message: str
    date: str


class Head(Model):
    task: str
    branch: str
    commit: str
    since: tuple[str, ...] = ()
    """Of work that landed before and was taken off the target: what it began from; the rest is its own, and
    is to land once more."""


class CandidateInputs(OnTarget):
    repo: str
    target: str
    tip: str
    heads: tuple[Head, ...]
    message: str
    subject: str = ""
    """Blob hash of the task's own words for the message's first line: opaque to the coordinator."""
    date: str
    """ISO-8601; author and committer date, so a rebuilt candidate has the same id."""
    linear: bool = False
    """The head was made on the tip, and is the candidate itself: no merge commit."""
    restore: tuple[str, ...] = ()
    """Paths that stay as the tip has them, whatever a head made of them."""
    private: tuple[str, ...] = ()
    """Paths that are taken out again, unless the tip has them."""


class AcceptInputs(OnTarget):
    repo: str
    target: str
    old: str
    new: str
    evidence: str
    installation: str = ""
    """Who asks: only the one that the repository names may move its branches."""
    reset: bool = False
    """A person rewound the target and said yes to it: `new` need not descend from `old`."""
    removed: tuple[Removal, ...] = ()
    """With `reset`: kept, and kept off the target."""


class Exported(Model):
    """A file that a mission lands, as earlier versions of its plan were exported into a checkout."""

    path: str
    hashes: tuple[str, ...]
    """SHA-256 of each of those texts."""


class PublishInputs(Model):
    repo: str
    target: str
    old: str
    new: str
    installation: str = ""
    set_aside: str = ""
    """Of a unit's branch without a run that lives: the newest run, under whose name what lies uncommitted in
    the worktree is snapshotted before it is set to `new`."""
    worktree: str = ""
    """Of that run."""
    exported: tuple[Exported, ...] = ()
    """What lies uncommitted in a checkout and is one of these gives way to what lands."""


class Conflict(Model):
    paths: tuple[str, ...]
    partner: str
    """The commit on the target's side."""
    task: str


class CandidateBuilt(OfTarget):
    problem: Problem | None = None
    commit: str = ""
    tree: str = ""
    conflict: Conflict | None = None
    stale: str = ""
    """The tip that was found instead of the expected one."""
    restored: tuple[str, ...] = ()
    """Of the paths to restore those that a head had changed."""


class Accepted(OfTarget):
    problem: Problem | None = None
    moved: bool = False
    tip: str = ""
    """What the ref holds now."""
    settings_tree: str = ""


class PublishWaiting(Model):
    why: str
    """dirty | untracked | ignored | merge | rebase | cherry-pick | revert | bisect | index.lock | switch…"""
    paths: tuple[str, ...] = ()
    checkout: str = ""
    """Where it waits: the project's own checkout or a linked worktree; empty from an older coordinator."""


class Published(Model):
    problem: Problem | None = None
    published: bool = False
    commit: str = ""
    snapshot: str = ""
    """The commit that keeps what lay uncommitted in a unit's worktree, or had been exported to a checkout."""
    diverged: bool = False
    """The target is no ancestor of the commit to publish: a person moved it."""
    found: str = ""


KINDS = (
    Kind(OrderKind.REVERT, RevertInputs, {"collected": Collected}),
    Kind(OrderKind.CANDIDATE, CandidateInputs, {"candidate_built": CandidateBuilt}),
    Kind(OrderKind.ACCEPT, AcceptInputs, {"accepted": Accepted}),
    Kind(OrderKind.PUBLISH, PublishInputs, {"published": Published}, {"publish_waiting": PublishWaiting}),
)
