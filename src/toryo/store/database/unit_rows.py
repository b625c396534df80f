"""Row types of units: one frozen dataclass per table of `unit_schema`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from toryo.domain.ids import MissionId, ProjectId, RunId, TaskId
from toryo.store.database.rows import Json, TableRow


@dataclass(frozen=True, kw_only=True)
class UnitRow(TableRow):
    task: TaskId
    project: ProjectId
    mission: MissionId
    depth: int
    requirements: str = ""
    """Hash in `texts`: requirements.yml of its tree."""
    scoped: str = ""
    """Hash in `texts`: its scoped-requirements.yml."""
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class BreakdownRow(TableRow):
    seq: int = 0
    task: TaskId
    run: RunId = RunId("")
    generation: int = 0
    digest: str
    body: Json
    spawned: Sequence[str] = ()
    """Ids of the tasks that it made."""
    at: float


@dataclass(frozen=True, kw_only=True)
class UnitMessageRow(TableRow):
    seq: int = 0
    id: str
    mission: MissionId
    sender: TaskId = TaskId("")
    """Task id of the sending unit; empty: a person, or Toryo itself."""
    receiver: TaskId = TaskId("")
    """Task id of the unit that is told; empty: nobody."""
    type: str
    task: TaskId = TaskId("")
    """The task it is about."""
    data: Json = field(default_factory=dict)
    at: float
    delivered_at: float | None = None
    delivered_run: RunId = RunId("")
    attempts: int = 0
    dead: bool = False
