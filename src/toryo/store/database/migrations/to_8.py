"""Column of version 8: the kind of place that a row of the coordinators is."""

from __future__ import annotations

from sqlalchemy import Connection, text

ADDED = "ALTER TABLE coordinators ADD COLUMN kind VARCHAR DEFAULT 'coordinator' NOT NULL"


def migrate(conn: Connection) -> None:
    conn.execute(text(ADDED))
