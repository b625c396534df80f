"""Questions of a mission: what a model asks, and the open points of a plan; one batch at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toryo.domain import subjects
from toryo.domain.words import Speaker
from toryo.engine.missions.conversation import say
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, PlanRow, QuestionRow
from toryo.store.gather.mission_facts import points_of
from toryo.store.tables import missions

MOST_QUESTIONS = 20


@dataclass(frozen=True)
class Wanted:
    id: str
    text: str
    options: tuple[str, ...] = ()
    default: str = ""


def ask(tx: Tx, row: MissionRow, wanted: Sequence[Wanted]) -> None:
    """New questions behind those that were asked; an id that is taken gets a number."""
    known = missions.questions_of(tx, row.id)
    taken = {one.id.lower() for one in known}
    for number, one in enumerate(wanted[:MOST_QUESTIONS], len(known) + 1):
        id = one.id if one.id.lower() not in taken and one.id.isidentifier() else f"Q{number}"
        taken.add(id.lower())
        question = QuestionRow(
            mission=row.id,
            id=id,
            number=number,
            request=row.request,
            text=one.text,
            options=list(one.options),
            default=one.default,
        )
        missions.ask(tx, question)
    if wanted:
        listed = "\n".join(f"{one.text}" + (f" [{one.default}]" if one.default else "") for one in wanted)
        say(tx, row.id, Speaker.PLANNER, listed)
        tx.emit(
            "mission_asks",
            {"mission": row.id, "questions": len(wanted)},
            project=row.project,
            subject=subjects.mission(row.id),
        )


def ask_points(tx: Tx, row: MissionRow, plan: PlanRow) -> None:
    """A plan that leaves points open is not offered: they are asked, and it is planned anew."""
    points = points_of(plan)
    ask(tx, row, [Wanted(point_id(plan.version, number), one) for number, one in enumerate(points, 1)])


def point_id(version: int, number: int) -> str:
    return f"V{version}P{number}"
