"""Judgements of a stuck task: the model's word becomes a verb, within what a model may say."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.errors import Refused
from toryo.domain.words import Speaker, TaskStatus, Verb
from toryo.engine.missions import judge_questions
from toryo.engine.missions.conversation import say
from toryo.protocol.kinds.planner import JudgeAnswer
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import OrderRow, TaskRow
from toryo.store.tables import tasks
from toryo.usecases.tasks.verbs import said


def apply_judgement(tx: Tx, row: MissionRow, order: OrderRow, answer: JudgeAnswer) -> None:
    task = tasks.get(tx, order.task)
    if task is None:
        return
    name = task.planned or task.id
    if int(order.inputs.get("n", 0)) != judge_questions.attempt_of(tx, task):
        text = f"{name}: {answer.action}, about an earlier attempt: nothing follows. {answer.note}"
        say(tx, row.id, Speaker.PLANNER, text.strip())
        return
    say(tx, row.id, Speaker.PLANNER, f"{name}: {answer.action}. {answer.note}".strip())
    told = {"mission": row.id, "action": answer.action, "note": answer.note[:500]}
    tx.emit("task_judged", told, project=row.project, task=task.id)
    if answer.action == "ask":
        text = answer.question or answer.note or "What should happen with it?"
        say(tx, row.id, Speaker.PLANNER, text)
        if task.status in ("failed", "needs_review"):
            judge_questions.ask(tx, row, task, text, answer.note)
    elif task.status in ("failed", "needs_review"):  # else a person was faster
        try:
            said(tx, task, _verb(answer.action, task), f"The planner says: {answer.note}"[:2000])
        except Refused as refused:
            say(tx, row.id, Speaker.SYSTEM, f"{name} stays as it is: {refused.message}")
    tx.mark(subjects.task(task.id))


def _verb(action: str, task: TaskRow) -> Verb:
    """Nothing of a failed task can be rejected any more: its failure is let rest."""
    if action != "give_up":
        return Verb.RETRY
    return Verb.DISMISS if task.status == TaskStatus.FAILED else Verb.REJECT
