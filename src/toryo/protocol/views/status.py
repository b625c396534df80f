"""Answers about the installation: the status page, events, findings of the doctor, recomputed caches."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from toryo.domain.ids import AgentName, CoordinatorId, ProjectId, RunId, TaskId
from toryo.protocol.views.actions import ActionView
from toryo.protocol.views.answer import Answer
from toryo.protocol.views.missions import MissionLine
from toryo.protocol.views.projects import ProjectView
from toryo.protocol.views.tasks import NeedsPerson, TaskLine, WaitsForView


class DaemonView(TypedDict):
    pid: int
    version: str
    uptime_s: float
    home: str


class CoordinatorView(TypedDict):
    id: CoordinatorId
    name: str
    machine: str
    pid: int
    incarnation: int
    live: bool
    seen_at: str | None
    clients: dict[str, str]
    runs: list[RunId]


class CrewMember(TypedDict):
    id: AgentName
    project: ProjectId | None
    project_name: str | None
    client: str | None
    slots: int | None
    status: str
    runs: list[RunId]


class StatusProject(ProjectView):
    settings_looked_at: str | None


class InstallationProblem(TypedDict):
    project: str
    """Its id, or `home`."""
    what: str
    type: str


class ParkedAccount(TypedDict):
    tasks: list[TaskId]
    machine: str
    client: str
    why: str
    message: str
    until: str | None
    run: RunId


class WorkLine(TaskLine):
    project_name: str
    dependencies: list[str]
    steps: list[str]
    started_at: str | None
    silent_since: str | None
    waits_for: WaitsForView | None
    dead: bool
    """Dead-blocked: it waits, along its chain, for a task that failed, was cancelled or was rejected."""
    dead_at: str | None
    dead_action: ActionView | None
    """What a person may do at that task, the likeliest."""


class Status(Answer):
    counts: dict[str, int]
    daemon: DaemonView
    coordinators: list[CoordinatorView]
    planners: list[CoordinatorView]
    agents: list[CrewMember]
    projects: list[StatusProject]
    problems: list[InstallationProblem]
    parked: list[ParkedAccount]
    moving: list[WorkLine]
    ready: list[WorkLine]
    work: list[WorkLine]
    missions: list[MissionLine]
    needs_you: list[NeedsPerson]
    needs_you_counts: dict[str, int]
    removed: list[TaskLine]


class EventView(TypedDict):
    seq: int
    at: str | None
    kind: str
    subject: str | None
    """What it is about, `kind:name`; `project`, `task` and `run` say where it belongs."""
    project: ProjectId | None
    task: TaskId | None
    run: RunId | None
    body: dict[str, Any]
    title: NotRequired[str]
    """This and the following: only where titles were asked for."""
    project_name: NotRequired[str]


class EventPage(Answer):
    events: list[EventView]
    next_after: int
    newest: int
    resync: bool


class Finding(TypedDict):
    level: str
    what: str
    hint: str


class ClientView(TypedDict):
    name: str
    path: str
    version: str
    tested: bool
    problem: str
    hint: str


class MachineView(TypedDict):
    machine: str
    uid: int | None
    programs: dict[str, str]
    clients: list[ClientView]


class Doctor(Answer):
    findings: list[Finding]
    clients: dict[str, str]
    machines: list[MachineView]
    isolation: str


class Difference(TypedDict):
    task: TaskId
    project: ProjectId
    what: str
    cached: str
    facts_say: str


class Recomputed(Answer):
    compared: int
    differences: list[Difference]


class Health(Answer):
    status: str
    version: str
    timestamp: str | None
    pid: int
    instruction: NotRequired[str]
    """For agents."""


class ShutDown(Answer):
    pid: int
