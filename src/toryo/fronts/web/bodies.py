"""Arguments of the page's routes: what a query or a body may hold, as the OpenAPI document tells it.

The daemon judges them; a test holds these fields against the arguments of its tools.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from toryo.domain.words import Access, Priority, Style, Terminal

LARGEST = 2**62


class Arguments(BaseModel):
    """Anything that is not named is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Nothing(Arguments):
    """No arguments."""


class InProject(Arguments):
    project: str = Field(default="", description="Name or id of a project.")


# ── tasks ──


class Monitor(InProject):
    all: bool = Field(default=False, description="A page of all tasks; `Link` names the next.")
    after: int = Field(default=0, ge=0, le=LARGEST)


class TaskLines(InProject):
    status: str = ""
    parent: str = ""
    limit: int = Field(default=200, ge=1, le=1000)
    after_seq: int = Field(default=0, ge=0, le=LARGEST, description="`next_after` of the page before.")


class Work(InProject):
    recent: int = Field(
        default=2000, ge=1, le=2000, description="Unfinished tasks and so many of the newest."
    )


class NewTask(InProject):
    title: str
    description: str = ""
    type: str = "task"
    priority: Priority = Priority.MEDIUM
    agent: str = ""
    after: list[str] = []
    parent: str = ""
    write: list[str] | None = None
    checks: list[str] = []
    timeout_s: float | None = Field(default=None, gt=0, le=7 * 86400)
    held: bool = False


class UpdateTask(Arguments):
    status: Literal["", "open", "in_progress", "done", "cancelled", "failed"] = ""
    title: str = ""
    description: str | None = None
    type: str = ""
    priority: Priority | None = None
    agent: str = ""
    after: list[str] | None = None
    write: list[str] | None = None
    checks: list[str] | None = None
    timeout_s: float | None = Field(default=None, gt=0, le=7 * 86400)


class NamedBranch(Arguments):
    branch: str


class DeleteBranch(NamedBranch):
    commit: str = Field(default="", description="Only if it is still at this commit.")


class MergeBranch(NamedBranch):
    onto: str = Field(default="", description="Another target than the project's.")
    note: str = ""


class StartOnBranch(NamedBranch):
    agent: str


class Note(Arguments):
    note: str = ""


class Verb(Note):
    seen: str = Field(default="", max_length=200, description="The reason that it answers, as it was shown.")


class Retry(Verb):
    discard: bool = Field(default=False, description="Also where a person worked in the worktree.")
    allow: list[str] = Field(
        default=[],
        max_length=1000,
        description="Paths that it may change from now on, besides what limits it.",
    )


class Diff(Arguments):
    stat: bool = False
    offset: int = Field(default=0, ge=0, le=LARGEST)


class UnitTree(InProject):
    unit: str = Field(default="", description="A unit or a mission; empty: the newest tree.")


class SpawnTree(InProject):
    requirements: str
    agent: str = ""
    onto: str = ""
    at_once: bool = False
    environment: dict[str, str] = {}
    budget: dict[str, float] = {}


class OneUnit(Arguments):
    path: str = ""


class PauseUnit(OneUnit):
    now: bool = False


class Here(InProject):
    path: str = ""


class UnitMessages(Here):
    after: int = Field(default=0, ge=0, le=LARGEST)
    limit: int = Field(default=100, ge=1, le=1000)


class UnitMessage(Here):
    to: str
    type: str = "instruct"
    data: dict[str, Any] = {}
    message: str = ""


class AllMessages(Here):
    after: int = Field(default=0, ge=0, le=LARGEST)
    limit: int = Field(default=1000, ge=1, le=1000)
    wait_s: float = Field(default=0, ge=0, le=30)


class Review(Arguments):
    since_last: bool = Field(default=False, description="Only hunks that were not seen as they are now.")


class MarkHunks(Arguments):
    hunks: list[str] = Field(default=[], description="None: every one.")
    seen: bool = True


class ReviewComment(Arguments):
    path: str
    first: int = Field(ge=1, le=LARGEST)
    last: int = Field(ge=1, le=LARGEST)
    text: str
    excerpt: str = ""


class CommentText(Arguments):
    text: str = Field(default="", description="Empty: the draft goes.")


class CheckOutput(Arguments):
    order: str = ""
    offset: int = Field(default=0, ge=0, le=LARGEST)


class Commits(Arguments):
    base: str = Field(default="", max_length=500, description="Left out is what this has.")
    head: str = Field(default="", max_length=500)
    offset: int = Field(default=0, ge=0, le=LARGEST)
    limit: int = Field(default=100, ge=1, le=300)


class AtCommit(Arguments):
    commit: str = Field(default="", max_length=500)
    offset: int = Field(default=0, ge=0, le=LARGEST)


class File(AtCommit):
    file: str = Field(min_length=1, max_length=4096)


class Folder(AtCommit):
    folder: str = Field(default="", max_length=4096)


class Branches(Arguments):
    target: str = Field(default="", max_length=500)
    offset: int = Field(default=0, ge=0, le=LARGEST)
    limit: int = Field(default=100, ge=1, le=200)


class Why(InProject):
    id: str = Field(min_length=1, max_length=500, description="A task, run, target branch or project.")


# ── runs ──


class Runs(InProject):
    task: str = ""
    limit: int = Field(default=50, ge=1, le=1000)


class Log(Arguments):
    offset: int = Field(default=0, ge=0, le=LARGEST)
    limit: int = Field(default=131072, ge=1, le=262144)
    raw: bool = False
    tail: int = Field(default=0, ge=0, le=1000, description="So many of its last lines.")
    before: int = Field(default=0, ge=0, le=LARGEST, description="The piece that ends there.")
    colours: bool = Field(default=False, description="With the escape codes of its colours.")


class SearchLog(Arguments):
    text: str = Field(min_length=1, max_length=200)
    any_case: bool = False
    offset: int = Field(default=0, ge=0, le=LARGEST)
    limit: int = Field(default=50, ge=1, le=200)


class Screen(Arguments):
    colours: bool = False


class EndSession(InProject):
    session: str = Field(default="", pattern="^([0-9a-f]{12,64})?$", description="Only that one of its.")


class Say(Arguments):
    text: str
    message: str = Field(default="", pattern="^(m[a-z0-9]{8,40})?$")


class Restore(Arguments):
    run: str = ""
    task: str = ""
    destination: str = ""
    worktree: bool = False


# ── projects, agents, targets, accounts ──


class NewProject(Arguments):
    path: str = Field(min_length=1)
    base: str = ""
    name: str = ""
    take_over: bool = False


class Move(Arguments):
    path: str = Field(min_length=1)


class RemoveProject(Arguments):
    dry_run: bool = True


class NewAgent(InProject):
    """What is left out stays as it is, or begins with its default."""

    name: str
    client: str | None = None
    command: str | None = None
    role: str | None = None
    model: str | None = None
    system_prompt: str | None = None
    prompt: str | None = None
    scope: dict[str, list[str] | None] | None = None
    slots: int | None = Field(default=None, ge=0, le=1000)
    access: Access | None = None
    style: Style | None = None
    terminal: Terminal | None = None
    start_in: Literal["context", "worktree"] | None = None
    skills: dict[str, str] | None = None


class Assign(InProject):
    default: bool = False


class RemoveAgent(InProject):
    everywhere: bool = False


class OneTarget(InProject):
    target: str = Field(min_length=1)


class TargetNote(OneTarget):
    note: str = ""


class Account(Arguments):
    client: str = Field(min_length=1)
    machine: str = ""


# ── missions ──


class NewMission(InProject):
    text: str = ""
    onto: str = ""
    plan_only: bool = False
    approval: Literal["", "auto", "plan", "each"] = ""
    follow: str = ""
    new: bool = False
    budget: dict[str, float] = {}


class Missions(InProject):
    status: str = ""
    limit: int = Field(default=50, ge=1, le=1000)
    after_seq: int = Field(default=0, ge=0, le=LARGEST)


class Answers(Arguments):
    answers: dict[str, str] = {}
    defaults: bool = False


class ApprovePlan(Arguments):
    version: int = Field(default=0, ge=0, le=LARGEST)


class RejectPlan(ApprovePlan):
    reason: str


class SayMission(Arguments):
    text: str


class SetMission(Arguments):
    parallelism: int


class PauseMission(Arguments):
    now: bool = False


class Budget(Arguments):
    budget: dict[str, float]


# ── the installation ──


class Events(InProject):
    after: int = Field(default=0, ge=-1, le=LARGEST)
    limit: int = Field(default=100, ge=1, le=1000)
    last: int = Field(default=0, ge=0, le=1000)
    before: int = Field(default=0, ge=0, le=LARGEST, description="With `last`: those before this `seq`.")
    task: str = ""
    kind: str = ""
    subject: str = ""
    plumbing: bool = True
    titles: bool = False


class Setting(Arguments):
    value: str = Field(max_length=20_000)
