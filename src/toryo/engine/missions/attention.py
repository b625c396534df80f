"""Attention for missions: those that only a person moves on, with what they may do."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.actions import Do, action, lines
from toryo.domain.reasons import Reason, Turn, meaning, parse
from toryo.engine.actions import shown
from toryo.engine.missions import judge_questions
from toryo.protocol.views import tasks as views
from toryo.reconciler.missions.actions import mission_actions
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.tables import missions, projects

_KNOWN = (Reason.PAUSED, Reason.NEEDS_YOU)
"""What a person did themselves, and what its tasks say each for itself."""


def waits(row: MissionRow) -> bool:
    return meaning(row.reason).turn is Turn.PERSON and parse(row.reason)[0] not in _KNOWN


def of_missions(tx: Tx, project: str | None) -> list[views.NeedsPerson]:
    """The oldest first."""
    live = missions.live(tx, project)
    return [of_mission(tx, row) for row in live if waits(row) or judge_questions.open_of(tx, row)]


def of_mission(tx: Tx, row: MissionRow) -> views.NeedsPerson:
    asked = judge_questions.open_of(tx, row)
    return _asked(tx, row, [question.text for question, _ in asked]) if asked else _wish(tx, row)


def _asked(tx: Tx, row: MissionRow, questions: list[str]) -> views.NeedsPerson:
    """A stuck task waits for a word; the others may go on meanwhile."""
    found = (action(Do.ANSWER_MISSION, row.id), action(Do.SAY_TO_MISSION, row.id))
    typed = lines(found)
    told = {"why": " ".join(questions), "type": typed[0], "lines": list(typed)}
    return {**_wish(tx, row), **told, "actions": [shown(one) for one in found]}  # type: ignore[typeddict-item]


def sentence(row: MissionRow) -> str:
    told = meaning(row.reason).sentence if row.reason else row.status
    detail = row.detail or parse(row.reason)[1]
    return f"{told}: {detail}" if detail else told


def _wish(tx: Tx, row: MissionRow) -> views.NeedsPerson:
    found = mission_actions(row.id, row.status, row.reason)
    project = projects.get(tx, row.project)
    typed = lines(found)
    return {
        "subject": subjects.mission(row.id),
        "task": row.id,
        "title": row.title,
        "project": row.project,
        "project_name": project.name if project else row.project,
        "status": row.status,
        "reason": row.reason,
        "why": sentence(row),
        "type": typed[0] if typed else f"toryo mission show {row.id}",
        "lines": list(typed),
        "actions": [shown(one) for one in found],
        "behind": 0,
        "unblocks": 0,
    }
