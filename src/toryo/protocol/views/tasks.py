"""Answers about tasks: a line of a list, a whole task, what it waits for, and what a verb led to."""

from __future__ import annotations

from typing_extensions import TypedDict

from toryo.domain.ids import AgentName, MissionId, OrderId, ProjectId, RunId, TaskId
from toryo.protocol.views.actions import ActionView
from toryo.protocol.views.answer import Answer
from toryo.protocol.views.runs import ClaimView, RunView


class TaskLine(TypedDict):
    id: TaskId
    seq: int
    project: ProjectId
    title: str
    type: str
    priority: str
    agent: AgentName
    parent: TaskId | None
    unit: str | None
    """Its place in a tree of units; null: it is no unit."""
    mission: MissionId | None
    status: str
    outside_status: str
    reason: str
    detail: str
    verdict: str | None
    at_rest: bool
    branch: str
    target_branch: str
    created_at: str | None
    changed_at: str | None


class ListedTask(TaskLine):
    dependencies: list[str]
    """Ids of the tasks that it waits for, or waited for."""


class ListedTasks(Answer):
    tasks: list[ListedTask]
    more: bool
    next_after: int


class WaitsForView(TypedDict):
    """What a ready task waits for."""

    code: str
    what: str
    type: str | None
    """The line that helps."""
    tasks: list[TaskId]
    actions: list[ActionView]


class NeedsPerson(TypedDict):
    """What waits for a person, with what they may do."""

    subject: str
    """`task:ID`, or `queue:PROJECT/TARGET` where no task stands for a target."""
    task: str
    """Its id; a project's name where no task stands for the target."""
    title: str
    project: ProjectId
    project_name: str
    status: str
    reason: str
    why: str
    type: str
    lines: list[str]
    actions: list[ActionView]
    behind: int
    """How many accepted tasks wait behind it."""
    unblocks: int
    """How many blocked tasks an answer frees, counted to 1000."""


class RunningCheck(TypedDict):
    command: str
    number: int
    of: int
    attempt: int
    started: bool
    since: str | None
    order: OrderId


class VerbView(TypedDict):
    verb: str
    reason: str
    note: str
    at: str | None


class ChildView(TypedDict):
    id: TaskId
    title: str
    agent: AgentName
    status: str
    reason: str
    at_rest: bool


class TaskView(TaskLine):
    description: str
    write: list[str] | None
    checks: list[str]
    timeout_s: float | None
    held: bool
    dismissed: bool
    worktree: str
    base_commit: str
    landed_commit: str | None
    accepted_commit: str | None
    waiting_for: str | None
    waits_for: WaitsForView | None
    next: list[str]
    actions: list[ActionView]
    """What a person may do, the likeliest first; `next` has their lines."""
    next_purpose: str | None
    changed_files: list[str]
    checking: RunningCheck | None
    dependencies: list[str]
    children: list[ChildView]
    claims: list[ClaimView]
    verbs: list[VerbView]
    runs: list[RunView]


class OneTask(Answer):
    task: TaskView


class AddedTask(Answer):
    id: TaskId
    project: ProjectId
    title: str
    notes: list[str]


class AwaitedTask(TypedDict):
    id: TaskId
    title: str
    status: str
    reason: str
    detail: str
    at_rest: bool
    needs_you: NeedsPerson | None


class AwaitedTasks(Answer):
    tasks: list[AwaitedTask]
    all_at_rest: bool


class AwaitedOne(Answer):
    """One task as it is when the wait ends."""

    id: TaskId
    title: str
    status: str
    reason: str
    detail: str
    at_rest: bool
    needs_you: NeedsPerson | None


class SaidVerb(Answer):
    """Which verb was kept: an approval of a held task is a release."""

    id: TaskId
    said: str
    already: bool
    """Somebody was first: `said` is what they said, and nothing else was kept."""
    by: str
    """Of the first answer: the verb, when, and its note."""


class SubmittedTask(SaidVerb):
    run: RunId


class BuiltOn(TypedDict):
    """A later done task that depends on it or changed the same files."""

    id: TaskId
    title: str
    depends: bool
    files: list[str]


class RevertedTask(Answer):
    id: TaskId
    reverts: str
    title: str
    builds_on_it: list[BuiltOn]


class HandWork(Answer):
    holds: bool
    what: str


class UpdatedTask(Answer):
    id: TaskId
    status: str
    reason: str
    detail: str
    missing: list[str]
    """What stands between it and done."""
    notes: list[str]
