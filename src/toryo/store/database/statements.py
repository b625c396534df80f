"""Insert, update and read statements, the same for every table. SQL of one table's own is in its module."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import Executable, Insert, Select, Table, Update, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TableRow, storable

R = TypeVar("R", bound=TableRow)

LARGEST_SUFFIX = "z" * 12
"""Ids are lower-case letters and digits: none with a prefix sorts behind the prefix and this."""


def first(tx: Tx, kind: type[R], statement: Executable, **given: Any) -> R | None:
    names, found = prepared.rows(tx.conn, statement, given, most=1)
    return kind.read(names, found[0]) if found else None


def every(tx: Tx, kind: type[R], statement: Executable, /, **given: Any) -> list[R]:
    names, found = prepared.rows(tx.conn, statement, given)
    return [kind.read(names, row) for row in found]


def every_of(
    tx: Tx, kind: type[R], statement: Select[Any], table: Table, only: Mapping[str, Any], /, **given: Any
) -> list[R]:
    """As `every`, of those rows whose columns have these values; None: whatever the column has."""
    wanted = {name: value for name, value in only.items() if value is not None}
    return every(tx, kind, _narrowed(statement, table, tuple(wanted)), **wanted, **given)


@lru_cache(maxsize=64)
def _narrowed(statement: Select[Any], table: Table, names: tuple[str, ...]) -> Select[Any]:
    """Made once: a statement that is built anew each time would be compiled anew, too."""
    return statement.where(*(table.c[name] == bindparam(name) for name in names))


def texts(tx: Tx, statement: Executable, **given: Any) -> list[str]:
    return [str(row[0]) for row in prepared.rows(tx.conn, statement, given)[1]]


def add(tx: Tx, table: Table, row: TableRow) -> int:
    """Insert; the number the database gave it, 0 where the table has none."""
    return prepared.write(tx.conn, _insert(table), row.values())[0]


def add_if_new(tx: Tx, table: Table, row: TableRow, unique: str) -> bool:
    """Insert unless that value of the unique column is there already."""
    statement = _insert_if_new(tx.conn.dialect.name, table, (unique,))
    return prepared.write(tx.conn, statement, row.values())[1] == 1


def add_if_absent(tx: Tx, table: Table, columns: Mapping[str, Any], unique: str) -> None:
    """Insert unless that value of the unique column is there already."""
    prepared.write(tx.conn, _insert_if_new(tx.conn.dialect.name, table, (unique,)), columns)


def add_link(tx: Tx, table: Table, columns: Mapping[str, Any]) -> None:
    """Insert a row that is nothing but its key; it may be there already."""
    statement = _insert_if_new(tx.conn.dialect.name, table, tuple(columns))
    prepared.write(tx.conn, statement, columns)


def change(tx: Tx, table: Table, key: Mapping[str, Any], columns: Mapping[str, Any]) -> None:
    """Set the columns of the row with that key."""
    if not columns:
        return
    given = storable(dict(columns))
    given.update({f"key_{name}": value for name, value in key.items()})
    prepared.write(tx.conn, _update(table, tuple(key)), given)


@lru_cache(maxsize=64)
def _update(table: Table, key: tuple[str, ...]) -> Update:
    """The columns to set are the names given at execution."""
    statement = update(table)
    for name in key:
        statement = statement.where(table.c[name] == bindparam(f"key_{name}"))
    return statement


@lru_cache(maxsize=64)
def _insert(table: Table) -> Insert:
    return insert(table)


@lru_cache(maxsize=64)
def _insert_if_new(dialect: str, table: Table, unique: tuple[str, ...]) -> Executable:
    statement = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    inline = statement.inline().on_conflict_do_nothing(index_elements=unique)
    return inline.execution_options(
        preserve_rowcount=True
    )  # else the driver's count is given up with the cursor


def prefixed(tx: Tx, kind: type[R], table: Table, text: str, most: int = 5) -> list[R]:
    """Rows whose id begins with the text, by the index of ids; nothing for an empty text."""
    if not text:
        return []
    found = every(tx, kind, _between(table), low=text, high=text + LARGEST_SUFFIX, most=most)
    return [row for row in found if str(row.values()["id"]).startswith(text)]


@lru_cache(maxsize=8)
def _between(table: Table) -> Executable:
    of_id = table.c.id.between(bindparam("low"), bindparam("high"))
    return select(table).where(of_id).order_by(table.c.id).limit(bindparam("most"))
