"""Event log, append-only: its reads. `Tx.emit` writes it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, bindparam, func, select

from toryo.domain.event_kinds import PLUMBING
from toryo.domain.ids import TaskId
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import EventRow
from toryo.store.database.schema import events
from toryo.store.database.statements import every_of, texts

_WORK = events.c.kind.not_in(sorted(PLUMBING))
_AFTER = select(events).where(events.c.seq > bindparam("seq")).order_by(events.c.seq).limit(bindparam("most"))
_LAST = (
    select(events)
    .where(events.c.seq < bindparam("seq"))
    .order_by(events.c.seq.desc())
    .limit(bindparam("most"))
)
_END = 2**62
_WORK_AFTER, _WORK_LAST = _AFTER.where(_WORK), _LAST.where(_WORK)
_LATEST = select(events.c.seq, events.c.task, events.c.kind).order_by(events.c.seq.desc())


def _changed(latest: Select[Any]) -> Select[Any]:
    last = latest.limit(bindparam("most")).subquery("newest")
    return select(last.c.task).where(last.c.kind == "task_status").order_by(last.c.seq.desc())


_CHANGED = _changed(_LATEST)
_CHANGED_OF_PROJECT = _changed(_LATEST.where(events.c.project == bindparam("project")))
_OLDEST = select(func.min(events.c.seq))
_NEWEST = select(func.max(events.c.seq))


def after(
    tx: Tx,
    seq: int,
    limit: int,
    project: str | None = None,
    task: str | None = None,
    kind: str | None = None,
    subject: str | None = None,
    *,
    plumbing: bool = True,
) -> list[EventRow]:
    only = {"project": project, "task": task, "kind": kind, "subject": subject}
    statement = _AFTER if plumbing else _WORK_AFTER
    return every_of(tx, EventRow, statement, events, only, seq=seq, most=limit)


def last(
    tx: Tx,
    limit: int,
    project: str | None = None,
    task: str | None = None,
    kind: str | None = None,
    subject: str | None = None,
    *,
    plumbing: bool = True,
    before: int = 0,
) -> list[EventRow]:
    """The newest so many, or those before a number; the oldest of them first."""
    only = {"project": project, "task": task, "kind": kind, "subject": subject}
    statement = _LAST if plumbing else _WORK_LAST
    return every_of(tx, EventRow, statement, events, only, seq=before or _END, most=limit)[::-1]


def newest_tasks(tx: Tx, among: int, project: str | None = None) -> list[TaskId]:
    """The tasks whose status changed in the newest events, the latest first, as often as it did."""
    if project is None:
        found = texts(tx, _CHANGED, most=among)
    else:
        found = texts(tx, _CHANGED_OF_PROJECT, most=among, project=project)
    return [TaskId(one) for one in found]


def oldest(tx: Tx) -> int:
    """The number of the oldest event that is kept; 0 without events."""
    return int(prepared.value(tx.conn, _OLDEST) or 0)


def newest(tx: Tx) -> int:
    return int(prepared.value(tx.conn, _NEWEST) or 0)
