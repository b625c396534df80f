"""Version 5: what a living run asks a person, and since when it is silent."""

from __future__ import annotations

from sqlalchemy import Connection, text

STATEMENTS = ("ALTER TABLE runs ADD COLUMN signs JSON",)


def migrate(conn: Connection) -> None:
    for statement in STATEMENTS:
        conn.execute(text(statement))
