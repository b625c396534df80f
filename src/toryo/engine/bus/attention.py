"""Attention for messages: units with dead letters that no person has seen to."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.actions import Action, Do, action, lines
from toryo.domain.reasons import Reason, meaning
from toryo.domain.words import TaskStatus
from toryo.engine.actions import shown
from toryo.protocol.views import tasks as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.tables import projects, tasks
from toryo.store.tables.units import unit_messages


def of_dead_letters(tx: Tx, project: str | None) -> list[views.NeedsPerson]:
    """One entry a unit, the oldest letter first; of a cancelled unit a person knows."""
    counts: dict[str, int] = {}
    for row in unit_messages.dead_letters(tx):
        counts[row.receiver] = counts.get(row.receiver, 0) + 1
    found = [(task, number) for name, number in counts.items() if (task := tasks.get(tx, name))]
    return [
        _wish(tx, task, number)
        for task, number in found
        if task.status != TaskStatus.CANCELLED and project in (None, task.project)
    ]


def _wish(tx: Tx, task: TaskRow, number: int) -> views.NeedsPerson:
    project = projects.get(tx, task.project)
    found: tuple[Action, ...] = (action(Do.READ_INBOX, task.id), action(Do.CLEAR_INBOX, task.id))
    typed = lines(found)
    return {
        "subject": subjects.task(task.id),
        "task": task.id,
        "title": task.title,
        "project": task.project,
        "project_name": project.name if project else task.project,
        "status": task.status,
        "reason": Reason.UNDELIVERED.value,
        "why": f"{meaning(Reason.UNDELIVERED).sentence}: {number}",
        "type": typed[0],
        "lines": list(typed),
        "actions": [shown(one) for one in found],
        "behind": 0,
        "unblocks": 0,
    }
