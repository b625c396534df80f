"""Row types: one frozen dataclass per table, with its columns and defaults.

JSON columns are plain lists and dicts. Meaning is left to the callers: words stay text here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from toryo.domain.ids import (
    AgentName,
    CoordinatorId,
    GateId,
    LandingId,
    MissionId,
    OrderId,
    ProjectId,
    RunId,
    TaskId,
)
from toryo.domain.subjects import Subject

Json = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """What all rows can do."""

    @classmethod
    def read(cls, names: Sequence[str], values: Sequence[Any]) -> Self:
        """As the database gives it: every column is there, so there is nothing to check or to fill in."""
        row = cls.__new__(cls)
        row.__dict__.update(zip(names, values, strict=True))
        return row

    def values(self) -> dict[str, Any]:
        """By column; a `seq` that is not yet known is left to the database."""
        found = dict(self.__dict__)
        if found.get("seq") == 0:
            del found["seq"]
        return storable(found)


def storable(values: dict[str, Any]) -> dict[str, Any]:
    """Text without what a database refuses: half characters (file names that are no UTF-8) and NUL.

    A fact that cannot be stored would be reported again for ever."""
    for name, value in values.items():
        if isinstance(value, str) and ("\0" in value or not value.isascii()):
            values[name] = value.encode("utf-8", "replace").decode("utf-8").replace("\0", "?")
    return values


@dataclass(frozen=True, kw_only=True)
class ProjectRow(TableRow):
    id: ProjectId
    name: str
    path: str
    machine: str
    status: str = "active"
    base: str
    settings: Json = field(default_factory=dict)
    settings_files: Mapping[str, str] = field(default_factory=dict)
    settings_from: str = "none"
    settings_tree: str = ""
    settings_problem: str = ""
    default_agent: str = ""
    created_at: float


@dataclass(frozen=True, kw_only=True)
class AgentRow(TableRow):
    id: AgentName
    project: ProjectId = ProjectId("")
    """Whose repository defines it; empty: the whole installation's."""
    name: str
    role: str = ""
    client: str = ""
    command: str = ""
    model: str = ""
    system_prompt: str = ""
    prompt: str = ""
    scope: Json = field(default_factory=dict)
    slots: int = 0
    """Runs at once in a project; 0: nobody set a limit."""
    access: str = "sealed"
    style: str = "exec"
    terminal: str = "plain"
    start_in: str = ""
    skills: Mapping[str, str] = field(default_factory=dict)
    status: str = "active"
    passkey_hash: str = ""
    created_at: float


@dataclass(frozen=True, kw_only=True)
class TargetRow(TableRow):
    project: ProjectId
    name: str
    tip: str
    tip_tree: str
    published: str
    tip_gate: str = ""
    trusted_tree: str = ""
    seen: str = ""
    seen_tree: str = ""
    seen_relation: str = "same"
    seen_contains_published: bool = True
    waiting: Sequence[str] = ()
    waiting_why: str = ""
    stopped: str = ""
    retry_at: float = 0
    foreign_tip: str = ""
    accepted_count: int = 0
    unit: str = ""
    """The task whose branch it is; empty: a branch of people."""
    closed: bool = False


@dataclass(frozen=True, kw_only=True)
class TaskRow(TableRow):
    seq: int = 0
    id: TaskId
    project: ProjectId
    agent: AgentName = AgentName("")
    title: str
    description: str = ""
    type: str = "task"
    priority: int = 2
    parent: TaskId = TaskId("")
    write: Sequence[str] | None = None
    checks: Sequence[Any] = ()
    timeout_s: float
    held: bool = False
    target: str
    name: str = ""
    worktree: str = ""
    branch: str = ""
    base_commit: str = ""
    landed_commit: str = ""
    created_at: float
    changed_at: float = 0
    """0 on the way in: the same as created_at."""
    status: str = "open"
    reason: str = ""
    detail: str = ""
    next_purpose: str = ""
    nblock: int = 0
    generation: int = 0
    mission: MissionId = MissionId("")
    planned: str = ""
    """Its id in the mission's plan."""
    unit: str = ""
    """Its place in a tree of units; empty: it is no unit."""
    predicted: bool = False
    """Its write scope is a plan's prediction: it schedules, and binds nobody."""


@dataclass(frozen=True, kw_only=True)
class VerbRow(TableRow):
    seq: int = 0
    subject: Subject
    verb: str
    generation: int = 0
    landing_seq: int = 0
    reason: str = ""
    note: str = ""
    at: float


@dataclass(frozen=True, kw_only=True)
class RunRow(TableRow):
    seq: int = 0
    id: RunId
    task: TaskId
    project: ProjectId
    agent: AgentName
    client: str = ""
    coordinator: CoordinatorId = CoordinatorId("")
    purpose: str
    generation: int
    request: str = ""
    scope: Json = field(default_factory=dict)
    prompt: str = ""
    told: Json = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    access: str = "sealed"
    live: bool = True
    created_at: float
    outcome: str = "running"
    outcome_reason: str = ""
    start_commit: str = ""
    worktree: str = ""
    started_at: float | None = None
    ended_at: float | None = None
    exit_code: int | None = None
    signal: str = ""
    collected: Json | None = None
    said: Json | None = None
    parked_until: float | None = None
    signs: Json | None = None


@dataclass(frozen=True, kw_only=True)
class OrderRow(TableRow):
    seq: int = 0
    id: OrderId
    kind: str
    key: str
    project: ProjectId = ProjectId("")
    place: str
    taken_by: str = ""
    task: TaskId = TaskId("")
    run: RunId = RunId("")
    landing: LandingId = LandingId("")
    gate: GateId = GateId("")
    mission: MissionId = MissionId("")
    generation: int = 0
    inputs: Json = field(default_factory=dict)
    limit_s: float
    version: int = 1
    state: str = "open"
    created_at: float
    ended_at: float | None = None


@dataclass(frozen=True, kw_only=True)
class FactRow(TableRow):
    seq: int = 0
    kind: str
    order: OrderId = OrderId("")
    project: ProjectId = ProjectId("")
    task: TaskId = TaskId("")
    run: RunId = RunId("")
    landing: LandingId = LandingId("")
    gate: GateId = GateId("")
    generation: int = 0
    coordinator: CoordinatorId = CoordinatorId("")
    incarnation: int = 0
    standing: str = "applied"
    body: Json = field(default_factory=dict)
    at: float


@dataclass(frozen=True, kw_only=True)
class LandingRow(TableRow):
    seq: int = 0
    id: LandingId
    project: ProjectId
    target: str
    kind: str = "task"
    mission: MissionId = MissionId("")
    files: Sequence[Json] | None = None
    """Of kind files: path and blob of each, from which it is built again when the tip moved."""
    key: str = ""
    """Of kind files: purpose and version, as its mission asked for it."""
    message: str = ""
    """Of kind files: the commit's."""
    task: TaskId = TaskId("")
    run: RunId = RunId("")
    generation: int = 0
    head: str
    priority: int = 2
    created_at: float
    begun: bool = False
    trusted: bool = False
    old_tip: str = ""
    candidate: str = ""
    tree: str = ""
    conflict: Json | None = None
    unchanged: bool = False
    """Of kind files: the tip that it was written on holds them already."""
    stale: str = ""
    problem: str = ""
    accept_refused: bool = False
    gate: GateId = GateId("")
    verdict: str = ""
    evidence: str = ""
    accepted_at: float | None = None
    accept_number: int = 0
    published_at: float | None = None
    ended: str = ""
    ended_detail: str = ""


@dataclass(frozen=True, kw_only=True)
class GateRow(TableRow):
    id: GateId
    key: str
    project: ProjectId
    target: str
    commit: str
    tree: str
    checks: Sequence[Json] = ()
    goals: Sequence[Json] = ()
    setup: Json = field(default_factory=dict)
    exclude: Sequence[str] = ()
    flaky: str = "land"
    created_at: float
    verdict: str = ""


@dataclass(frozen=True, kw_only=True)
class CheckRow(TableRow):
    seq: int = 0
    gate: GateId
    project: ProjectId
    tree: str
    command: str
    attempt: int
    result: str
    exit_code: int | None = None
    signal: str = ""
    duration_s: float = 0
    output: str = ""
    tail: str = ""
    setup_key: str = ""
    fingerprint: str = ""
    reason: str = ""
    interrupted: bool = False
    reused_from: int | None = None
    at: float


@dataclass(frozen=True, kw_only=True)
class EvidenceRow(TableRow):
    id: str
    task: TaskId
    landing: LandingId
    body: Json = field(default_factory=dict)
    at: float


@dataclass(frozen=True, kw_only=True)
class ClaimRow(TableRow):
    seq: int = 0
    run: RunId
    task: TaskId
    kind: str = "completed"
    result: str = ""
    summary: str = ""
    next_steps: str = ""
    late: bool = False
    at: float


@dataclass(frozen=True, kw_only=True)
class TokenRow(TableRow):
    hash: str
    agent: AgentName
    project: ProjectId
    run: RunId = RunId("")
    expires_at: float
    limit_at: float
    ended_at: float | None = None
    ended_by: str = ""


@dataclass(frozen=True, kw_only=True)
class CoordinatorRow(TableRow):
    id: CoordinatorId
    kind: str = "coordinator"
    machine: str
    name: str
    key_hash: str
    incarnation: int = 0
    boot: str = ""
    pid: int = 0
    clients: Mapping[str, str] = field(default_factory=dict)
    fingerprint: str = ""
    interval_s: float = 10
    seen_at: float | None = None
    unseen: bool = False


@dataclass(frozen=True, kw_only=True)
class EventRow(TableRow):
    seq: int = 0
    at: float
    kind: str
    subject: str = ""
    project: ProjectId = ProjectId("")
    task: TaskId = TaskId("")
    run: RunId = RunId("")
    body: Json = field(default_factory=dict)
