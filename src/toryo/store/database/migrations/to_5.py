"""Columns of version 5: agents of a project, where agents are started, what a living run asks, children of
a task.
"""

from __future__ import annotations

import json
import re
from typing import Any

from sqlalchemy import Connection, text

AGENT = (
    "name, role, client, command, model, system_prompt, prompt, scope, slots, access, style, terminal,"
    " skills, status, passkey_hash, created_at"
)
# SQLite cannot change a key: the tables are made anew.
SQLITE = (
    "CREATE TABLE new_assignments (project VARCHAR NOT NULL, agent VARCHAR NOT NULL,"
    " PRIMARY KEY (project, agent), FOREIGN KEY(project) REFERENCES projects (id))",
    "INSERT INTO new_assignments SELECT project, agent FROM assignments",
    "DROP TABLE assignments",
    "ALTER TABLE new_assignments RENAME TO assignments",
    "CREATE TABLE new_agents (id VARCHAR NOT NULL, project VARCHAR DEFAULT '' NOT NULL,"
    " name VARCHAR NOT NULL, role VARCHAR NOT NULL, client VARCHAR NOT NULL, command TEXT NOT NULL,"
    " model VARCHAR NOT NULL, system_prompt TEXT NOT NULL, prompt TEXT NOT NULL, scope JSON NOT NULL,"
    " slots INTEGER NOT NULL, access VARCHAR NOT NULL, style VARCHAR NOT NULL, terminal VARCHAR NOT NULL,"
    " skills JSON DEFAULT '{}' NOT NULL, status VARCHAR NOT NULL, passkey_hash VARCHAR NOT NULL,"
    " created_at DOUBLE NOT NULL, PRIMARY KEY (id, project))",
    f"INSERT INTO new_agents (id, project, {AGENT}) SELECT id, '', {AGENT} FROM agents",
    "DROP TABLE agents",
    "ALTER TABLE new_agents RENAME TO agents",
)
POSTGRESQL = (
    "ALTER TABLE agents DROP CONSTRAINT agents_pkey CASCADE",
    "ALTER TABLE agents ADD COLUMN project VARCHAR NOT NULL DEFAULT ''",
    "ALTER TABLE agents ADD PRIMARY KEY (id, project)",
)
ADDED = (
    "ALTER TABLE runs ADD COLUMN signs JSON",
    "ALTER TABLE agents ADD COLUMN start_in VARCHAR DEFAULT '' NOT NULL",
    "CREATE INDEX tasks_of_parent ON tasks (parent, seq) WHERE parent != ''",
)
OWN = (
    f"INSERT INTO agents (id, project, {AGENT}) SELECT id, CAST(:project AS VARCHAR), {AGENT} FROM agents"
    " WHERE id = :name AND project = ''"
    " AND EXISTS (SELECT 1 FROM assignments WHERE project = :project AND agent = :name)"
)
# Only where nobody else works with it, and nobody could have made it by hand for another project.
UNUSED = (
    "DELETE FROM agents WHERE id = :name AND project = ''"
    " AND EXISTS (SELECT 1 FROM agents AS own WHERE own.id = :name AND own.project != '')"
    " AND NOT EXISTS (SELECT 1 FROM assignments WHERE agent = :name AND NOT EXISTS"
    " (SELECT 1 FROM agents AS own WHERE own.id = :name AND own.project = assignments.project))"
)
NAME = re.compile(r"""^name:\s*["']?([a-z0-9][a-z0-9_-]*)""", re.MULTILINE)


def migrate(conn: Connection) -> None:
    for statement in (*(SQLITE if conn.dialect.name == "sqlite" else POSTGRESQL), *ADDED):
        conn.execute(text(statement))
    defined = set()
    for project, files in conn.execute(text("SELECT id, settings_files FROM projects")).all():
        for name in _defined(files):
            conn.execute(text(OWN), {"project": project, "name": name})
            defined.add(name)
    for name in sorted(defined):
        conn.execute(text(UNUSED), {"name": name})


def _defined(files: Any) -> set[str]:
    """Names of the agents that a project's own files define."""
    read = json.loads(files) if isinstance(files, str) else files or {}
    texts = [text for path, text in read.items() if path.startswith("agents/")]
    return {found[1] for one in texts if (found := NAME.search(one))}
