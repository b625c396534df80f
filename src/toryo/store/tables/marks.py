"""Marks: which subjects must be looked at, and when. Set in the transaction that justifies them."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Insert, Select, bindparam, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

from toryo.domain.subjects import Subject
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.schema import marks
from toryo.store.database.statements import texts

AT_ONCE = 500
"""Subjects per statement: SQLite bounds the number of parameters."""

# By time alone: among equals SQLite keeps the order of marking, so nobody is overtaken for ever.
_DUE = (
    select(marks.c.subject)
    .where(marks.c.look_at <= bindparam("now"))
    .order_by(marks.c.look_at)
    .limit(bindparam("most"))
)
_CLEAR = delete(marks).where(marks.c.subject.in_(bindparam("subjects", expanding=True)))
_NEXT = select(func.min(marks.c.look_at))
_LOOK_AT = select(marks.c.look_at).where(marks.c.subject == bindparam("it"))
_IS_MARKED = select(marks.c.subject).where(marks.c.subject == bindparam("it"))


def due(tx: Tx, now: float, limit: int = 100) -> list[Subject]:
    return [Subject(one) for one in texts(tx, _DUE, now=now, most=limit)]


def clear(tx: Tx, subjects: Iterable[Subject]) -> None:
    """Only in the transaction that looked at them: a mark set meanwhile would be lost."""
    waiting = list(subjects)
    for start in range(0, len(waiting), AT_ONCE):
        prepared.write(tx.conn, _CLEAR, {"subjects": waiting[start : start + AT_ONCE]})


def is_marked(tx: Tx, subject: Subject) -> bool:
    """Whether what is stored about the subject may be behind the facts."""
    return prepared.value(tx.conn, _IS_MARKED, {"it": subject}) is not None


def is_due(tx: Tx, subject: Subject) -> bool:
    """Whether it is to be looked at now."""
    at = prepared.value(tx.conn, _LOOK_AT, {"it": subject})
    return at is not None and float(at) <= tx.now


def next_look(tx: Tx) -> float | None:
    """When the earliest mark is due; None without marks."""
    found = prepared.value(tx.conn, _NEXT)
    return None if found is None else float(found)


def now_for(subjects: Select[str, int]) -> dict[str, Insert]:
    """The statement, by dialect, that marks every subject of a select (subject, 0) for now, however many."""
    return {
        "sqlite": sqlite.insert(marks)
        .from_select(["subject", "look_at"], subjects)
        .on_conflict_do_update(index_elements=["subject"], set_={"look_at": 0}),
        "postgresql": postgresql.insert(marks)
        .from_select(["subject", "look_at"], subjects)
        .on_conflict_do_update(index_elements=["subject"], set_={"look_at": 0}),
    }
