"""Missions with their conversation and questions; plans are in `plans`."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy import update as update_of

from toryo.domain import subjects
from toryo.domain.words import MISSION_ENDED, MissionStatus
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MessageRow, MissionRow, ModelCallRow, QuestionRow
from toryo.store.database.mission_schema import messages, missions, model_calls, questions
from toryo.store.database.rows import TaskRow
from toryo.store.database.schema import IS_LIVE, IS_PLANNED, OF_A_MISSION, runs, tasks
from toryo.store.database.statements import add, add_if_new, change, every, every_of, first, prefixed

_ENDED = sorted(status.value for status in MISSION_ENDED)
_GET = select(missions).where(missions.c.id == bindparam("it"))
_PAGE = (
    select(missions)
    .where(missions.c.seq > bindparam("after"))
    .order_by(missions.c.seq)
    .limit(bindparam("most"))
)
_NEWEST = select(missions).order_by(missions.c.seq.desc()).limit(bindparam("most"))
_LIVE = select(missions).where(missions.c.status.not_in(_ENDED)).order_by(missions.c.seq)
_FINISHED = (
    select(missions)
    .where(missions.c.project == bindparam("project"), missions.c.status == MissionStatus.COMPLETED.value)
    .order_by(missions.c.seq.desc())
    .limit(bindparam("most"))
)
_MESSAGES = (
    select(messages)
    .where(messages.c.mission == bindparam("it"), messages.c.seq > bindparam("after"))
    .order_by(messages.c.seq)
)
_LAST_MESSAGE = select(func.max(messages.c.seq)).where(messages.c.mission == bindparam("it"))
_QUESTIONS = select(questions).where(questions.c.mission == bindparam("it")).order_by(questions.c.number)
_TASKS = select(tasks).where(tasks.c.mission == bindparam("it"), OF_A_MISSION).order_by(tasks.c.seq)
_PLANNED = _TASKS.where(IS_PLANNED)
_LIVE_RUNS = (
    select(func.count())
    .select_from(runs)
    .where(
        runs.c.task.in_(select(tasks.c.id).where(tasks.c.mission == bindparam("it"), OF_A_MISSION)), IS_LIVE
    )
)
_CALLS = select(model_calls).where(model_calls.c.mission == bindparam("it"))
_SPEC_DIRS = select(missions.c.spec_dir).where(
    missions.c.project == bindparam("project"), missions.c.id != bindparam("but")
)
_ANSWER = (
    update_of(questions)
    .where(
        questions.c.mission == bindparam("of_mission"),
        questions.c.id == bindparam("of_id"),
        questions.c.answer.is_(None),
    )
    .values(answer=bindparam("given"), answered_at=bindparam("now"))
)


def insert(tx: Tx, row: MissionRow) -> int:
    return add(tx, missions, row)


def get(tx: Tx, id: str) -> MissionRow | None:
    return first(tx, MissionRow, _GET, it=id)


def by_prefix(tx: Tx, text: str) -> list[MissionRow]:
    return prefixed(tx, MissionRow, missions, text)


def page(
    tx: Tx, *, project: str | None = None, status: str | None = None, after_seq: int = 0, limit: int = 50
) -> list[MissionRow]:
    only = {"project": project, "status": status}
    return every_of(tx, MissionRow, _PAGE, missions, only, after=after_seq, most=limit)


def newest(tx: Tx, *, project: str | None = None, limit: int = 10) -> list[MissionRow]:
    return every_of(tx, MissionRow, _NEWEST, missions, {"project": project}, most=limit)


def live(tx: Tx, project: str | None = None) -> list[MissionRow]:
    """Those that did not end, the oldest first."""
    return every_of(tx, MissionRow, _LIVE, missions, {"project": project})


def mark_live(tx: Tx, project: str) -> None:
    """Have every mission of the project looked at that did not end."""
    for row in live(tx, project):
        tx.mark(subjects.mission(row.id))


def finished(tx: Tx, project: str, limit: int = 10) -> list[MissionRow]:
    """Completed ones, the newest first."""
    return every(tx, MissionRow, _FINISHED, project=project, most=limit)


def spec_dirs(tx: Tx, project: str, *, but: str) -> list[str]:
    """Where the project's other missions have their files."""
    found = tx.conn.execute(_SPEC_DIRS, {"project": project, "but": but})
    return [str(one) for (one,) in found]


def update(tx: Tx, id: str, **columns: Any) -> None:
    change(tx, missions, {"id": id}, {**columns, "changed_at": tx.now})


def say(tx: Tx, row: MessageRow) -> None:
    add(tx, messages, row)
    tx.touch_mission(row.mission)


def messages_of(tx: Tx, mission: str, after_seq: int = 0) -> list[MessageRow]:
    return every(tx, MessageRow, _MESSAGES, it=mission, after=after_seq)


def last_message(tx: Tx, mission: str) -> int:
    """The number of the newest line of its conversation; 0: there is none."""
    return int(prepared.value(tx.conn, _LAST_MESSAGE, {"it": mission}) or 0)


def ask(tx: Tx, row: QuestionRow) -> None:
    add(tx, questions, row)


def questions_of(tx: Tx, mission: str) -> list[QuestionRow]:
    return every(tx, QuestionRow, _QUESTIONS, it=mission)


def answer(tx: Tx, mission: str, question: str, text: str) -> bool:
    """False: somebody answered it before, and that answer stays."""
    given = {"of_mission": mission, "of_id": question, "given": text, "now": tx.now}
    return tx.conn.execute(_ANSWER, given).rowcount == 1


def tasks_of(tx: Tx, mission: str) -> list[TaskRow]:
    """Also those into which its units divided theirs."""
    return every(tx, TaskRow, _TASKS, it=mission)


def planned_of(tx: Tx, mission: str) -> list[TaskRow]:
    """Those of its plan; of a tree its root alone."""
    return every(tx, TaskRow, _PLANNED, it=mission)


def live_runs(tx: Tx, mission: str) -> int:
    return int(prepared.value(tx.conn, _LIVE_RUNS, {"it": mission}) or 0)


def add_call(tx: Tx, row: ModelCallRow) -> bool:
    return add_if_new(tx, model_calls, row, "order")


def calls_of(tx: Tx, mission: str) -> list[ModelCallRow]:
    return every(tx, ModelCallRow, _CALLS, it=mission)
