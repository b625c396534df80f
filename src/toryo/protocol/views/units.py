"""Answers about units: a tree that began, children that were spawned, a tree as it stands."""

from __future__ import annotations

from typing_extensions import TypedDict

from toryo.domain.ids import AgentName, MissionId, ProjectId, TaskId
from toryo.protocol.views.answer import Answer


class SpawnedTree(Answer):
    mission: MissionId
    task: TaskId
    unit: str
    branch: str
    project: ProjectId


class SpawnedUnit(TypedDict):
    unit: str
    task: TaskId


class SpawnedChildren(Answer):
    spawned: list[SpawnedUnit]
    known: list[SpawnedUnit]
    """Spawned before: nothing begins twice."""
    changed: list[SpawnedUnit]
    """Of those the ones that wait for other tasks from now on."""
    warnings: list[str]
    children_status: str
    """The text of children-status.yml as it is now."""
    instruction: str


class UnitLine(TypedDict):
    unit: str
    id: TaskId
    """Of its task."""
    title: str
    status: str
    edge: str
    """pending, running, completed or error, as in children-status.yml."""
    reason: str
    detail: str
    parent: str | None
    branch: str
    agent: AgentName
    children: list[str]


class UnitTree(Answer):
    mission: MissionId
    project: ProjectId
    title: str
    status: str
    reason: str
    detail: str
    units: list[UnitLine]


class SteeredUnit(Answer):
    unit: str
    task: TaskId
    said: str
    status: str
    reason: str
