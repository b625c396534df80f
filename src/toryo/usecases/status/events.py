"""Event pages: after a number or the newest, of everything or of one task or kind."""

from __future__ import annotations

from dataclasses import dataclass

from toryo.domain.ids import ProjectId
from toryo.domain.times import iso
from toryo.engine.context import HeadContext
from toryo.protocol.views import status as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import EventRow
from toryo.store.tables import events, projects, tasks
from toryo.usecases.finding import the_project, the_task


@dataclass(frozen=True, kw_only=True)
class EventsAsked:
    after: int = 0
    limit: int = 100
    last: int = 0
    """So many of the newest; 0: those after the place."""
    before: int = 0
    """With `last`: of those before this number; 0: of all."""
    project: str = ""
    task: str = ""
    kind: str = ""
    subject: str = ""
    plumbing: bool = True
    titles: bool = False


def list_events(context: HeadContext, asked: EventsAsked) -> tuple[bool, views.EventPage]:
    """Whether there is any, and the answer."""
    with context.store.read() as tx:
        oldest, newest = events.oldest(tx) or 0, events.newest(tx) or 0
        rows = _rows(tx, asked)
        listed = [_shown(row) for row in rows]
        if asked.titles:
            _name(tx, listed)
    body: views.EventPage = {
        "success": True,
        "events": listed,
        "next_after": _place(asked, rows, newest),
        "newest": newest,
        "resync": bool(asked.after and oldest and asked.after + 1 < oldest),
    }
    return bool(listed), body


def _rows(tx: Tx, asked: EventsAsked) -> list[EventRow]:
    project = the_project(tx, asked.project).id if asked.project else None
    task = the_task(tx, asked.task).id if asked.task else None
    kind, subject = asked.kind or None, asked.subject or None
    if asked.last:
        return events.last(
            tx, asked.last, project, task, kind, subject, plumbing=asked.plumbing, before=asked.before
        )
    return events.after(tx, asked.after, asked.limit, project, task, kind, subject, plumbing=asked.plumbing)


def _place(asked: EventsAsked, rows: list[EventRow], newest: int) -> int:
    """Where to go on. All that is newer than a page that was not full was looked at, whatever it is."""
    if asked.last:
        return newest
    if len(rows) == asked.limit:
        return rows[-1].seq
    is_narrowed = bool(asked.kind or asked.subject or asked.project or asked.task or not asked.plumbing)
    return max(asked.after, newest if is_narrowed else rows[-1].seq if rows else 0, 0)


def _shown(row: EventRow) -> views.EventView:
    return {
        "seq": row.seq,
        "at": iso(row.at),
        "kind": row.kind,
        "subject": row.subject or None,
        "project": row.project or None,
        "task": row.task or None,
        "run": row.run or None,
        "body": dict(row.body),
    }


def _name(tx: Tx, listed: list[views.EventView]) -> None:
    """With the titles of tasks, and the names of projects where it is about no task."""
    names = {row.id: row.name for row in projects.listing(tx)}
    titles: dict[str, str] = {}
    for one in listed:
        if one["task"] and one["task"] not in titles:
            row = tasks.get(tx, one["task"])
            titles[one["task"]] = row.title if row else ""
        one["title"] = titles.get(one["task"] or "", "")
        one["project_name"] = "" if one["task"] else names.get(one["project"] or ProjectId(""), "")
