"""Answers about reviews: the hunks of a task's change with a person's marks, and comments."""

from __future__ import annotations

from typing_extensions import TypedDict

from toryo.domain.ids import TaskId
from toryo.protocol.views.answer import Answer


class HunkView(TypedDict):
    id: str
    """Of its path and changed lines: it falls with them."""
    header: str
    old_start: int
    new_start: int
    lines: list[str]
    seen: bool


class ReviewedFile(TypedDict):
    path: str
    old_path: str | None
    kind: str
    binary: bool
    hunks: list[HunkView]


class CommentView(TypedDict):
    id: str
    path: str
    first: int
    last: int
    excerpt: str
    text: str
    created_at: str | None
    sent_at: str | None
    """None: a draft."""
    sent_as: str | None
    """fix, said, or `task:ID`."""


class Review(Answer):
    task: TaskId
    title: str
    status: str
    reason: str
    base: str
    head: str
    files: list[ReviewedFile]
    hunks: int
    seen: int
    cut: bool
    """The change is larger than what is shown."""
    comments: list[CommentView]


class MarkedHunks(Answer):
    task: TaskId
    marked: list[str]
    seen: bool


class KeptComment(Answer):
    comment: CommentView


class SentReview(Answer):
    task: TaskId
    sent: int
    sent_as: str
