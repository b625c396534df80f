"""What is going on, on one page, and what waits for a person, with the line to type."""

from __future__ import annotations

from typing import Any

from toryo.domain.advice import next_lines
from toryo.domain.times import iso
from toryo.domain.words import DEPENDENCY_FAILED, Outcome, TaskStatus
from toryo.store import agents, coordinators, events, projects, runs, tasks
from toryo.store.engine import Tx
from toryo.store.rows import CoordinatorRow, TaskRow
from toryo.usecases.context import HeadContext
from toryo.usecases.finding import the_project, the_task
from toryo.usecases.parking import accounts
from toryo.usecases.projects import body_of
from toryo.usecases.tasks import task_line

PAGE = 20
LOOKED_AT = 200


def get_status(context: HeadContext, project: str, path: str) -> dict[str, Any]:
    with context.store.read() as tx:
        chosen = the_project(tx, project, path).id if project or path else None
        counts = {status.value: 0 for status in TaskStatus} | tasks.counts(tx, chosen)
        moving = (TaskStatus.RUNNING, TaskStatus.VERIFYING, TaskStatus.LANDING)
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
            "agents": [_agent(tx, row.id, row.client, row.slots, row.status) for row in agents.listing(tx)],
            "projects": [body_of(tx, row) for row in projects.listing(tx) if chosen in (None, row.id)],
            "parked": accounts(tx),
            "moving": [
                task_line(row)
                for status in moving
                for row in tasks.page(tx, project=chosen, status=status, limit=PAGE)
            ],
            "needs_you": _needs_you(tx, chosen),
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


def _agent(tx: Tx, agent: str, client: str, slots: int, status: str) -> dict[str, Any]:
    busy = [run.id for project in projects.listing(tx) for run in runs.live_of_pair(tx, agent, project.id)]
    return {"id": agent, "client": client or None, "slots": slots, "status": status, "runs": busy}


def _needs_you(tx: Tx, project: str | None) -> list[dict[str, Any]]:
    """Everything that waits for a person, each with the line to type; the newest failures last."""
    found = []
    for status in (TaskStatus.NEEDS_REVIEW, TaskStatus.RUNNING, TaskStatus.LANDING, TaskStatus.BLOCKED):
        for row in tasks.page(tx, project=project, status=status, limit=LOOKED_AT):
            if _waits(row):
                found.append(_wish(row))
    for status in (TaskStatus.OPEN, TaskStatus.FAILED):
        found += [_wish(row) for row in tasks.newest(tx, status, project=project, limit=PAGE)]
    return found[: 2 * PAGE]


def _waits(row: TaskRow) -> bool:
    match row.status:
        case TaskStatus.NEEDS_REVIEW:
            return True
        case TaskStatus.RUNNING:
            return row.reason == Outcome.UNKNOWN
        case TaskStatus.LANDING:
            return row.reason in ("waiting_for_checkout", "publish_failed")
        case TaskStatus.BLOCKED:
            return row.reason not in ("dependency", "base_gate") and not row.reason.startswith(
                DEPENDENCY_FAILED
            )
        case _:
            return False


def _wish(row: TaskRow) -> dict[str, Any]:
    lines = next_lines(row.id, TaskStatus(row.status), row.reason, row.detail)
    why = f"{row.reason}: {row.detail}" if row.detail and not row.detail.startswith("type: ") else row.reason
    return {
        "task": row.id,
        "title": row.title,
        "status": row.status,
        "why": why,
        "type": lines[0] if lines else f"toryo task show {row.id}",
        "lines": list(lines),
    }


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
