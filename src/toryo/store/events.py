"""Reading the append-only record; `Tx.emit` writes it."""

from __future__ import annotations

from sqlalchemy import bindparam, func, select

from toryo.store import prepared
from toryo.store.engine import Tx
from toryo.store.rows import EventRow
from toryo.store.schema import events
from toryo.store.statements import every_of

_AFTER = select(events).where(events.c.seq > bindparam("seq")).order_by(events.c.seq).limit(bindparam("most"))
_OLDEST = select(func.min(events.c.seq))
_NEWEST = select(func.max(events.c.seq))


def after(
    tx: Tx, seq: int, limit: int, project: str | None = None, task: str | None = None
) -> list[EventRow]:
    only = {"project": project, "task": task}
    return every_of(tx, EventRow, _AFTER, events, only, seq=seq, most=limit)


def oldest(tx: Tx) -> int:
    """The number of the oldest event that is kept; 0 without events."""
    return int(prepared.value(tx.conn, _OLDEST) or 0)


def newest(tx: Tx) -> int:
    return int(prepared.value(tx.conn, _NEWEST) or 0)
