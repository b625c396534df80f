"""Words for a task whose agent ended with a question: a verb. For a running one they are in runs/say.py."""

from __future__ import annotations

from toryo.domain.words import Verb
from toryo.engine.context import HeadContext
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.tables import runs, tasks, verbs
from toryo.usecases.finding import the_run, the_task
from toryo.usecases.runs.say import refuse_words
from toryo.usecases.tasks.verbs import said


def answer_question(context: HeadContext, text_id: str, words: str) -> str:
    """The id of the task that goes on with this answer; empty: it asked nothing."""
    refuse_words(words)
    with context.store.change() as tx:
        row = _meant(tx, text_id)
        if row is None:
            return ""
        if row.reason == "asked" and not _is_answered(tx, row, words):
            said(tx, row, Verb.ANSWER, words)
            return row.id
        return row.id if _is_answered(tx, row, words) else ""


def _meant(tx: Tx, text: str) -> TaskRow | None:
    """None: a run that is not its task's newest; to that one nothing is answered."""
    if text.startswith("t"):
        return the_task(tx, text)
    run = the_run(tx, text)
    task = tasks.get(tx, run.task)
    return task if task and task.generation == run.generation else None


def _is_answered(tx: Tx, row: TaskRow, words: str) -> bool:
    """Said once more by somebody who did not hear that it was taken; a running agent is spoken to instead."""
    last = next(reversed(verbs.of_task(tx, row.id)), None)
    if last is None or (last.verb, last.note, last.generation) != (Verb.ANSWER, words, row.generation):
        return False
    return not any(run.live for run in runs.of_task(tx, row.id))
