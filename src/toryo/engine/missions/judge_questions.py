"""Questions about stuck tasks: what a model asks before such a task goes on; they hold up nothing else."""

from __future__ import annotations

from toryo.domain import planned_tasks, subjects
from toryo.domain.words import Verb
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, QuestionRow
from toryo.store.database.rows import TaskRow
from toryo.store.tables import missions, verbs

DEFAULT = "Try once more."


def attempt_of(tx: Tx, task: TaskRow) -> int:
    return 1 + sum(one.verb == Verb.RETRY for one in verbs.of_task(tx, task.id))


def ask(tx: Tx, row: MissionRow, task: TaskRow, text: str, default: str) -> None:
    known = missions.questions_of(tx, row.id)
    id = planned_tasks.question_id(task.planned or task.id, attempt_of(tx, task))
    if id in {one.id for one in known}:
        return
    question = QuestionRow(
        mission=row.id,
        id=id,
        number=len(known) + 1,
        request=row.request,
        text=f"{task.planned} {task.title}: {text}",
        default=default or DEFAULT,
    )
    missions.ask(tx, question)
    told = {"mission": row.id, "questions": 1, "task": task.id}
    tx.emit("mission_asks", told, project=row.project, subject=subjects.mission(row.id))


def open_of(tx: Tx, row: MissionRow) -> list[tuple[QuestionRow, TaskRow]]:
    """Those that nobody answered, with their tasks."""
    asked = [(one, planned_tasks.asked_about(one.id)) for one in missions.questions_of(tx, row.id)]
    waiting = {about[0]: one for one, about in asked if about and one.answer is None}
    known = missions.planned_of(tx, row.id) if waiting else []
    return [
        (waiting[task.planned], task)
        for task in known
        if task.planned in waiting and task.status in ("failed", "needs_review")
    ]


def close(tx: Tx, task: TaskRow, words: str) -> None:
    """Whoever moves the task on has answered what was asked about it."""
    row = missions.get(tx, task.mission) if task.mission else None
    for question, about in open_of(tx, row) if row else ():
        if about.id == task.id:
            missions.answer(tx, task.mission, question.id, words or "decided about the task itself")
