"""Notes of people about a task, for the prompts of its runs: from verbs and from answers to questions."""

from __future__ import annotations

from typing import Any

from toryo.domain.words import Verb
from toryo.store.database.engine import Tx
from toryo.store.tables import runs, verbs

MOST = 10
ENDING = (Verb.CANCEL, Verb.DISMISS)
"""They tell an agent nothing."""


def notes_of(tx: Tx, task_id: str) -> list[dict[str, Any]]:
    """The newest ones, oldest first; an answer with the question it was given to. A no is what a later
    run must know."""
    said = [one for one in verbs.of_task(tx, task_id) if one.note.strip() and one.verb not in ENDING]
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
