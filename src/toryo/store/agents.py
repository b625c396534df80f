"""Agents: one definition per installation."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, delete, select

from toryo.domain.words import TaskStatus
from toryo.store import prepared
from toryo.store.engine import Tx
from toryo.store.rows import AgentRow
from toryo.store.schema import agents, assignments, tasks
from toryo.store.statements import add, change, every, first

_GET = select(agents).where(agents.c.id == bindparam("it"))
_ALL = select(agents).order_by(agents.c.created_at, agents.c.id)
_OVER = (TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED)
# Not in the order of seq: for its sake SQLite would read all that the project ever had.
_NEEDING = select(tasks.c.seq, tasks.c.id).where(
    tasks.c.project == bindparam("project"),
    tasks.c.agent == bindparam("it"),
    tasks.c.status.in_([status.value for status in TaskStatus if status not in _OVER]),
)
_REMOVE = (
    delete(assignments).where(assignments.c.agent == bindparam("it")),
    delete(agents).where(agents.c.id == bindparam("it")),
)


def insert(tx: Tx, row: AgentRow) -> None:
    add(tx, agents, row)


def get(tx: Tx, id: str) -> AgentRow | None:
    return first(tx, AgentRow, _GET, it=id)


def listing(tx: Tx) -> list[AgentRow]:
    return every(tx, AgentRow, _ALL)


def update(tx: Tx, id: str, **columns: Any) -> None:
    change(tx, agents, {"id": id}, columns)


def tasks_needing(tx: Tx, project: str, id: str) -> list[str]:
    """Tasks of the project that this agent may still have to work on, the oldest first."""
    _, found = prepared.rows(tx.conn, _NEEDING, {"project": project, "it": id})
    return [str(task) for _, task in sorted(found)]


def remove(tx: Tx, id: str) -> None:
    """With its assignments; tasks and runs keep its name."""
    for statement in _REMOVE:
        prepared.write(tx.conn, statement, {"it": id})
