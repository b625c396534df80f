"""Mission of the demo, folded from the lines of `toryo events`: its steps, each with its time. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toryo.domain.words import MISSION_ENDED, MissionStatus

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


APPROVAL = "approval"


@dataclass(frozen=True)
class MissionProgress:
    """The one mission as the events tell it."""

    id: str = ""
    status: str = ""
    begun: float = 0
    version: int = 0
    """Of the newest plan."""
    steps: tuple[tuple[str, float], ...] = ()
    """What it came to, and how many seconds after the sentence."""
    note: str = ""
    """The newest of it."""

    @property
    def is_over(self) -> bool:
        return self.status in MISSION_ENDED

    @property
    def is_approved(self) -> bool:
        return any(word == APPROVAL for word, _ in self.steps)

    @property
    def moves(self) -> str:
        """What goes on before there are tasks to look at."""
        if not self.id:
            return ""
        return {"questioning": "questions", "planning": "plan", "awaiting_approval": APPROVAL}.get(
            self.status, ""
        )


def step(mission: MissionProgress, kind: str, body: Mapping[str, Any], at: float) -> MissionProgress:
    """The mission after one event."""
    match kind:
        case "mission_started":
            return replace(mission, id=str(body["mission"]), begun=at, note="the sentence is stored")
        case "mission_asks":
            asked = _count(int(body["questions"]), "question")
            return _stepped(mission, asked, at, f"asks {asked}, each with a default")
        case "mission_answered":
            return replace(mission, note="the defaults are taken")
        case "mission_planned":
            version, tasks = int(body["version"]), _count(int(body["tasks"]), "task")
            after = _stepped(mission, "plan", at, f"has plan {version}: {tasks}")
            return replace(after, version=version)
        case "mission_approved":
            return _stepped(mission, APPROVAL, at, "is approved: the tasks begin")
        case "mission_status":
            return _status(mission, str(body["status"]), at)
    return mission


def _status(mission: MissionProgress, status: str, at: float) -> MissionProgress:
    after = replace(mission, status=status)
    if status != MissionStatus.COMPLETED:
        return replace(after, note=f"is {status}") if after.is_over else after
    return _stepped(after, status, at, "is completed: all landed, every box of its tasks.md ticked")


def _stepped(mission: MissionProgress, word: str, at: float, note: str) -> MissionProgress:
    took = max(0.0, at - mission.begun)
    return replace(mission, steps=(*mission.steps, (word, took)), note=note)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
