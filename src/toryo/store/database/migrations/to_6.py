"""Tables of version 6: missions, messages, questions, plans, model calls, scans of repositories."""

from __future__ import annotations

from sqlalchemy import Connection, text

DOUBLE = {"sqlite": "DOUBLE", "postgresql": "DOUBLE PRECISION"}
FALSE = {"sqlite": "0", "postgresql": "false"}
SERIAL = {"sqlite": "INTEGER NOT NULL", "postgresql": "BIGSERIAL NOT NULL"}
FALSE = {"sqlite": "0", "postgresql": "false"}
STATEMENTS = (
    "ALTER TABLE tasks ADD COLUMN mission VARCHAR DEFAULT '' NOT NULL",
    "ALTER TABLE tasks ADD COLUMN planned VARCHAR DEFAULT '' NOT NULL",
    "ALTER TABLE tasks ADD COLUMN predicted BOOLEAN DEFAULT {false} NOT NULL",
    "CREATE INDEX tasks_of_mission ON tasks (mission, seq) WHERE mission != ''",
    "ALTER TABLE orders ADD COLUMN mission VARCHAR DEFAULT '' NOT NULL",
    "CREATE INDEX orders_mission ON orders (mission) WHERE mission != ''",
    "ALTER TABLE landings ADD COLUMN mission VARCHAR DEFAULT '' NOT NULL",
    "ALTER TABLE landings ADD COLUMN files JSON",
    "ALTER TABLE landings ADD COLUMN key VARCHAR DEFAULT '' NOT NULL",
    "ALTER TABLE landings ADD COLUMN message TEXT DEFAULT '' NOT NULL",
    "ALTER TABLE landings ADD COLUMN unchanged BOOLEAN DEFAULT {false} NOT NULL",
    "CREATE INDEX landings_mission ON landings (mission) WHERE mission != ''",
    "CREATE TABLE missions (seq {serial}, id VARCHAR NOT NULL, project VARCHAR NOT NULL,"
    " target VARCHAR NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, approval VARCHAR NOT NULL,"
    " plan_only BOOLEAN NOT NULL, follows VARCHAR NOT NULL, alone BOOLEAN NOT NULL,"
    " taken_from VARCHAR NOT NULL, spec_dir VARCHAR NOT NULL, size VARCHAR NOT NULL,"
    " parallelism INTEGER NOT NULL, budget JSON NOT NULL, request INTEGER NOT NULL, demand JSON,"
    " approved_at {double}, created_at {double} NOT NULL, changed_at {double} NOT NULL,"
    " status VARCHAR NOT NULL, reason VARCHAR NOT NULL, detail TEXT NOT NULL, hold VARCHAR NOT NULL,"
    " stop BOOLEAN NOT NULL, hold_tasks JSON NOT NULL,"
    " PRIMARY KEY (seq), UNIQUE (id), FOREIGN KEY(project) REFERENCES projects (id))",
    "CREATE INDEX missions_of_project ON missions (project, seq)",
    "CREATE INDEX missions_status ON missions (status, seq)",
    "CREATE TABLE messages (seq {serial}, id VARCHAR NOT NULL, mission VARCHAR NOT NULL,"
    " who VARCHAR NOT NULL, text TEXT NOT NULL, at {double} NOT NULL,"
    " PRIMARY KEY (seq), UNIQUE (id), FOREIGN KEY(mission) REFERENCES missions (id))",
    "CREATE INDEX messages_mission ON messages (mission, seq)",
    "CREATE TABLE questions (mission VARCHAR NOT NULL, id VARCHAR NOT NULL, number INTEGER NOT NULL,"
    ' request INTEGER NOT NULL, text TEXT NOT NULL, options JSON NOT NULL, "default" TEXT NOT NULL,'
    " answer TEXT, answered_at {double}, PRIMARY KEY (mission, id),"
    " FOREIGN KEY(mission) REFERENCES missions (id))",
    "CREATE TABLE plans (mission VARCHAR NOT NULL, version INTEGER NOT NULL, request INTEGER NOT NULL,"
    " spec TEXT NOT NULL, plan TEXT NOT NULL, tasks JSON NOT NULL, tasks_text TEXT NOT NULL,"
    " parallelism INTEGER NOT NULL,"
    " faults JSON NOT NULL, notes JSON NOT NULL, edges JSON NOT NULL, findings JSON,"
    " mends INTEGER NOT NULL, created_at {double} NOT NULL, approved_at {double}, rejected_at {double},"
    " rejection TEXT NOT NULL, made_at {double}, PRIMARY KEY (mission, version),"
    " FOREIGN KEY(mission) REFERENCES missions (id))",
    'CREATE TABLE model_calls ("order" VARCHAR NOT NULL, mission VARCHAR NOT NULL, task VARCHAR NOT NULL,'
    " purpose VARCHAR NOT NULL, problem VARCHAR NOT NULL, calls INTEGER NOT NULL,"
    " input_tokens BIGINT NOT NULL,"
    " output_tokens BIGINT NOT NULL, cost_usd {double}, cost VARCHAR NOT NULL, at {double} NOT NULL,"
    ' PRIMARY KEY ("order"))',
    "CREATE INDEX ix_model_calls_mission ON model_calls (mission)",
    'CREATE TABLE scans (project VARCHAR NOT NULL, "commit" VARCHAR NOT NULL, text VARCHAR NOT NULL,'
    " has_tests BOOLEAN NOT NULL, paths JSON NOT NULL, at {double} NOT NULL,"
    ' PRIMARY KEY (project, "commit"))',
)


def migrate(conn: Connection) -> None:
    dialect = conn.dialect.name
    for statement in STATEMENTS:
        words = {"double": DOUBLE[dialect], "serial": SERIAL[dialect], "false": FALSE[dialect]}
        conn.execute(text(statement.format(**words)))
