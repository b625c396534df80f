"""The orders' inputs and the facts' bodies between daemon and coordinator (pydantic; fronts never import it).

Inputs carry commit ids, names and durations; the prompt travels as the hash of a blob. Unknown fields are
ignored so that one version back is accepted.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from toryo.domain.words import CheckResult, OrderKind, OrderState, Purpose
from toryo.protocol.left import (
    Collected,
    CommitLine,
    Foreign,
    Restored,
    RestoreInputs,
    RevertInputs,
    ScopeInputs,
    Snapshot,
    Violation,
)
from toryo.protocol.parts import (
    CheckFound,
    Lost,
    Model,
    Notified,
    NotifyInputs,
    Problem,
    ReadAnswer,
    ReadInputs,
    Said,
    SayInputs,
    SayWaiting,
    Signs,
    Spoken,
    Started,
    StopInputs,
    Stopped,
    Usage,
    Whole,
    WorktreeSetup,
)
from toryo.protocol.targets import OfTarget, OnTarget, Removal, TargetSeen

__all__ = [
    "CheckFound",
    "Collected",
    "CommitLine",
    "Foreign",
    "Lost",
    "Model",
    "Notified",
    "NotifyInputs",
    "Problem",
    "ReadAnswer",
    "ReadInputs",
    "Removal",
    "RestoreInputs",
    "Restored",
    "RevertInputs",
    "Said",
    "SayInputs",
    "SayWaiting",
    "ScopeInputs",
    "Snapshot",
    "Spoken",
    "Started",
    "StopInputs",
    "Stopped",
    "TargetSeen",
    "Violation",
]

VERSION = 1


# ── orders ────────────────────────────────────────────────────────────────────────────────────────────


class Order(Model):
    id: str
    kind: OrderKind
    key: str
    version: int = VERSION
    project: str = ""
    task: str = ""
    run: str = ""
    landing: str = ""
    generation: int = 0
    state: OrderState = OrderState.OPEN
    limit_s: float = 60
    inputs: dict[str, Any] = Field(default_factory=dict)


class SurveyInputs(Model):
    path: str
    base: str = ""
    """The target branch whose commit holds the settings; empty: the branch that is checked out."""
    commit: str = ""
    """Read the settings of this commit instead of the branch's: the newest tip, or where a person put it."""
    working_copy: bool = False
    """Read the settings as they lie in the checkout, whatever a commit has."""


class KnownTarget(Model):
    """What an installation knows of a target: where it put the tip, and what it published."""

    name: str
    tip: str
    published: str


class AdoptInputs(Model):
    path: str
    project: str
    installation: str
    base: str
    take_over: bool = False
    targets: tuple[KnownTarget, ...] = ()
    worktree_root: str = ""
    """Where worktrees will be made; empty: nobody makes any there by this."""


class PrepareInputs(OnTarget):
    repo: str
    run: str
    task: str
    agent: str
    client: str
    purpose: Purpose
    name: str
    """Wished name of the worktree; where it is taken the coordinator adds `-2` … and reports what it took."""
    existing: bool = False
    """True for later runs of a task: the worktree and branch `name` are the task's own and are used again."""
    base: str
    """The commit to branch from (the tip, or the predecessors' accepted commit)."""
    target: str
    merge: str = ""
    """resolve runs: the commit whose merge into the branch is begun and left with its conflicts."""
    scope: ScopeInputs = ScopeInputs()
    prompt: str
    """Blob hash."""
    worktree_root: str = ".worktrees"


class RunInputs(Model):
    repo: str
    worktree: str
    run: str
    task: str
    agent: str
    project: str
    client: str
    command: str = ""
    model: str = ""
    purpose: Purpose
    access: Literal["sealed", "connected"] = "sealed"
    style: Literal["exec", "interactive"] = "exec"
    terminal: Literal["plain", "tmux"] = "plain"
    start_in: Literal["", "context", "worktree"] = ""
    """Empty: where the client does best."""
    resume: str = ""
    """The client's own id of the conversation that this run goes on with."""
    used: Usage | None = None
    """What that conversation had used before."""
    setup: WorktreeSetup = WorktreeSetup()
    prompt: str
    timeout_s: float
    token: str = ""
    """One-time run token of a connected run; added to the answer of next_orders, never stored."""


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
    commit: str = ""
    """A person submits what lies there: commit what they did not, with this message."""


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


class CheckInputs(Model):
    repo: str
    project: str
    commit: str
    tree: str
    command: str
    attempt: int = 1
    limit_s: float = 300
    setup: tuple[str, ...] = ()
    setup_inputs: tuple[str, ...] = ()
    setup_limit_s: float = 900
    exclude: tuple[str, ...] = ()


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


class PublishInputs(Model):
    repo: str
    target: str
    old: str
    new: str
    installation: str = ""


class CleanInputs(Model):
    repo: str
    run: str
    worktree: str
    branch: str
    keep: tuple[str, ...] = ()
    """Commits that must be reachable before anything is moved."""
    runs: tuple[str, ...] = ()
    """The runs that used this worktree, one of which made it; empty: `run` itself."""


INPUTS: dict[OrderKind, type[Model]] = {
    OrderKind.SURVEY: SurveyInputs,
    OrderKind.ADOPT: AdoptInputs,
    OrderKind.PREPARE: PrepareInputs,
    OrderKind.RUN: RunInputs,
    OrderKind.STOP: StopInputs,
    OrderKind.SAY: SayInputs,
    OrderKind.NOTIFY: NotifyInputs,
    OrderKind.COLLECT: CollectInputs,
    OrderKind.REVERT: RevertInputs,
    OrderKind.CANDIDATE: CandidateInputs,
    OrderKind.CHECK: CheckInputs,
    OrderKind.ACCEPT: AcceptInputs,
    OrderKind.PUBLISH: PublishInputs,
    OrderKind.CLEAN: CleanInputs,
    OrderKind.RESTORE: RestoreInputs,
    OrderKind.READ: ReadInputs,
}


# ── facts ─────────────────────────────────────────────────────────────────────────────────────────────


class Surveyed(Model):
    problem: Problem | None = None
    root: str = ""
    git_dir: str = ""
    git_version: str = ""
    head_branch: str = ""
    base: str = ""
    base_commit: str = ""
    base_tree: str = ""
    branches: tuple[str, ...] = ()
    submodules: tuple[str, ...] = ()
    lfs: bool = False
    project: str = ""
    """The project id inside the git directory, if an installation adopted it."""
    owner: str = ""
    settings_files: dict[str, str] = Field(default_factory=dict)
    """Text files under .toryo/, path relative to it."""
    settings_from: Literal["commit", "working copy", "none"] = "none"
    settings_tree: str = ""
    clients: dict[str, str] = Field(default_factory=dict)
    """Known client programs on PATH: name → absolute path."""
    checks: tuple[CheckFound, ...] = ()
    setup: tuple[str, ...] = ()
    setup_inputs: tuple[str, ...] = ()
    uncommitted: tuple[str, ...] = ()
    """Settings files that lie in the checkout otherwise than in the commit they were read from."""


class Adopted(Model):
    problem: Problem | None = None
    project: str = ""
    owner: str = ""
    root: str = ""
    tip: str = ""
    tip_tree: str = ""
    wrote: tuple[str, ...] = ()
    seen: tuple[TargetSeen, ...] = ()
    """Where the branches stand that were asked about."""


class Prepared(OfTarget):
    problem: Problem | None = None
    name: str = ""
    worktree: str = ""
    branch: str = ""
    base: str = ""
    head: str = ""
    fingerprint: str = ""
    prompt_hash: str = ""


class Exited(Model):
    exit_code: Whole | None
    signal: str = ""
    timed_out: bool = False
    stopped: bool = False
    terminal_lost: bool = False
    could_not_start: str = ""
    started_at: str = ""
    ended_at: str = ""
    duration_s: float = 0
    children_killed: tuple[str, ...] = ()
    """Command lines of descendants that outlived the agent and were ended by the shim."""
    said: Said | None = None
    """Of a client that keeps a record of its own: what it says of this run."""
    disk_full: bool = False
    """It failed, and then there was no room on the disk it worked on."""


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


class Checked(Model):
    result: CheckResult
    exit_code: Whole | None = None
    signal: str = ""
    duration_s: float = 0
    started_at: str = ""
    ended_at: str = ""
    output: str = ""
    """Blob hash of the whole output (bounded)."""
    tail: str = ""
    """Last 4 kB."""
    setup_key: str = ""
    fingerprint: str = ""
    reason: str = ""
    interrupted: bool = False
    """Ended by us or a crash: does not count as an attempt."""


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
    diverged: bool = False
    """The target is no ancestor of the commit to publish: a person moved it."""
    found: str = ""


class Cleaned(Model):
    freed: bool = False
    refused: str = ""
    trash: str = ""


FACTS: dict[str, type[Model]] = {
    "surveyed": Surveyed,
    "adopted": Adopted,
    "prepared": Prepared,
    "started": Started,
    "signs": Signs,
    "exited": Exited,
    "lost": Lost,
    "stopped": Stopped,
    "say_waiting": SayWaiting,
    "spoken": Spoken,
    "notified": Notified,
    "collected": Collected,
    "candidate_built": CandidateBuilt,
    "checked": Checked,
    "accepted": Accepted,
    "publish_waiting": PublishWaiting,
    "published": Published,
    "cleaned": Cleaned,
    "restored": Restored,
    "answered": ReadAnswer,
    "target_seen": TargetSeen,
}

FINAL: dict[OrderKind, frozenset[str]] = {
    OrderKind.SURVEY: frozenset({"surveyed"}),
    OrderKind.ADOPT: frozenset({"adopted"}),
    OrderKind.PREPARE: frozenset({"prepared"}),
    OrderKind.RUN: frozenset({"exited", "lost"}),
    OrderKind.STOP: frozenset({"stopped"}),
    OrderKind.SAY: frozenset({"spoken"}),
    OrderKind.NOTIFY: frozenset({"notified"}),
    OrderKind.COLLECT: frozenset({"collected"}),
    OrderKind.REVERT: frozenset({"collected"}),
    OrderKind.CANDIDATE: frozenset({"candidate_built"}),
    OrderKind.CHECK: frozenset({"checked"}),
    OrderKind.ACCEPT: frozenset({"accepted"}),
    OrderKind.PUBLISH: frozenset({"published"}),
    OrderKind.CLEAN: frozenset({"cleaned"}),
    OrderKind.RESTORE: frozenset({"restored"}),
    OrderKind.READ: frozenset({"answered"}),
}
"""The facts that end an order; any other fact about it is a report on the way."""


class Fact(Model):
    seq: Whole
    kind: str
    order: str = ""
    generation: Whole = 0
    version: Whole = VERSION
    body: dict[str, Any] = Field(default_factory=dict)
