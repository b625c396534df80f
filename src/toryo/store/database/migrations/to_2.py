"""Indexes of version 2, for questions that read whole tables; what became of a candidate."""

from __future__ import annotations

from sqlalchemy import Connection, text

DOUBLE = {"sqlite": "DOUBLE", "postgresql": "DOUBLE PRECISION"}
STATEMENTS = (
    "CREATE INDEX runs_coordinator ON runs (coordinator, live)",
    "CREATE INDEX orders_task ON orders (task)",
    "CREATE INDEX orders_project ON orders (project, state)",
    "CREATE INDEX landings_unpublished ON landings (project, target, accept_number)"
    " WHERE accepted_at IS NOT NULL AND published_at IS NULL",
    'CREATE INDEX facts_order ON facts ("order")',
    "CREATE INDEX tokens_run ON tokens (run)",
    "CREATE INDEX tokens_expiry ON tokens (ended_at, expires_at)",
    "CREATE INDEX events_project ON events (project, seq)",
    "CREATE TABLE texts (hash VARCHAR NOT NULL PRIMARY KEY, text TEXT NOT NULL)",
    "CREATE INDEX tasks_status ON tasks (status, seq)",
    "ALTER TABLE targets ADD COLUMN retry_at {double} NOT NULL DEFAULT 0",
    "ALTER TABLE targets ADD COLUMN foreign_tip VARCHAR NOT NULL DEFAULT ''",
    "ALTER TABLE landings ADD COLUMN trusted BOOLEAN NOT NULL DEFAULT FALSE",
    "ALTER TABLE landings ADD COLUMN stale VARCHAR NOT NULL DEFAULT ''",
    "ALTER TABLE landings ADD COLUMN problem TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE landings ADD COLUMN accept_refused BOOLEAN NOT NULL DEFAULT FALSE",
    "ALTER TABLE checks ADD COLUMN interrupted BOOLEAN NOT NULL DEFAULT FALSE",
)


def migrate(conn: Connection) -> None:
    for statement in STATEMENTS:
        conn.execute(text(statement.format(double=DOUBLE[conn.dialect.name])))
