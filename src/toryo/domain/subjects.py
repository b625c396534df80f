"""Subjects: what is marked, decided about, spoken about or reported on, as one typed name each. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

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

Subject = NewType("Subject", str)
"""`kind:name`, as the tables of marks, verbs and events hold it."""


class SubjectKind(StrEnum):
    # marked and looked at by the drain
    TASK = "task"
    QUEUE = "queue"
    GATE = "gate"
    COORDINATOR = "coordinator"
    SESSIONS = "sessions"
    PARKED = "parked"
    NOTICES = "notices"
    MISSION = "mission"
    # only spoken about and reported on
    RUN = "run"
    TARGET = "target"
    ACCOUNT = "account"
    PROJECT = "project"
    AGENT = "agent"
    LANDING = "landing"
    ORDER = "order"


def task(id: TaskId) -> Subject:
    return named(SubjectKind.TASK, id)


def queue(project: ProjectId, target: str) -> Subject:
    return named(SubjectKind.QUEUE, f"{project}/{target}")


def gate(id: GateId) -> Subject:
    return named(SubjectKind.GATE, id)


def coordinator(id: CoordinatorId) -> Subject:
    return named(SubjectKind.COORDINATOR, id)


def parked(run: RunId) -> Subject:
    return named(SubjectKind.PARKED, run)


def mission(id: MissionId) -> Subject:
    return named(SubjectKind.MISSION, id)


SESSIONS = Subject("sessions:all")
NOTICES = Subject("notices:all")


def run(id: RunId) -> Subject:
    return named(SubjectKind.RUN, id)


def target(project: ProjectId, name: str) -> Subject:
    return named(SubjectKind.TARGET, f"{project}/{name}")


def account(machine: str, client: str) -> Subject:
    return named(SubjectKind.ACCOUNT, f"{machine}/{client}")


def project(id: ProjectId) -> Subject:
    return named(SubjectKind.PROJECT, id)


def agent(name: AgentName) -> Subject:
    return named(SubjectKind.AGENT, name)


def landing(id: LandingId) -> Subject:
    return named(SubjectKind.LANDING, id)


def order(id: OrderId) -> Subject:
    return named(SubjectKind.ORDER, id)


def narrowest(*, project: str = "", task: str = "", run: str = "") -> Subject:
    """The run if there is one, else the task, else the project; of none of them: nothing."""
    for kind, id in ((SubjectKind.RUN, run), (SubjectKind.TASK, task), (SubjectKind.PROJECT, project)):
        if id:
            return named(kind, id)
    return Subject("")


def parse(subject: str) -> tuple[SubjectKind, str]:
    """Its kind and the rest; of a queue and a target the rest is `project/target`."""
    kind, _, name = subject.partition(":")
    return SubjectKind(kind), name


def named(kind: SubjectKind, name: str) -> Subject:
    return Subject(f"{kind.value}:{name}")
