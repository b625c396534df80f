"""What people said about a task, for the prompts of its runs: notes of verbs, answers to questions."""

from __future__ import annotations

from typing import Any

from toryo.domain.words import Verb
from toryo.store import runs, tasks
from toryo.store.engine import Tx

MOST = 10


def notes_of(tx: Tx, task_id: str) -> list[dict[str, Any]]:
    """The newest ones, oldest first; an answer with the question it was given to. A cancel tells an agent
    nothing, and a no is what a later run must know."""
    said = [one for one in tasks.verbs_of(tx, task_id) if one.note.strip() and one.verb != Verb.CANCEL]
    if not said:
        return []
    asked = {run.generation: str((run.said or {}).get("words") or "") for run in runs.of_task(tx, task_id)}
    return [
        {
            "text": one.note.strip(),
            "question": asked.get(one.generation, "") if one.verb == Verb.ANSWER else "",
        }
        for one in said[-MOST:]
    ]
