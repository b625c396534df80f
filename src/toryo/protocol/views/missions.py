"""Answers about missions: a line of a list, a whole mission with its plan, what a verb led to."""

from __future__ import annotations

from typing_extensions import TypedDict

from toryo.domain.ids import AgentName, MissionId, ProjectId, TaskId
from toryo.protocol.views.actions import ActionView
from toryo.protocol.views.answer import Answer


class MissionLine(TypedDict):
    id: MissionId
    seq: int
    project: ProjectId
    project_name: str
    title: str
    status: str
    reason: str
    detail: str
    target: str
    created_at: str | None
    changed_at: str | None


class ListedMissions(Answer):
    missions: list[MissionLine]
    more: bool
    next_after: int


class QuestionView(TypedDict):
    id: str
    text: str
    options: list[str]
    default: str
    answer: str | None


class PlannedTaskView(TypedDict):
    id: str
    """Its id in the plan."""
    task: TaskId | None
    """The task that was made of it; None: not approved, or ticked in a folder that was taken in."""
    title: str
    description: str
    status: str | None
    reason: str
    detail: str
    depends_on: list[str]
    write: list[str] | None
    """Predicted paths; None: unknown."""
    touched: list[str]
    """Paths that its landing changed."""
    checks: list[str]
    agent: AgentName | None
    worktree: str
    unit: bool
    """Its agent may divide it further: `unit_tree` of its task shows how."""
    story: str | None


class FindingView(TypedDict):
    where: str
    text: str
    fatal: bool


class PlanView(TypedDict):
    version: int
    spec: str
    plan: str
    parallelism: int
    tasks: list[PlannedTaskView]
    faults: list[str]
    notes: list[str]
    findings: list[FindingView]
    approved_at: str | None
    rejected: str | None
    """Why a person rejected it; None: nobody did."""


class MessageView(TypedDict):
    id: str
    seq: int
    who: str
    text: str
    at: str | None


class UsageView(TypedDict):
    """Of the planner's model alone."""

    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    cost: str
    """observed, estimated or unknown."""


class AgentsUsageView(TypedDict):
    """Of the runs of its tasks, as their clients say."""

    runs: int
    turns: int
    minutes: float
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    cost: str
    """observed, estimated or unknown."""


class MissionView(MissionLine):
    text: str
    size: str | None
    approval: str
    plan_only: bool
    follows: MissionId | None
    spec: str | None
    """Directory of its files; None: it writes none."""
    parallelism: int
    budget: dict[str, float]
    usage: UsageView
    usage_of_agents: AgentsUsageView
    questions: list[QuestionView]
    plan: PlanView | None
    messages: list[MessageView]
    actions: list[ActionView]


class OneMission(Answer):
    mission: MissionView


class StartedMission(Answer):
    mission: MissionId
    status: str
    reason: str
    project: ProjectId
    target: str
    notes: list[str]


class AwaitedMission(Answer):
    mission: MissionView
    at_rest: bool
    """Ended, or nothing comes unless a person acts."""


class SaidToMission(Answer):
    mission: MissionId
    said: str
    status: str
    reason: str
    already: bool
    """Somebody answered before: nothing was changed."""
    by: str
    """Where already: what was answered, and when."""


class ExportedFile(TypedDict):
    path: str
    text: str
    hashes: list[str]
    """SHA-256 of what it was exported as, in this version and earlier ones."""


class ExportedMission(Answer):
    mission: MissionId
    directory: str
    files: list[ExportedFile]
