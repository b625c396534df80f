"""Orders about the work of a run: collect it, restore it, clean its worktree."""

from __future__ import annotations

from typing import Literal

from toryo.domain.words import OrderKind
from toryo.protocol.base import Kind, Model, Problem, Whole
from toryo.protocol.kinds.scope import ScopeInputs


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


class FileLines(Model):
    path: str
    added: Whole | None = None
    """Lines; None: git counts none in it."""
    removed: Whole | None = None


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
    more: tuple[str, ...] | None = None
    """Of those that want more in a file the ones that a file which was added or gained lines fits; None: not
    looked for."""
    stat: tuple[FileLines, ...] = ()
    """Of a unit: what its branch has beyond the target, its children's work included; the first 100."""
    stat_count: Whole = 0
    violations: tuple[Violation, ...] = ()
    foreign: tuple[Foreign, ...] = ()
    snapshot: Snapshot | None = None
    kept_worktree: str = ""
    """Why the worktree is kept instead of a snapshot (over 200 MB, a shallow clone inside it)."""
    unmerged: tuple[str, ...] = ()
    """Paths still in conflict in the worktree's index."""


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


class CollectInputs(Model):
    repo: str
    run: str
    attempt: int = 1
    worktree: str
    branch: str
    base: str
    start: str
    """HEAD when this run was prepared."""
    target: str
    scope: ScopeInputs = ScopeInputs()
    protected: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    """Patterns of goals."""
    more: tuple[str, ...] = ()
    """Those of them for which a file must be added or gain lines."""
    commit: str = ""
    """A person submits what lies there: commit what they did not, with this message."""
    committed: str = ""
    """The commit of a branch that a person sends as it is: there is no worktree to look at."""
    brought: str = ""
    """The branch that an outside orchestrator may have made for it: its commits are the run's work."""
    counted: bool = False
    """The lines of each file are asked for."""
    landed: tuple[str, ...] | None = None
    """Of a unit: the landings of its children on this branch, whose work is not its own. None: it is none."""


class CleanInputs(Model):
    repo: str
    run: str
    worktree: str
    branch: str
    keep: tuple[str, ...] = ()
    """Commits that must be reachable before anything is moved."""
    runs: tuple[str, ...] = ()
    """The runs that used this worktree, one of which made it; empty: `run` itself."""


class Cleaned(Model):
    freed: bool = False
    refused: str = ""
    trash: str = ""


KINDS = (
    Kind(OrderKind.COLLECT, CollectInputs, {"collected": Collected}),
    Kind(OrderKind.CLEAN, CleanInputs, {"cleaned": Cleaned}),
    Kind(OrderKind.RESTORE, RestoreInputs, {"restored": Restored}),
)
