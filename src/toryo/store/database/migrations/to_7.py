"""Columns of version 7: verbs and events are about a subject (`kind:name`), no longer about a
task alone; a run has the limits that were in force when it was claimed.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

VERB = "verb, generation, landing_seq, reason, note, at"
# SQLite cannot drop a column that is a foreign key: the table is made anew.
SQLITE = (
    "CREATE TABLE new_verbs (seq INTEGER NOT NULL, subject VARCHAR NOT NULL, verb VARCHAR NOT NULL,"
    " generation INTEGER NOT NULL, landing_seq INTEGER NOT NULL, reason VARCHAR NOT NULL, note TEXT NOT NULL,"
    " at DOUBLE NOT NULL, PRIMARY KEY (seq))",
    f"INSERT INTO new_verbs (seq, subject, {VERB}) SELECT seq, 'task:' || task, {VERB} FROM verbs",
    "DROP TABLE verbs",
    "ALTER TABLE new_verbs RENAME TO verbs",
)
POSTGRESQL = (
    "ALTER TABLE verbs ADD COLUMN subject VARCHAR NOT NULL DEFAULT ''",
    "UPDATE verbs SET subject = 'task:' || task",
    "ALTER TABLE verbs ALTER COLUMN subject DROP DEFAULT",
    "ALTER TABLE verbs DROP COLUMN task",
)
ADDED = (
    "CREATE INDEX ix_verbs_subject ON verbs (subject)",
    "ALTER TABLE events ADD COLUMN subject VARCHAR DEFAULT '' NOT NULL",
    "UPDATE events SET subject = CASE WHEN run != '' THEN 'run:' || run WHEN task != '' THEN 'task:' || task"
    " WHEN project != '' THEN 'project:' || project ELSE '' END",
    "CREATE INDEX events_subject ON events (subject, seq)",
    "ALTER TABLE runs ADD COLUMN limits JSON DEFAULT '{}' NOT NULL",
    # nothing read them
    "DROP TABLE settings",
    "ALTER TABLE coordinators DROP COLUMN acknowledged",
    # a wake-up for notices had a name without a kind that anything looks at
    "DELETE FROM marks WHERE subject = 'notices:'",
)


def migrate(conn: Connection) -> None:
    for statement in (*(SQLITE if conn.dialect.name == "sqlite" else POSTGRESQL), *ADDED):
        conn.execute(text(statement))
