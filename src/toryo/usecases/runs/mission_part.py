"""What a worker is told of its mission: every answer of the person, and of its neighbours what it builds on.

Which prompts are rich is a rule, not a model's choice (S3-48); an independent task's description stands in no
other prompt.
"""

from __future__ import annotations

from dataclasses import dataclass

from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.tables import claims, missions, runs, tasks

LONG = 800
"""Characters of a description beyond which its task is complex."""
SUMMARY = 1500


@dataclass(frozen=True)
class Predecessor:
    title: str
    summary: str = ""


@dataclass(frozen=True)
class MissionPart:
    title: str
    answers: tuple[tuple[str, str], ...] = ()
    """Questions with what the person answered, all of them."""
    predecessors: tuple[Predecessor, ...] = ()
    neighbours: tuple[str, ...] = ()
    """Titles of the mission's other tasks."""


def mission_part(tx: Tx, task: TaskRow) -> MissionPart | None:
    mission = missions.get(tx, task.mission) if task.mission else None
    if mission is None:
        return None
    answers = tuple(
        (one.text, one.answer) for one in missions.questions_of(tx, mission.id) if one.answer is not None
    )
    needed = [row for name in tasks.needs_of(tx, task.id) if (row := tasks.get(tx, name))]
    if not (needed or answers or len(task.description) > LONG):
        return MissionPart(mission.title, answers)
    beside = [
        row.title
        for row in (missions.tasks_of if task.parent else missions.planned_of)(tx, mission.id)
        if row.id != task.id and row.status != "cancelled" and row not in needed
    ]
    before = tuple(Predecessor(row.title, _summary(tx, row)) for row in needed)
    return MissionPart(mission.title, answers, before, tuple(beside))


def _summary(tx: Tx, row: TaskRow) -> str:
    """What its agent said at the end; a claim, and told as one."""
    said = [one.summary for one in claims.of_task(tx, row.id) if one.summary]
    if said:
        return said[-1][:SUMMARY]
    words = [str((run.said or {}).get("words") or "") for run in runs.of_task(tx, row.id)]
    return next((one for one in reversed(words) if one), "")[:SUMMARY]
