"""Facts about a plan, and the judgement on it: faults that must be mended, notes that are shown with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from toryo.domain.planned_tasks import PlannedTask


@dataclass(frozen=True)
class OtherMission:
    """Another live mission, and what its unfinished tasks are predicted to write."""

    id: str
    title: str
    write: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlanFacts:
    tasks: tuple[PlannedTask, ...]
    agents: frozenset[str] = frozenset()
    """That work in the project."""
    default_agent: str = ""
    has_checks: bool = True
    """The project's own, which every task has to pass."""
    has_tests: bool = True
    paths: frozenset[str] = frozenset()
    """Files and folders (with a slash behind) of the repository as far as it was looked at; of a folder
    all or none."""
    landed: frozenset[str] = frozenset()
    """Plan ids of an earlier version that have landed: a new plan may depend on them."""
    others: tuple[OtherMission, ...] = ()

    @property
    def unfinished(self) -> tuple[PlannedTask, ...]:
        return tuple(task for task in self.tasks if not task.done and task.id not in self.landed)

    @property
    def graph(self) -> dict[str, tuple[str, ...]]:
        """What each waits for; what has landed waits for nothing."""
        waits = {task.id for task in self.unfinished}
        return {task.id: task.depends_on if task.id in waits else () for task in self.tasks}


class FaultCode(StrEnum):
    EMPTY = "empty"
    NO_TITLE = "no_title"
    BAD_ID = "bad_id"
    DUPLICATE_ID = "duplicate_id"
    UNKNOWN_DEPENDENCY = "unknown_dependency"
    CYCLE = "cycle"
    UNKNOWN_AGENT = "unknown_agent"
    WRITES_NOTHING = "writes_nothing"
    BAD_PATH = "bad_path"
    NO_CHECK = "no_check"
    SHARED_WORKTREE = "shared_worktree"
    SHARED_UNIT = "shared_unit"


class NoteCode(StrEnum):
    UNKNOWN_PATH = "unknown_path"
    OVERLAP = "overlap"
    OTHER_MISSION = "other_mission"
    NO_SETUP = "no_setup"


@dataclass(frozen=True)
class Fault:
    code: FaultCode
    tasks: tuple[str, ...] = ()
    """Plan ids; of a cycle in its order, the first also last."""
    names: tuple[str, ...] = ()
    """What is wrong in them: an unknown id, an agent, a path."""


@dataclass(frozen=True)
class Note:
    code: NoteCode
    tasks: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Edge:
    """`task` begins after `needs` has landed."""

    task: str
    needs: str


@dataclass(frozen=True)
class PlanJudgement:
    faults: tuple[Fault, ...] = ()
    notes: tuple[Note, ...] = ()
    edges: tuple[Edge, ...] = ()
    """Besides the plan's own: tasks that write the same run one after the other."""
    order: tuple[str, ...] = ()
    """Each behind all that it waits for; empty in a cycle."""
