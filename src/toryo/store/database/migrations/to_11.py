"""Tables of version 11: units, their breakdowns, messages between parent and child."""

from __future__ import annotations

from sqlalchemy import Connection, text

DOUBLE = {"sqlite": "DOUBLE", "postgresql": "DOUBLE PRECISION"}
FALSE = {"sqlite": "0", "postgresql": "false"}
SERIAL = {"sqlite": "INTEGER NOT NULL", "postgresql": "BIGSERIAL NOT NULL"}
STATEMENTS = (
    "ALTER TABLE tasks ADD COLUMN unit VARCHAR DEFAULT '' NOT NULL",
    "CREATE INDEX tasks_of_unit ON tasks (project, unit, seq) WHERE unit != ''",
    "ALTER TABLE targets ADD COLUMN unit VARCHAR DEFAULT '' NOT NULL",
    "ALTER TABLE targets ADD COLUMN closed BOOLEAN DEFAULT {false} NOT NULL",
    "ALTER TABLE missions ADD COLUMN root VARCHAR DEFAULT '' NOT NULL",
    "CREATE TABLE units (task VARCHAR NOT NULL, project VARCHAR NOT NULL, mission VARCHAR NOT NULL,"
    " depth INTEGER NOT NULL, requirements VARCHAR NOT NULL, scoped VARCHAR NOT NULL,"
    " environment JSON NOT NULL, PRIMARY KEY (task), FOREIGN KEY(task) REFERENCES tasks (id))",
    "CREATE TABLE breakdowns (seq {serial}, task VARCHAR NOT NULL, run VARCHAR NOT NULL,"
    " generation INTEGER NOT NULL, digest VARCHAR NOT NULL, body JSON NOT NULL, spawned JSON NOT NULL,"
    " at {double} NOT NULL, PRIMARY KEY (seq))",
    "CREATE INDEX breakdowns_task ON breakdowns (task, seq)",
    "CREATE TABLE unit_messages (seq {serial}, id VARCHAR NOT NULL, mission VARCHAR NOT NULL,"
    " sender VARCHAR NOT NULL, receiver VARCHAR NOT NULL, type VARCHAR NOT NULL, task VARCHAR NOT NULL,"
    " data JSON NOT NULL, at {double} NOT NULL, delivered_at {double}, delivered_run VARCHAR NOT NULL,"
    " attempts INTEGER NOT NULL, dead BOOLEAN NOT NULL, PRIMARY KEY (seq), UNIQUE (id))",
    "CREATE INDEX unit_messages_mission ON unit_messages (mission, seq)",
    "CREATE INDEX unit_messages_waiting ON unit_messages (receiver, seq) WHERE delivered_at IS NULL",
)


def migrate(conn: Connection) -> None:
    dialect = conn.dialect.name
    for statement in STATEMENTS:
        words = {"double": DOUBLE[dialect], "serial": SERIAL[dialect], "false": FALSE[dialect]}
        conn.execute(text(statement.format(**words)))
