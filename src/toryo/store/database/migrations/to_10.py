"""Tables of version 10: hunks that a person has seen, and comments on lines."""

from __future__ import annotations

from sqlalchemy import Connection, text

DOUBLE = {"sqlite": "DOUBLE", "postgresql": "DOUBLE PRECISION"}
STATEMENTS = (
    "CREATE TABLE review_marks (task VARCHAR NOT NULL, hunk VARCHAR NOT NULL, path TEXT NOT NULL,"
    " at {double} NOT NULL, PRIMARY KEY (task, hunk))",
    'CREATE TABLE review_comments (id VARCHAR NOT NULL, task VARCHAR NOT NULL, path TEXT NOT NULL, "first"'
    ' INTEGER NOT NULL, "last" INTEGER NOT NULL, excerpt TEXT NOT NULL, text TEXT NOT NULL,'
    " created_at {double} NOT NULL, sent_at {double}, sent_as VARCHAR NOT NULL, PRIMARY KEY (id))",
    "CREATE INDEX review_comments_task ON review_comments (task, created_at)",
)


def migrate(conn: Connection) -> None:
    for statement in STATEMENTS:
        conn.execute(text(statement.format(double=DOUBLE[conn.dialect.name])))
