"""What `decide` is given: one subject with its facts, frozen. Gathered by the store; no status among them."""

from __future__ import annotations

from dataclasses import dataclass

from toryo.domain.ids import CoordinatorId, GateId, LandingId, OrderId, ProjectId, RunId, TaskId
from toryo.domain.words import CheckResult, ClaimResult, OrderKind, OrderState, Purpose, Verb, Verdict
from toryo.reconciler.problems import Problem

DROPPED = "dropped"
"""How a landing ends that was accepted and is not in the tip any more: a person set the target back."""

UNWANTED = "unwanted"
"""Of a landing that was accepted and not published, and that a person rejected: it is taken off the tip."""
REMOVED = "removed"
"""How a landing ends that was published and is not on its target any more: a person took it off."""


@dataclass(frozen=True)
class Policy:
    """Limits that decisions obey; the defaults are the product's."""

    fix_runs: int = 3
    resolve_runs: int = 3
    lost_runs: int = 1
    prepare_retries: int = 1
    parked_runs: int = 8
    """Runs in a row that a usage limit or an outage may stop before a person looks."""
    runs_per_attempt: int = 12
    ageing_s: float = 3600
    unseen_after: int = 3
    """Intervals without a word after which a coordinator counts as unseen."""


@dataclass(frozen=True)
class CollectedFacts:
    """What the collect order saw of a run's work."""

    head: str = ""
    commits: int = 0
    new_commits: int = 0
    violations: tuple[str, ...] = ()
    unmerged: tuple[str, ...] = ()
    problem: Problem | None = None
    changes: bool = True
    """Whether its commits together change a file; an empty commit is made as easily as a promise."""


@dataclass(frozen=True)
class RunFacts:
    id: RunId
    purpose: Purpose
    generation: int
    outside: bool = False
    """No process of ours: an agent that authenticated by itself."""
    prepared: bool = False
    prepare_problem: Problem | None = None
    started: bool = False
    ended: bool = False
    """Occupancy is over: exit record, lost, released, or (outside only) report or expiry."""
    exit_code: int | None = None
    signal: str = ""
    timed_out: bool = False
    stopped: bool = False
    lost: bool = False
    released: bool = False
    withdrawn: bool = False
    """Ended by us before anybody began it."""
    expired: bool = False
    could_not_start: str = ""
    disk_full: bool = False
    """It failed where there was no room on the disk: that says nothing about the agent."""
    collected: CollectedFacts | None = None
    claim: ClaimResult | None = None
    """The newest report that was not late."""
    policy: Policy | None = None
    """The limits that were in force when it was claimed; none: the product's."""
    unseen: bool = False
    """Its coordinator has not spoken for a while: the outcome is unknown, occupancy stays."""
    client: str = ""
    problem: Problem | None = None
    """Of a client with a record of its own: why that is no success, as `no_result`."""
    denied: tuple[str, ...] = ()
    """Tools that the client refused to the agent."""
    words: str = ""
    """The agent's last words, as its client's record has them."""
    parked: Problem | None = None
    """What stopped it without anybody's fault: usage_limit or outage."""
    parked_until: float | None = None
    """None once a person ended the waiting."""
    asks: str = ""
    """What it waits for a person to answer, on its screen."""


@dataclass(frozen=True)
class LandingFacts:
    id: LandingId
    seq: int
    generation: int
    """Generation of the run whose head it carries."""
    head: str
    begun: bool = False
    accepted: bool = False
    published: bool = False
    ended: str = ""
    """'' while alive; conflict, red, could_not_run, stale, withdrawn, problem or landed."""
    detail: str = ""
    problem: Problem | None = None
    verdict: Verdict | None = None


@dataclass(frozen=True)
class Dependency:
    id: TaskId
    accepted: bool
    at_rest: bool = False
    """At rest without being accepted: it will not come by itself."""


@dataclass(frozen=True)
class VerbFact:
    verb: Verb
    generation: int
    landing_seq: int
    reason: str = ""


@dataclass(frozen=True)
class OrderFact:
    id: OrderId
    kind: OrderKind
    key: str
    state: OrderState
    run: RunId = RunId("")
    landing: LandingId = LandingId("")
    new: str = ""
    """accept, publish: the commit to move to."""


@dataclass(frozen=True)
class ChildFacts:
    """A child of a unit."""

    id: str
    unit: str
    generation: int
    """Of the parent's run that spawned it."""
    landed: bool = False
    """Its work is on the parent's branch."""
    at_rest: bool = False


@dataclass(frozen=True)
class UnitFacts:
    """What a task has of its own that is a unit."""

    children: tuple[ChildFacts, ...] = ()
    covered: bool = False
    """A run of it was told of its children as they rest now, or had seen every line of them as it ended."""
    pauses: bool = False
    """A person paused it, or a unit above it."""


@dataclass(frozen=True)
class TaskFacts:
    id: TaskId
    unit: UnitFacts | None = None
    """None: it is a plain task."""
    held: bool = False
    dispatch_held: bool = False
    """The project's setting: nothing of its tasks starts by itself."""
    mission_hold: str = ""
    """Why its mission lets nothing start; empty: it does, or it has none."""
    mission_stop: bool = False
    """Its mission wants its run to stop; it goes on later."""
    agent: str = ""
    client: str = ""
    """The agent's client; empty: it has none yet."""
    lacks_program: bool = False
    program: str = ""
    """What the agent starts; empty: its client knows."""
    """Its client's program was looked for on the project's machine, and is not there."""
    agent_active: bool = True
    agent_assigned: bool = True
    """Whether the agent works in the task's project."""
    project_active: bool = True
    base: Verdict | None = Verdict.GREEN
    """Verdict on the tree that work starts from; None: not known yet."""
    target: str = ""
    stopped: str = ""
    """Why the queue of the target stopped."""
    base_detail: str = ""
    """Which check fails on the base, and how."""
    waiting: tuple[str, ...] = ()
    """Paths of the user's checkout that a publish waits for."""
    waiting_why: str = ""
    above: str = ""
    """The unit whose branch it lands on; empty: a branch of people."""
    dependencies: tuple[Dependency, ...] = ()
    runs: tuple[RunFacts, ...] = ()
    landings: tuple[LandingFacts, ...] = ()
    verbs: tuple[VerbFact, ...] = ()
    orders: tuple[OrderFact, ...] = ()
    """Open and taken ones of this task's runs."""


@dataclass(frozen=True)
class CheckSpec:
    command: str
    reads: str = "tree"
    type: str = ""
    limit_s: float = 300


@dataclass(frozen=True)
class CheckFacts:
    command: str
    attempt: int
    result: CheckResult
    interrupted: bool = False


@dataclass(frozen=True)
class GateFacts:
    id: GateId
    checks: tuple[CheckSpec, ...] = ()
    results: tuple[CheckFacts, ...] = ()
    goals_failed: tuple[str, ...] = ()
    ordered: frozenset[tuple[str, int]] = frozenset()
    """(command, attempt) of the check orders that are open or taken."""


@dataclass(frozen=True)
class QueuedLanding:
    id: LandingId
    seq: int
    kind: str
    task: TaskId
    head: str
    priority: int
    created_at: float
    begun: bool = False
    old_tip: str = ""
    candidate: str = ""
    tree: str = ""
    conflict: bool = False
    unchanged: bool = False
    """Of files: the tip holds them already."""
    stale: bool = False
    problem: Problem | None = None
    gate: GateId = GateId("")
    verdict: Verdict | None = None
    review: bool = False
    """The project wants a person to see it before it lands."""
    review_flaky: bool = False
    """The project wants a person to see a flaky gate."""
    trusted: bool = False
    """A person saw it."""
    accept_refused: bool = False


@dataclass(frozen=True)
class QueueFacts:
    """One target branch of one project: its tip, what was seen of it, and who wants to land on it."""

    project: ProjectId
    target: str
    tip: str
    """Empty: it is lost, and a person said to go on from where the branch stands."""
    tip_tree: str
    published: str
    tip_gate: str = ""
    tip_verdict: Verdict | None = None
    trusted_tree: str = ""
    seen: str = ""
    seen_tree: str = ""
    seen_relation: str = "same"
    seen_contains_published: bool = True
    waiting: tuple[str, ...] = ()
    stopped: str = ""
    landings: tuple[QueuedLanding, ...] = ()
    """Not ended, by seq."""
    failed_follow: str = ""
    """How the landing that follows the branch where it is now ended, if it ended badly."""
    clashes: bool = False
    """What was accepted and not published does not merge with the branch as it is now."""
    unwanted: bool = False
    """A person rejected work that was accepted and is not published."""
    retry_at: float = 0
    """Not before then a publish or a follow that failed is tried again."""
    foreign_tip: str = ""
    """What the tip's ref held when it was not the tip we know."""
    ungated: bool = False
    """A unit's branch: what its own agent commits there is followed without a gate; children land through
    theirs."""
    closed: bool = False
    """That unit has ended: nothing lands there any more."""
    orders: tuple[OrderFact, ...] = ()
    """Open and taken candidate, accept and publish orders of the target."""


@dataclass(frozen=True)
class CoordinatorFacts:
    id: CoordinatorId
    interval_s: float
    seen_at: float
    unseen: bool = False
