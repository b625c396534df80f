"""Task list of the status page: what moves, what waits, what has just ended, each with its steps.

Of each state a bounded number: the page costs the same however many tasks there are (ADR 49)."""

from __future__ import annotations

from toryo.domain.times import iso
from toryo.domain.words import TaskStatus
from toryo.engine import attention
from toryo.engine.actions import shown
from toryo.engine.context import HeadContext
from toryo.protocol.views import status as views
from toryo.protocol.views.actions import ActionView
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.gather import task_chains, task_steps
from toryo.store.tables import events, projects, runs, tasks, verbs
from toryo.usecases.status.steps import steps
from toryo.usecases.tasks import waits_for
from toryo.usecases.tasks.tasks import task_line

PAGE = 20
"""Tasks of each state."""
ENDED = 6
ENDED_WITHIN_S = 24 * 3600
EVENTS = 100
"""So many of the newest are looked at for what has just ended, besides the tasks that were added last."""
MOVING = (TaskStatus.RUNNING, TaskStatus.VERIFYING, TaskStatus.LANDING)
_OVER = (TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED)


def page(context: HeadContext, tx: Tx, project: str | None) -> list[views.WorkLine]:
    found: dict[str, TaskRow] = {}
    for status in (*MOVING, TaskStatus.READY, TaskStatus.BLOCKED, TaskStatus.OPEN):
        found |= {
            row.id: row for row in tasks.page(tx, project=project, status=status, limit=PAGE, kept=True)
        }
    reviewed = tasks.newest(tx, TaskStatus.NEEDS_REVIEW, project=project, limit=PAGE)
    found |= {row.id: row for row in (*reviewed, *_just_ended(tx, project))}
    return _lines(context, tx, found)


def _lines(context: HeadContext, tx: Tx, found: dict[str, TaskRow]) -> list[views.WorkLine]:
    ids = list(found)
    needed = task_steps.needs_of(tx, ids)
    begun = [row.id for row in found.values() if row.generation]
    ran, landed = task_steps.runs_of(tx, begun), task_steps.landings_of(tx, begun)
    since = task_steps.retried_at(tx, begun)
    verdicts = task_steps.verdicts(tx, begun)
    names = {row.id: row.name for row in projects.listing(tx)}
    chains = task_chains.of_tasks(tx, [row for row in found.values() if row.status == TaskStatus.BLOCKED])
    lines: list[views.WorkLine] = []
    for id, row in found.items():
        dead = chains[id].dead if id in chains else None
        mine = [run for run in ran.get(id, []) if run.generation > since.get(id, 0)]
        lines.append(
            {
                **task_line(row, verdicts.get(id, "")),
                "project_name": names.get(row.project, row.project),
                "dependencies": needed.get(id, []),
                "steps": steps(mine, landed.get(id, [])),
                "started_at": iso(next((run.started_at for run in mine if run.started_at), None)),
                "silent_since": silent_since(tx, row),
                "waits_for": waits_for.of_task(context, tx, row),
                "dead": dead is not None,
                "dead_at": dead.id if dead else None,
                "dead_action": _first_action(tx, dead),
            }
        )
    return lines


def _first_action(tx: Tx, dead: TaskRow | None) -> ActionView | None:
    """What helps a dead-blocked task: it is done to the one at its root."""
    found = attention.actions_of(tx, dead) if dead else ()
    return shown(found[0]) if found else None


def silent_since(tx: Tx, row: TaskRow) -> str | None:
    """Since when its live run has printed nothing: a fact, of which nothing is made."""
    if row.status != TaskStatus.RUNNING:
        return None
    live = [run.signs or {} for run in runs.of_task(tx, row.id) if run.live]
    return iso(live[-1].get("silent_since")) if live else None


def _just_ended(tx: Tx, project: str | None) -> list[TaskRow]:
    """The newest first; what a person dismissed is seen to."""
    added = [row for one in _OVER for row in tasks.newest(tx, one, project=project, limit=ENDED)]
    changed = {row.id: row for row in added}
    for name in dict.fromkeys(events.newest_tasks(tx, EVENTS, project)):
        row = changed.get(name) or tasks.get(tx, name)
        if row and row.status in _OVER:
            changed[name] = row
    known = {row.id for row in projects.kept(tx)} | {project}
    new = [
        row for row in changed.values() if row.changed_at > tx.now - ENDED_WITHIN_S and row.project in known
    ]
    shown = [row for row in new if not attention.is_dismissed(verbs.of_task(tx, row.id))]
    return sorted(shown, key=lambda row: row.changed_at, reverse=True)[:ENDED]
