"""The tables of reviews: hunks that a person has seen, and comments with the lines they are about."""

from __future__ import annotations

from sqlalchemy import Column, Double, Index, Integer, String, Table, Text

from toryo.store.database.schema import metadata

review_marks = Table(
    "review_marks",
    metadata,
    Column("task", String, primary_key=True),
    Column("hunk", String, primary_key=True),
    Column("path", Text, nullable=False),
    Column("at", Double, nullable=False),
)

review_comments = Table(
    "review_comments",
    metadata,
    Column("id", String, primary_key=True),
    Column("task", String, nullable=False),
    Column("path", Text, nullable=False),
    Column("first", Integer, nullable=False),
    Column("last", Integer, nullable=False),
    Column("excerpt", Text, nullable=False, default=""),  # kept when the code moves
    Column("text", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("sent_at", Double),  # none: a draft
    Column("sent_as", String, nullable=False, default=""),  # fix | said | task:ID
    Index("review_comments_task", "task", "created_at"),
)
