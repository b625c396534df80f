"""Coordinators: the places that carry out orders."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, select

from toryo.store.engine import Tx
from toryo.store.rows import CoordinatorRow
from toryo.store.schema import coordinators
from toryo.store.statements import add, change, every, first

_GET = select(coordinators).where(coordinators.c.id == bindparam("it"))
_ALL = select(coordinators).order_by(coordinators.c.id)


def insert(tx: Tx, row: CoordinatorRow) -> None:
    add(tx, coordinators, row)


def get(tx: Tx, id: str) -> CoordinatorRow | None:
    return first(tx, CoordinatorRow, _GET, it=id)


def listing(tx: Tx) -> list[CoordinatorRow]:
    return every(tx, CoordinatorRow, _ALL)


def update(tx: Tx, id: str, **columns: Any) -> None:
    change(tx, coordinators, {"id": id}, columns)
