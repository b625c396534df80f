"""Agents: one definition per installation, and those that projects' own repositories define.

The name is the `id`, and all that others keep of an agent. In a project it means the project's own agent,
else the installation's: `get` is the one finder of it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, delete, or_, select
from sqlalchemy import update as update_rows

from toryo.domain.words import TaskStatus
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow
from toryo.store.database.schema import agents, assignments, tasks
from toryo.store.database.statements import add, change, every, first

_NAMED = select(agents).where(agents.c.id == bindparam("it")).order_by(agents.c.project)
_GET = (  # a project's id sorts behind the empty one
    select(agents)
    .where(
        agents.c.id == bindparam("it"), or_(agents.c.project == bindparam("project"), agents.c.project == "")
    )
    .order_by(agents.c.project.desc())
    .limit(1)
)
_ALL = select(agents).order_by(agents.c.created_at, agents.c.id)
_OVER = (TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED)
# Not in the order of seq: for its sake SQLite would read all that the project ever had.
_NEEDING = select(tasks.c.seq, tasks.c.id).where(
    tasks.c.project == bindparam("project"),
    tasks.c.agent == bindparam("it"),
    tasks.c.status.in_([status.value for status in TaskStatus if status not in _OVER]),
)
_OWN = select(agents.c.project).where(agents.c.id == bindparam("it"), agents.c.project != "")
_REMOVE = delete(agents).where(agents.c.id == bindparam("it"), agents.c.project == bindparam("project"))
_UNASSIGN_OWN = delete(assignments).where(
    assignments.c.agent == bindparam("it"), assignments.c.project == bindparam("project")
)
_UNASSIGN_SHARED = delete(assignments).where(
    assignments.c.agent == bindparam("it"), assignments.c.project.not_in(_OWN)
)
_REMOVE_OF_PROJECT = delete(agents).where(agents.c.project == bindparam("project"))
_PASSKEY = update_rows(agents).where(agents.c.id == bindparam("it")).values(passkey_hash=bindparam("hash"))


def insert(tx: Tx, row: AgentRow) -> None:
    add(tx, agents, row)


def get(tx: Tx, id: str, project: str = "") -> AgentRow | None:
    """Whom the name means in the project: its own agent, else the installation's."""
    return first(tx, AgentRow, _GET, it=id, project=project)


def named(tx: Tx, id: str) -> list[AgentRow]:
    """All of that name: the installation's first, then the projects' own."""
    return every(tx, AgentRow, _NAMED, it=id)


def listing(tx: Tx) -> list[AgentRow]:
    return every(tx, AgentRow, _ALL)


def update(tx: Tx, id: str, project: str = "", **columns: Any) -> None:
    """Of exactly that definition; another of the same name stays as it is."""
    change(tx, agents, {"id": id, "project": project}, columns)


def put_passkey(tx: Tx, id: str, hash: str) -> None:
    """A passkey is the name's: it opens the door wherever an agent of that name works."""
    prepared.write(tx.conn, _PASSKEY, {"it": id, "hash": hash})


def tasks_needing(tx: Tx, project: str, id: str) -> list[str]:
    """Tasks of the project that this agent may still have to work on, the oldest first."""
    _, found = prepared.rows(tx.conn, _NEEDING, {"project": project, "it": id})
    return [str(task) for _, task in sorted(found)]


def remove(tx: Tx, id: str, project: str = "") -> None:
    """With its assignments, not with those that mean another of its name; tasks and runs keep its name."""
    if project:
        prepared.write(tx.conn, _UNASSIGN_OWN, {"it": id, "project": project})
    else:
        prepared.write(tx.conn, _UNASSIGN_SHARED, {"it": id})
    prepared.write(tx.conn, _REMOVE, {"it": id, "project": project})


def remove_of_project(tx: Tx, project: str) -> None:
    """All that its repository defined."""
    prepared.write(tx.conn, _REMOVE_OF_PROJECT, {"project": project})
