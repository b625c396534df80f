"""Messages of units: stored first, in one order for all; what became of each delivery is noted beside it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, select

from toryo.store.database.engine import Tx
from toryo.store.database.schema import tasks
from toryo.store.database.statements import add_if_new, change, every, first
from toryo.store.database.unit_rows import UnitMessageRow
from toryo.store.database.unit_schema import unit_messages as messages

_GET = select(messages).where(messages.c.id == bindparam("it"))
_TO = select(messages).where(messages.c.receiver == bindparam("it")).order_by(messages.c.seq)
_WAITING = _TO.where(messages.c.delivered_at.is_(None))
_AFTER = _TO.where(messages.c.seq > bindparam("after")).limit(bindparam("most"))
_TOLD_TO = _TO.where(messages.c.delivered_run == bindparam("run"))
_CLAIMS = (
    select(messages)
    .where(messages.c.sender == bindparam("it"), messages.c.type == "result")
    .order_by(messages.c.seq.desc())
    .limit(bindparam("most"))
)
_PAGE = (
    select(messages)
    .where(messages.c.seq > bindparam("after"))
    .order_by(messages.c.seq)
    .limit(bindparam("most"))
)
_OF_PROJECT = _PAGE.where(
    messages.c.mission.in_(
        select(tasks.c.mission).where(tasks.c.project == bindparam("project"), tasks.c.mission != "")
    )
)
_DEAD = (
    select(messages)
    .where(messages.c.delivered_at.is_(None), messages.c.dead.is_(True))
    .order_by(messages.c.seq)
)


def insert(tx: Tx, row: UnitMessageRow) -> bool:
    """False, and nothing changed, if a message has that id."""
    return add_if_new(tx, messages, row, "id")


def get(tx: Tx, id: str) -> UnitMessageRow | None:
    return first(tx, UnitMessageRow, _GET, it=id)


def waiting(tx: Tx, receiver: str) -> list[UnitMessageRow]:
    """Not delivered yet, dead letters among them; the oldest first."""
    return every(tx, UnitMessageRow, _WAITING, it=receiver)


def told_to(tx: Tx, receiver: str, run: str) -> list[UnitMessageRow]:
    """Delivered to that run, the oldest first."""
    return every(tx, UnitMessageRow, _TOLD_TO, it=receiver, run=run)


def addressed_to(tx: Tx, receiver: str, after: int, most: int) -> list[UnitMessageRow]:
    """In whatever state, the oldest first."""
    return every(tx, UnitMessageRow, _AFTER, it=receiver, after=after, most=most)


def newest_result(tx: Tx, sender: str) -> UnitMessageRow | None:
    """What that unit posted last as its result."""
    return first(tx, UnitMessageRow, _CLAIMS, it=sender, most=1)


def page(tx: Tx, after: int, most: int, project: str = "") -> list[UnitMessageRow]:
    """Of all trees, or of a project's, in the order in which they were stored."""
    if project:
        return every(tx, UnitMessageRow, _OF_PROJECT, after=after, most=most, project=project)
    return every(tx, UnitMessageRow, _PAGE, after=after, most=most)


def dead_letters(tx: Tx) -> list[UnitMessageRow]:
    """Nobody is left to deliver them to, and no person has cleared them; the oldest first."""
    return every(tx, UnitMessageRow, _DEAD)


def deliver(tx: Tx, rows: Sequence[UnitMessageRow], run: str) -> None:
    """Told to that run; empty: a person has seen to it."""
    for row in rows:
        columns = {"delivered_at": tx.now, "delivered_run": run, "dead": False}
        change(tx, messages, {"id": row.id}, columns)


def fail(tx: Tx, row: UnitMessageRow, *, attempts: int, dead: bool) -> None:
    change(tx, messages, {"id": row.id}, {"attempts": attempts, "dead": dead})
