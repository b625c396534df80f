"""Planner orders: question, plan, analyze, judge, impact, summarise; their brief, and the answers of a model.

An answer is a claim with a form: the planner checks its form, the head judges what it says.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toryo.domain.words import OrderKind
from toryo.protocol.base import Kind, Model, Problem, Whole

Id = Annotated[str, Field(min_length=1, max_length=64)]


class PlannerInputs(Model):
    """The brief travels as a blob: words are never in an order."""

    mission: str
    request: int
    """Which version of what is wanted this is about."""
    n: int = 0
    """Which try at this purpose: a plan that is mended is asked for again."""
    brief: str
    """Blob hash of a `Brief` as JSON."""
    scan: str = ""
    """Commit at which the repository was read that the brief describes; empty: it was not."""


class AgentBrief(Model):
    name: str
    role: str = ""
    client: str = ""
    write: tuple[str, ...] = ()
    """Where its scope lets it write; empty: everywhere."""


class MessageBrief(Model):
    who: Literal["person", "planner", "progress", "system"]
    text: str


class QuestionBrief(Model):
    id: str
    text: str
    options: tuple[str, ...] = ()
    default: str = ""
    answer: str | None = None


class FinishedBrief(Model):
    """A finished mission that a new request may continue."""

    mission: str
    title: str
    spec: str = ""
    """Directory of its files; empty: it wrote none."""
    summary: str = ""


class TaskBrief(Model):
    id: str
    """Its id in the plan."""
    task: str = ""
    title: str
    description: str = ""
    status: str = ""
    reason: str = ""
    detail: str = ""
    output: str = ""
    """judge: the end of what failed; otherwise what its agent said at the end."""


class PlannedTask(Model):
    id: Id
    title: Annotated[str, Field(min_length=1, max_length=500)]
    description: str = ""
    depends_on: tuple[str, ...] = ()
    write: tuple[str, ...] | None = None
    checks: tuple[str, ...] = ()
    agent: str | None = None
    worktree: Literal["new", "shared"] = "new"
    unit: bool = False
    """Its agent may divide it further, as a unit with a tree of its own."""
    story: str | None = None
    done: bool = False
    """Ticked in a folder that was taken in; no model says so."""


class PlanBrief(Model):
    version: int
    spec: str = ""
    plan: str = ""
    tasks: tuple[PlannedTask, ...] = ()


class BranchBrief(Model):
    """A branch that a person wants summarised: what git tells of it."""

    name: str
    log: str
    """Its own commits, newest first, one a line."""
    stat: str
    """Which files they change, and how much."""


class Brief(Model):
    """All that a model is to know for one answer; bounded by the head."""

    mission: str
    purpose: str
    text: str
    """What the person asked for."""
    language: str = ""
    """Empty: as the person writes."""
    model: str = ""
    """Another model of the same endpoint or CLI, which the project names; empty: that of the settings."""
    window: Whole = 0
    """Tokens that the project allows a request; 0: as the settings say."""
    project: str = ""
    target: str = ""
    scan: str = ""
    """What the repository holds, as the hands saw it."""
    has_tests: bool = True
    agents: tuple[AgentBrief, ...] = ()
    checks: tuple[str, ...] = ()
    max_concurrent: int = 1
    size: str = ""
    conversation: tuple[MessageBrief, ...] = ()
    questions: tuple[QuestionBrief, ...] = ()
    finished: tuple[FinishedBrief, ...] = ()
    follows: FinishedBrief | None = None
    """The ended mission that this goes on from; its spec is continued where it has a directory."""
    plan: PlanBrief | None = None
    """The newest version: to analyze, to mend, to replace, or to weigh a demand against."""
    rejected: str = ""
    """Why a person rejected that version."""
    faults: tuple[str, ...] = ()
    """What the rules found wrong in that version."""
    demand: str = ""
    """impact: what the person asks for now."""
    tasks: tuple[TaskBrief, ...] = ()
    """Tasks that exist, with their states."""
    task: TaskBrief | None = None
    """judge: the task that cannot go on."""
    branch: BranchBrief | None = None
    """summarise: a branch, and no conversation."""


class AskedQuestion(Model):
    id: Id
    text: Annotated[str, Field(min_length=1)]
    options: tuple[str, ...] = ()
    default: str = ""


class QuestionAnswer(Model):
    title: str = ""
    size: Literal["small", "normal"] = "normal"
    questions: tuple[AskedQuestion, ...] = ()
    continues: str | None = None
    plan_only: bool = False


class PlanAnswer(Model):
    spec: str
    plan: str
    parallelism: Annotated[int, Field(ge=1)] = 1
    tasks: Annotated[tuple[PlannedTask, ...], Field(min_length=1)]


class Finding(Model):
    where: str = ""
    text: str
    fatal: bool = False


class AnalyzeAnswer(Model):
    findings: tuple[Finding, ...] = ()


class JudgeAnswer(Model):
    action: Literal["retry", "rework", "ask", "give_up"]
    note: str = ""
    question: str | None = None


class ImpactAnswer(Model):
    affected: tuple[str, ...] = ()
    note: str = ""
    replan: bool = False


class SummariseAnswer(Model):
    summary: str


ANSWERS: dict[OrderKind, type[Model]] = {
    OrderKind.QUESTION: QuestionAnswer,
    OrderKind.PLAN: PlanAnswer,
    OrderKind.ANALYZE: AnalyzeAnswer,
    OrderKind.JUDGE: JudgeAnswer,
    OrderKind.IMPACT: ImpactAnswer,
    OrderKind.SUMMARISE: SummariseAnswer,
}
"""The form of the answer to each."""


class ModelUsage(Model):
    calls: Whole = 0
    input_tokens: Whole = 0
    output_tokens: Whole = 0
    cost_usd: float | None = None
    cost: Literal["observed", "estimated", "unknown"] = "unknown"


class ModelAnswered(Model):
    """How an order of the planner ended: with an answer in its form, or with the problem."""

    problem: Problem | None = None
    """malformed, cut, refused, limit_reached …; never an outage: that is waited for."""
    answer: str = ""
    """Blob hash of the JSON object."""
    text: str = ""
    """Blob hash of what the model said instead, where it kept to no form."""
    repaired: Whole = 0
    model: str = ""
    via: str = ""
    seconds: float = 0
    usage: ModelUsage = ModelUsage()


class ModelWaiting(Model):
    """On the way: the model cannot be asked now, and the order waits."""

    why: Literal["outage", "usage_limit", "settings"]
    message: str = ""
    until: str = ""
    """ISO-8601 UTC; empty: nobody said."""
    via: str = ""
    """`http`, or the name of the CLI whose account has come to its limit."""
    attempt: Whole = 0


def _kind(kind: OrderKind, ends_by: str) -> Kind:
    return Kind(kind, PlannerInputs, {ends_by: ModelAnswered}, {"model_waiting": ModelWaiting})


KINDS = (
    _kind(OrderKind.QUESTION, "questioned"),
    _kind(OrderKind.PLAN, "planned"),
    _kind(OrderKind.ANALYZE, "analyzed"),
    _kind(OrderKind.JUDGE, "judged"),
    _kind(OrderKind.IMPACT, "weighed"),
    _kind(OrderKind.SUMMARISE, "summarised"),
)
