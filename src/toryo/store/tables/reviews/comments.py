"""Review comments: drafts that survive closing, and those that were sent."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, delete, select

from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.review_rows import CommentRow
from toryo.store.database.review_schema import review_comments
from toryo.store.database.statements import add, change, every, first

_GET = select(review_comments).where(review_comments.c.id == bindparam("it"))
_OF_TASK = (
    select(review_comments)
    .where(review_comments.c.task == bindparam("it"))
    .order_by(review_comments.c.created_at, review_comments.c.id)
)
_DELETE = delete(review_comments).where(
    review_comments.c.id == bindparam("it"), review_comments.c.sent_at.is_(None)
)


def get(tx: Tx, id: str) -> CommentRow | None:
    return first(tx, CommentRow, _GET, it=id)


def of_task(tx: Tx, task: str) -> list[CommentRow]:
    """The oldest first."""
    return every(tx, CommentRow, _OF_TASK, it=task)


def insert(tx: Tx, row: CommentRow) -> None:
    add(tx, review_comments, row)


def update(tx: Tx, id: str, **columns: Any) -> None:
    change(tx, review_comments, {"id": id}, columns)


def forget_draft(tx: Tx, id: str) -> None:
    prepared.write(tx.conn, _DELETE, {"it": id})
