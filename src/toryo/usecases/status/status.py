"""Status page: what is going on, and what waits for a person, with the line to type."""

from __future__ import annotations

from toryo.domain.times import iso
from toryo.domain.words import MISSION_ENDED, PlaceKind, TaskStatus
from toryo.engine import hindrances
from toryo.engine.context import HeadContext
from toryo.engine.notices import notify
from toryo.engine.parking import accounts
from toryo.protocol.views import status as views
from toryo.protocol.views.missions import MissionLine
from toryo.protocol.views.tasks import TaskLine
from toryo.reconciler.subjects import REMOVED
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, CoordinatorRow
from toryo.store.tables import agents, coordinators, missions, projects, runs, tasks
from toryo.usecases.agents.agents import where_meant
from toryo.usecases.finding import the_project
from toryo.usecases.missions.view import line as mission_line
from toryo.usecases.projects import settings_problems
from toryo.usecases.projects.projects import body_of
from toryo.usecases.status import attention_page, work_page
from toryo.usecases.tasks.tasks import task_line

NEWEST_DONE = 10


def get_status(context: HeadContext, project: str, path: str) -> views.Status:
    with context.store.read() as tx:
        chosen = the_project(tx, project, path).id if project or path else None
        counts = {status.value: 0 for status in TaskStatus} | tasks.counts(tx, chosen)
        work = work_page.page(context, tx, chosen)
        listed = [row for row in projects.listing(tx) if row.id == chosen] if chosen else projects.kept(tx)
        waiting, numbers = attention_page.page(tx, chosen, counts)
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
            "planners": [_coordinator(tx, row) for row in coordinators.listing(tx, PlaceKind.PLANNER)],
            "agents": [_agent(tx, row) for row in agents.listing(tx)],
            "projects": [
                {**body_of(tx, row), "settings_looked_at": iso(settings_problems.looked_at(context, row.id))}
                for row in listed
            ],
            "problems": [
                *hindrances.shown(context),
                *notify.problems(context, tx),
                *(told for row in listed if (told := settings_problems.told(context, row))),
            ],
            "parked": accounts(tx),
            "moving": [one for one in work if one["status"] in work_page.MOVING],
            "ready": [one for one in work if one["status"] == TaskStatus.READY],
            "work": work,
            "missions": _missions(tx, chosen),
            "needs_you": waiting,
            "needs_you_counts": numbers,
            "removed": _removed(tx, chosen),
        }


def _coordinator(tx: Tx, row: CoordinatorRow) -> views.CoordinatorView:
    return {
        "id": row.id,
        "name": row.name,
        "machine": row.machine,
        "pid": row.pid,
        "incarnation": row.incarnation,
        "live": row.incarnation > 0 and not row.unseen,
        "seen_at": iso(row.seen_at),
        "clients": {name: path for name, path in coordinators.clients_of(row).items() if path},
        "runs": [run.id for run in runs.live_of_coordinator(tx, row.id)],
    }


def _agent(tx: Tx, row: AgentRow) -> views.CrewMember:
    busy = [run.id for project in where_meant(tx, row) for run in runs.live_of_pair(tx, row.id, project.id)]
    owner = projects.get(tx, row.project) if row.project else None
    return {
        "id": row.id,
        "project": row.project or None,
        "project_name": owner.name if owner else None,
        "client": row.client or None,
        "slots": row.slots or None,
        "status": row.status,
        "runs": busy,
    }


def _missions(tx: Tx, project: str | None) -> list[MissionLine]:
    """Those that go on, and the newest that ended a short while ago."""
    live = missions.live(tx, project)
    ended = [
        row
        for row in missions.newest(tx, project=project)
        if row.status in MISSION_ENDED and row.changed_at > tx.now - work_page.ENDED_WITHIN_S
    ]
    names = {one.id: one.name for one in projects.listing(tx)}
    shown = sorted([*live, *ended], key=lambda row: row.seq)
    return [mission_line(row, names.get(row.project, "")) for row in shown]


def _removed(tx: Tx, project: str | None) -> list[TaskLine]:
    """Of the newest that are done: those no longer on their targets. `task list` has the older ones."""
    done = tasks.newest(tx, TaskStatus.DONE, project=project, limit=NEWEST_DONE)
    return [task_line(row) for row in done if row.reason == REMOVED]
