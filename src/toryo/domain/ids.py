"""Ids of rows, each a type of its own: a run's id is no task's."""

from __future__ import annotations

from typing import NewType

ProjectId = NewType("ProjectId", str)
TaskId = NewType("TaskId", str)
RunId = NewType("RunId", str)
OrderId = NewType("OrderId", str)
LandingId = NewType("LandingId", str)
GateId = NewType("GateId", str)
CoordinatorId = NewType("CoordinatorId", str)
"""`machine/name`."""
AgentName = NewType("AgentName", str)
"""An agent has no other id."""
MissionId = NewType("MissionId", str)
