"""Deletion for version 9: orders to read, and what answered them; such questions are asks, held in memory."""

from __future__ import annotations

from sqlalchemy import Connection, text

GONE = (
    "DELETE FROM facts WHERE kind = 'answered'",
    "DELETE FROM orders WHERE kind = 'read'",
)


def migrate(conn: Connection) -> None:
    for statement in GONE:
        conn.execute(text(statement))
