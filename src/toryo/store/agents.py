"""Agents: one definition per installation."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, select

from toryo.store.engine import Tx
from toryo.store.rows import AgentRow
from toryo.store.schema import agents
from toryo.store.statements import add, change, every, first

_GET = select(agents).where(agents.c.id == bindparam("it"))
_ALL = select(agents).order_by(agents.c.created_at, agents.c.id)


def insert(tx: Tx, row: AgentRow) -> None:
    add(tx, agents, row)


def get(tx: Tx, id: str) -> AgentRow | None:
    return first(tx, AgentRow, _GET, it=id)


def listing(tx: Tx) -> list[AgentRow]:
    return every(tx, AgentRow, _ALL)


def update(tx: Tx, id: str, **columns: Any) -> None:
    change(tx, agents, {"id": id}, columns)
