"""Version 5: where an agent is started (ADR 45)."""

from __future__ import annotations

from sqlalchemy import Connection, text

STATEMENTS = ("ALTER TABLE agents ADD COLUMN start_in VARCHAR DEFAULT '' NOT NULL",)


def migrate(conn: Connection) -> None:
    for statement in STATEMENTS:
        conn.execute(text(statement))
