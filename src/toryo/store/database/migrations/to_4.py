"""Indexes of version 4: they hold what is asked for, and not all that ever was (ADR 36)."""

from __future__ import annotations

from sqlalchemy import Connection, text

STATEMENTS = (
    "DROP INDEX runs_live",
    "CREATE INDEX runs_live ON runs (project, agent) WHERE live = {true}",
    "DROP INDEX runs_coordinator",
    "CREATE INDEX runs_coordinator ON runs (coordinator) WHERE live = {true}",
    "DROP INDEX orders_place",
    "CREATE INDEX orders_place ON orders (place) WHERE ended_at IS NULL",
    "DROP INDEX orders_task",
    "DROP INDEX orders_project",
    "CREATE INDEX orders_pending ON orders (project, task) WHERE ended_at IS NULL",
    "DROP INDEX orders_landing",
    "CREATE INDEX orders_landing ON orders (landing) WHERE landing != ''",
    "DROP INDEX orders_gate",
    "CREATE INDEX orders_gate ON orders (gate) WHERE gate != ''",
    "DROP INDEX facts_landing",
    "CREATE INDEX facts_landing ON facts (landing) WHERE landing != ''",
    "DROP INDEX facts_gate",
    "CREATE INDEX facts_gate ON facts (gate) WHERE gate != ''",
    "DROP INDEX facts_standing",
    "CREATE INDEX facts_standing ON facts (standing) WHERE standing != 'applied'",
    "CREATE INDEX checks_newest ON checks (project, seq) WHERE fingerprint != ''",
    "CREATE INDEX tasks_of_project ON tasks (project, seq)",
    "CREATE INDEX tasks_of_project_status ON tasks (project, status, seq)",
)
TRUE = {"sqlite": "1", "postgresql": "true"}


def migrate(conn: Connection) -> None:
    for statement in STATEMENTS:
        conn.execute(text(statement.format(true=TRUE[conn.dialect.name])))
