"""What a run may read and write, what it left, and the way to get that back: part of `models`."""

from __future__ import annotations

from typing import Literal

from toryo.protocol.parts import Model, Problem, Whole


class ScopeInputs(Model):
    exclude: tuple[str, ...] = ()
    read: tuple[str, ...] = ("**",)
    write: tuple[str, ...] | None = None


class CommitLine(Model):
    id: str
    subject: str


class Violation(Model):
    path: str
    rule: Literal["exclude", "write", "settings", "protected", "link", "embedded"]
    """link: leads out of the repository or to what is excluded; embedded: a repository that no .gitmodules
    names."""


class Foreign(Model):
    """A change outside the run's own branch and worktree, made while the run lived."""

    what: Literal["ref", "config", "hooks", "checkout", "stash", "worktree"]
    name: str
    before: str = ""
    after: str = ""
    kept: str = ""
    """What git can show of it as it was: a ref, or `COMMIT:PATH`."""


class Snapshot(Model):
    ref: str
    commit: str
    uncommitted: tuple[str, ...] = ()
    """Paths that differ from HEAD or are untracked: what would be lost without the snapshot."""
    left_out: tuple[str, ...] = ()


class Collected(Model):
    problem: Problem | None = None
    head: str = ""
    branch: str = ""
    commits: Whole = 0
    """On the branch beyond the base."""
    new_commits: Whole = 0
    """Beyond HEAD at this run's start."""
    log: tuple[CommitLine, ...] = ()
    changed_files: tuple[str, ...] = ()
    changed_count: Whole = 0
    matched: tuple[str, ...] = ()
    """Of the wanted patterns those that a changed file fits, however many there are."""
    violations: tuple[Violation, ...] = ()
    foreign: tuple[Foreign, ...] = ()
    snapshot: Snapshot | None = None
    kept_worktree: str = ""
    """Why the worktree is kept instead of a snapshot (over 200 MB, a shallow clone inside it)."""
    unmerged: tuple[str, ...] = ()
    """Paths still in conflict in the worktree's index."""


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


class RestoreInputs(Model):
    repo: str
    run: str
    snapshot: str
    """Commit id under refs/toryo/snapshots/."""
    destination: str = ""
    worktree: str = ""
    """Put the worktree itself back here, where it was, instead of writing its files to `destination`."""
    branch: str = ""
    head: str = ""
    """What the branch held when the run was collected."""
    runs: tuple[str, ...] = ()
    """The runs that used this worktree."""
    scope: ScopeInputs = ScopeInputs()
    """What the run was not given is not in what it left …"""
    wrote: tuple[str, ...] = ()
    """… but for the excluded paths that it wrote itself."""


class Restored(Model):
    problem: Problem | None = None
    path: str = ""
    files: Whole = 0
    branch: str = ""
    """Of a worktree that was put back."""
