"""Row types of missions: one frozen dataclass per table of `mission_schema`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from toryo.domain.ids import MissionId, OrderId, ProjectId, TaskId
from toryo.store.database.rows import Json, TableRow


@dataclass(frozen=True, kw_only=True)
class MissionRow(TableRow):
    seq: int = 0
    id: MissionId
    project: ProjectId
    target: str
    title: str = ""
    text: str
    approval: str = "plan"
    plan_only: bool = False
    follows: MissionId = MissionId("")
    alone: bool = False
    """A person said that it continues nothing."""
    taken_from: str = ""
    spec_dir: str = ""
    size: str = ""
    parallelism: int = 0
    budget: Mapping[str, float] = field(default_factory=dict)
    request: int = 1
    """Which version of what is wanted: a rejection or a new demand makes the next."""
    demand: Json | None = None
    """Newer than the plan in force: {request, text, weighed, replan, affected}."""
    root: TaskId = TaskId("")
    """Its root unit's task, which plans in place of the planner; empty: the planner does."""
    approved_at: float | None = None
    created_at: float
    changed_at: float
    status: str = "questioning"
    reason: str = ""
    detail: str = ""
    hold: str = ""
    """Why none of its tasks starts."""
    stop: bool = False
    hold_tasks: Sequence[str] = ()
    """Plan ids that a demand stopped."""


@dataclass(frozen=True, kw_only=True)
class MessageRow(TableRow):
    seq: int = 0
    id: str
    mission: MissionId
    who: str
    text: str
    at: float


@dataclass(frozen=True, kw_only=True)
class QuestionRow(TableRow):
    mission: MissionId
    id: str
    number: int
    request: int
    text: str
    options: Sequence[str] = ()
    default: str = ""
    answer: str | None = None
    answered_at: float | None = None


@dataclass(frozen=True, kw_only=True)
class PlanRow(TableRow):
    mission: MissionId
    version: int
    request: int
    spec: str
    plan: str
    tasks: Sequence[Json] = ()
    tasks_text: str = ""
    """Its tasks.md as it was taken in; empty: it is written by us."""
    parallelism: int = 1
    faults: Sequence[str] = ()
    notes: Sequence[str] = ()
    edges: Sequence[Sequence[str]] = ()
    findings: Sequence[Json] | None = None
    """None: it was not analyzed."""
    mends: int = 0
    created_at: float
    approved_at: float | None = None
    rejected_at: float | None = None
    rejection: str = ""
    made_at: float | None = None
    """Its tasks exist."""


@dataclass(frozen=True, kw_only=True)
class ModelCallRow(TableRow):
    order: OrderId
    mission: MissionId
    task: TaskId = TaskId("")
    purpose: str
    problem: str = ""
    """Its code, where the answer could not be used."""
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None = None
    cost: str = "unknown"
    at: float


@dataclass(frozen=True, kw_only=True)
class ScanRow(TableRow):
    project: ProjectId
    commit: str
    text: str
    has_tests: bool
    paths: Sequence[str] = ()
    at: float
