"""What is going on, on one page, and what waits for a person, with the line to type."""

from __future__ import annotations

from typing import Any

from toryo.domain.times import iso
from toryo.domain.words import TaskStatus
from toryo.reconciler.subjects import REMOVED
from toryo.store import agents, coordinators, events, projects, runs, tasks
from toryo.store.engine import Tx
from toryo.store.rows import AgentRow, CoordinatorRow, TaskRow
from toryo.usecases import hindrances, needs, notifying, settings_problems
from toryo.usecases.agents import where_meant
from toryo.usecases.context import HeadContext
from toryo.usecases.finding import the_project, the_task
from toryo.usecases.parking import accounts
from toryo.usecases.projects import body_of
from toryo.usecases.tasks import task_line

PAGE = 20
LOOKED_AT = 200
NEWEST_DONE = 10


def get_status(context: HeadContext, project: str, path: str) -> dict[str, Any]:
    with context.store.read() as tx:
        chosen = the_project(tx, project, path).id if project or path else None
        counts = {status.value: 0 for status in TaskStatus} | tasks.counts(tx, chosen)
        moving = (TaskStatus.RUNNING, TaskStatus.VERIFYING, TaskStatus.LANDING)
        listed = [row for row in projects.listing(tx) if chosen in (None, row.id)]
        return {
            "success": True,
            "counts": counts,
            "daemon": {
                "pid": context.pid,
                "version": context.version,
                "uptime_s": round(context.clock() - context.started_at, 3),
                "home": str(context.home.path),
            },
            "coordinators": [_coordinator(tx, row) for row in coordinators.listing(tx)],
            "agents": [_agent(tx, row) for row in agents.listing(tx)],
            "projects": [
                body_of(tx, row) | {"settings_looked_at": iso(settings_problems.looked_at(context, row.id))}
                for row in listed
            ],
            "problems": [
                *hindrances.shown(context),
                *notifying.problems(context, tx),
                *(told for row in listed if (told := settings_problems.told(context, row))),
            ],
            "parked": accounts(tx),
            "moving": [
                task_line(row) | {"silent_since": _silent_since(tx, row)}
                for status in moving
                for row in tasks.page(tx, project=chosen, status=status, limit=PAGE)
            ],
            "needs_you": _needs_you(tx, chosen),
            "removed": _removed(tx, chosen),
        }


def _coordinator(tx: Tx, row: CoordinatorRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "machine": row.machine,
        "pid": row.pid,
        "incarnation": row.incarnation,
        "live": row.incarnation > 0 and not row.unseen,
        "seen_at": iso(row.seen_at),
        "clients": dict(row.clients),
        "runs": [run.id for run in runs.live_of_coordinator(tx, row.id)],
    }


def _agent(tx: Tx, row: AgentRow) -> dict[str, Any]:
    busy = [run.id for project in where_meant(tx, row) for run in runs.live_of_pair(tx, row.id, project.id)]
    owner = projects.get(tx, row.project) if row.project else None
    return {
        "id": row.id,
        "project": row.project or None,
        "project_name": owner.name if owner else None,
        "client": row.client or None,
        "slots": row.slots,
        "status": row.status,
        "runs": busy,
    }


def _silent_since(tx: Tx, row: TaskRow) -> str | None:
    """Since when its live run has printed nothing: a fact, of which nothing is made."""
    if row.status != TaskStatus.RUNNING:
        return None
    live = [run.signs or {} for run in runs.of_task(tx, row.id) if run.live]
    return iso(live[-1].get("silent_since")) if live else None


def _needs_you(tx: Tx, project: str | None) -> list[dict[str, Any]]:
    """Everything that waits for a person, each with the line to type; the newest failures last."""
    found = []
    for status in (TaskStatus.NEEDS_REVIEW, TaskStatus.RUNNING, TaskStatus.LANDING, TaskStatus.BLOCKED):
        rows = tasks.page(tx, project=project, status=status, limit=LOOKED_AT)
        found += [row for row in rows if needs.waits(row)]
    for status in (TaskStatus.OPEN, TaskStatus.FAILED):
        found += tasks.newest(tx, status, project=project, limit=PAGE)
    shown = found[: 2 * PAGE]
    return [*needs.of_targets(tx, project, shown), *(needs.wish(tx, row) for row in shown)]


def _removed(tx: Tx, project: str | None) -> list[dict[str, Any]]:
    """Of the newest that are done: those no longer on their targets. `task list` has the older ones."""
    done = tasks.newest(tx, TaskStatus.DONE, project=project, limit=NEWEST_DONE)
    return [task_line(row) for row in done if row.reason == REMOVED]


def list_events(
    context: HeadContext, after: int, limit: int, project: str, task: str
) -> tuple[bool, dict[str, Any]]:
    with context.store.read() as tx:
        oldest = events.oldest(tx) or 0
        project_id = the_project(tx, project).id if project else None
        rows = events.after(
            tx, after, limit, project=project_id, task=the_task(tx, task).id if task else None
        )
        newest = events.newest(tx) or 0
    listed = [
        {
            "seq": row.seq,
            "at": iso(row.at),
            "kind": row.kind,
            "project": row.project or None,
            "task": row.task or None,
            "run": row.run or None,
            "body": dict(row.body),
        }
        for row in rows
    ]
    body = {
        "success": True,
        "events": listed,
        "next_after": listed[-1]["seq"] if listed else max(after, 0),
        "newest": newest,
        "resync": bool(after and oldest and after + 1 < oldest),
    }
    return bool(listed), body
