"""Version 5: what a living run asks, and where an agent is started."""

from __future__ import annotations

from sqlalchemy import Connection, text

STATEMENTS = (
    "ALTER TABLE runs ADD COLUMN signs JSON",
    "ALTER TABLE agents ADD COLUMN start_in VARCHAR DEFAULT '' NOT NULL",
)


def migrate(conn: Connection) -> None:
    for statement in STATEMENTS:
        conn.execute(text(statement))
