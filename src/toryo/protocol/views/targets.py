"""Answers about target branches and accounts."""

from __future__ import annotations

from typing_extensions import TypedDict

from toryo.domain.ids import LandingId, ProjectId, RunId, TaskId
from toryo.protocol.views.actions import ActionView
from toryo.protocol.views.answer import Answer


class TargetLine(TypedDict):
    name: str
    project: ProjectId
    project_name: str
    tip: str
    published: str
    branch: str
    relation: str
    stopped: str | None
    reason: str
    waits_for: str | None
    waiting: list[str]
    queued: int
    accepted: int
    next: list[str]
    actions: list[ActionView]


class QueuedLanding(TypedDict):
    landing: LandingId
    kind: str
    task: TaskId | None
    title: str | None
    state: str
    commit: str
    verdict: str | None
    since: str | None


class TargetView(TargetLine):
    queue: list[QueuedLanding]


class TargetList(Answer):
    targets: list[TargetLine]


class OneTarget(Answer):
    target: TargetView


class SaidOfTarget(Answer):
    target: str
    project: ProjectId
    said: str
    why: str


class AccountView(TypedDict):
    machine: str
    client: str
    parked: bool
    why: str | None
    message: str | None
    until: str | None
    run: RunId | None
    tasks: list[TaskId]


class AccountList(Answer):
    accounts: list[AccountView]


class ReleasedAccount(Answer):
    client: str
    machine: str
    runs: list[RunId]
