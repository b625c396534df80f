"""Review marks: which hunks of a task's change a person has seen."""

from __future__ import annotations

from sqlalchemy import bindparam, delete, select

from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.review_rows import MarkRow
from toryo.store.database.review_schema import review_marks
from toryo.store.database.statements import add, every

_OF_TASK = select(review_marks).where(review_marks.c.task == bindparam("it"))
_DELETE = delete(review_marks).where(
    review_marks.c.task == bindparam("of_task"), review_marks.c.hunk == bindparam("of_hunk")
)


def of_task(tx: Tx, task: str) -> list[MarkRow]:
    return every(tx, MarkRow, _OF_TASK, it=task)


def set_mark(tx: Tx, row: MarkRow) -> None:
    """It may be there already; seen again, it is as new."""
    take_mark(tx, row.task, row.hunk)
    add(tx, review_marks, row)


def take_mark(tx: Tx, task: str, hunk: str) -> None:
    prepared.write(tx.conn, _DELETE, {"of_task": task, "of_hunk": hunk})
