"""Columns of version 3: a client's own record of a run, runs that wait for a limit to end, agents' skills."""

from __future__ import annotations

from sqlalchemy import Connection, text

DOUBLE = {"sqlite": "DOUBLE", "postgresql": "DOUBLE PRECISION"}
STATEMENTS = (
    "ALTER TABLE agents ADD COLUMN skills JSON NOT NULL DEFAULT '{{}}'",
    "ALTER TABLE runs ADD COLUMN said JSON",
    "ALTER TABLE runs ADD COLUMN parked_until {double}",
    "CREATE INDEX runs_parked ON runs (parked_until) WHERE parked_until IS NOT NULL",
)


def migrate(conn: Connection) -> None:
    for statement in STATEMENTS:
        conn.execute(text(statement.format(double=DOUBLE[conn.dialect.name])))
