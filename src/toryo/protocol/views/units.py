"""Answers about units: a tree that began, children that were spawned, a tree as it stands."""

from __future__ import annotations

from typing_extensions import TypedDict

from toryo.protocol.views.answer import Answer


class SpawnedTree(Answer):
    mission: str
    task: str
    unit: str
    branch: str
    project: str


class SpawnedUnit(TypedDict):
    unit: str
    task: str


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
    id: str
    """Of its task."""
    title: str
    status: str
    edge: str
    """pending, running, completed or error, as in children-status.yml."""
    reason: str
    detail: str
    parent: str | None
    branch: str
    agent: str
    children: list[str]


class UnitTree(Answer):
    mission: str
    project: str
    title: str
    status: str
    reason: str
    detail: str
    units: list[UnitLine]


class SteeredUnit(Answer):
    unit: str
    task: str
    said: str
    status: str
    reason: str
