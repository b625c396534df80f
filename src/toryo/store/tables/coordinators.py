"""Coordinators and planners: the processes that carry out orders. Who lists them gets coordinators only."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, select

from toryo.domain.client_names import OF_A_COMMAND
from toryo.domain.words import PlaceKind
from toryo.store.database.engine import Tx
from toryo.store.database.rows import CoordinatorRow
from toryo.store.database.schema import coordinators
from toryo.store.database.statements import add, change, every, first

_GET = select(coordinators).where(coordinators.c.id == bindparam("it"))
_ALL = select(coordinators).order_by(coordinators.c.id)
_OF_KIND = _ALL.where(coordinators.c.kind == bindparam("kind"))


def insert(tx: Tx, row: CoordinatorRow) -> None:
    add(tx, coordinators, row)


def get(tx: Tx, id: str) -> CoordinatorRow | None:
    return first(tx, CoordinatorRow, _GET, it=id)


def kind_of(tx: Tx, id: str) -> str:
    row = get(tx, id)
    return row.kind if row else PlaceKind.COORDINATOR


def listing(tx: Tx, kind: PlaceKind = PlaceKind.COORDINATOR) -> list[CoordinatorRow]:
    return every(tx, CoordinatorRow, _OF_KIND, kind=str(kind))


def of_every_kind(tx: Tx) -> list[CoordinatorRow]:
    return every(tx, CoordinatorRow, _ALL)


def clients_of(row: CoordinatorRow) -> dict[str, str]:
    """Each client with a program → its path, empty where that is not there."""
    return {name: path for name, path in row.clients.items() if not name.startswith(OF_A_COMMAND)}


def programs_of(row: CoordinatorRow) -> dict[str, str]:
    """The same of programs that agents of the client `command` start, as they are told."""
    return {name: path for name, path in row.clients.items() if name.startswith(OF_A_COMMAND)}


def lacks(tx: Tx, machine: str, told_as: str) -> bool:
    """Whether the program was looked for on the machine and is nowhere; nobody said so of one never told."""
    told = [row.clients[told_as] for row in listing(tx) if row.machine == machine and told_as in row.clients]
    return bool(told) and not any(told)


def update(tx: Tx, id: str, **columns: Any) -> None:
    change(tx, coordinators, {"id": id}, columns)
