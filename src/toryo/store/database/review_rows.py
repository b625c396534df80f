"""Row types of reviews."""

from __future__ import annotations

from dataclasses import dataclass

from toryo.domain.ids import TaskId
from toryo.store.database.rows import TableRow


@dataclass(frozen=True, kw_only=True)
class MarkRow(TableRow):
    task: TaskId
    hunk: str
    path: str
    at: float


@dataclass(frozen=True, kw_only=True)
class CommentRow(TableRow):
    id: str
    task: TaskId
    path: str
    first: int
    last: int
    excerpt: str = ""
    text: str
    created_at: float
    sent_at: float | None = None
    """None: a draft."""
    sent_as: str = ""
