"""Prepared statements: compiled once and given to SQLite's driver as they are.

SQLAlchemy builds them and knows the types; what it does at each execution costs 0.1 ms, ten times what SQLite
needs. PostgreSQL goes its ordinary way.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import JSON, Connection, Executable
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql import visitors

from toryo.store.database import connections, json_text

Found = tuple[tuple[str, ...], list[tuple[Any, ...]]]
"""The names of the columns, and the rows."""

_DIALECT = SQLiteDialect_pysqlite()
_KEPT = 2048
_JSON = json.JSONDecoder()
_LISTS = (list, tuple, set, frozenset)


@dataclass(frozen=True)
class Prepared:
    sql: str
    inputs: Callable[[Mapping[str, Any]], tuple[Any, ...]]
    """The values from their names, in the order of the question marks."""
    converts: tuple[tuple[int, Callable[[Any], Any]], ...]
    """The places among them whose values the driver does not take as they are."""
    fixed: Mapping[str, Any]
    """Values that the statement itself holds."""
    lists: Mapping[str, tuple[str, ...]]
    """The names of a list's single values."""
    names: tuple[str, ...]
    outputs: tuple[tuple[int, Callable[[Any], Any]], ...]
    """The columns whose values are not what the driver gives."""

    def given(self, values: Mapping[str, Any]) -> Sequence[Any]:
        if self.fixed or self.lists:
            values = {**self.fixed, **values}
            for name, parts in self.lists.items():
                values |= zip(parts, values[name], strict=True)
        found = self.inputs(values)
        if not self.converts:
            return found
        converted = list(found)
        for place, convert in self.converts:
            converted[place] = convert(converted[place])
        return converted

    def row(self, raw: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self.outputs:
            return raw
        values = list(raw)
        for place, convert in self.outputs:
            values[place] = convert(values[place])
        return tuple(values)


TAKES_LISTS = Prepared("", lambda _values: (), (), {}, {}, (), ())
"""It has no text of its own before the lists among its values are known."""


def rows(conn: Connection, statement: Executable, given: Mapping[str, Any], most: int = 0) -> Found:
    """What a query finds; `most`: only so many of it."""
    driver = _driver(conn)
    prepared = _for(statement, (), given) if driver is not None else None
    if prepared is None or driver is None:
        result = conn.execute(statement, dict(given))
        names = tuple(result.keys())
        return names, [tuple(row) for row in (result.fetchmany(most) if most else result.fetchall())]
    cursor = _execute(driver, prepared, given)
    raw = cursor.fetchmany(most) if most else cursor.fetchall()
    cursor.close()
    return prepared.names, [prepared.row(row) for row in raw] if prepared.outputs else raw


def value(conn: Connection, statement: Executable, given: Mapping[str, Any] | None = None) -> Any:
    """The first column of the first row, or None."""
    _, found = rows(conn, statement, given or {}, most=1)
    return found[0][0] if found else None


def write(conn: Connection, statement: Executable, given: Mapping[str, Any]) -> tuple[int, int]:
    """The number the database gave a new row (0: none), and how many rows were touched."""
    driver = _driver(conn)
    prepared = _for(statement, tuple(given), given) if driver is not None else None
    if prepared is None or driver is None:
        done = conn.execute(statement, dict(given))
        key = done.inserted_primary_key if done.is_insert else None
        number = key[0] if key is not None and isinstance(key[0], int) else 0
        return number, done.rowcount
    cursor = _execute(driver, prepared, given)
    number, touched = cursor.lastrowid or 0, cursor.rowcount
    cursor.close()
    return number, touched


def _execute(driver: sqlite3.Connection, prepared: Prepared, given: Mapping[str, Any]) -> sqlite3.Cursor:
    values = prepared.given(given)
    try:
        return driver.execute(prepared.sql, values)
    except sqlite3.Error as error:  # by the name that callers know, whatever way a statement went
        raise DBAPIError.instance(prepared.sql, tuple(values), error, sqlite3.Error) from error


def _for(statement: Executable, names: tuple[str, ...], given: Mapping[str, Any]) -> Prepared | None:
    prepared = _prepared(statement, names)
    if prepared is not TAKES_LISTS:
        return prepared
    return _prepared(
        statement,
        names,
        tuple([(name, len(value)) for name, value in given.items() if isinstance(value, _LISTS)]),
    )


@lru_cache(maxsize=16)
def _driver(conn: Connection) -> sqlite3.Connection | None:
    """Of one transaction's connection: found once, since the way to it is as long as a statement."""
    return connections.driver_of(conn)


@lru_cache(maxsize=_KEPT)
def _prepared(
    statement: Executable, names: tuple[str, ...], lengths: tuple[tuple[str, int], ...] | None = None
) -> Prepared | None:
    """`lengths` of the lists among its values, on which its text depends. None: it takes several steps."""
    if lengths is None:
        if any(getattr(part, "expanding", False) for part in visitors.iterate(statement)):  # type: ignore[arg-type]
            return TAKES_LISTS
        lengths = ()
    compiled: Any = statement.compile(dialect=_DIALECT, column_keys=list(names) or None)  # type: ignore[attr-defined]
    if compiled.isinsert and (compiled.insert_prefetch or compiled.effective_returning):
        return None
    if compiled.isupdate and compiled.update_prefetch:
        return None
    sql, order, converts = compiled.string, compiled.positiontup or (), compiled._bind_processors
    lists: dict[str, tuple[str, ...]] = {}
    if compiled.post_compile_params or compiled.literal_execute_params:
        empty = compiled.params | {name: [None] * length for name, length in lengths}
        whole = compiled._process_parameters_for_postcompile(empty)
        sql, order = whole.statement, whole.positiontup
        converts = {**converts, **whole.processors}
        lists = {name: tuple(parts) for name, parts in whole.parameter_expansion.items()}
    texts = {name for name, bound in compiled.binds.items() if isinstance(bound.type, JSON)}
    columns = compiled._result_columns or ()
    outputs = [_output(column.type) for column in columns]
    return Prepared(
        sql=sql,
        inputs=_getter(order),
        converts=tuple(
            (place, json_text.written if name in texts else converts[name])
            for place, name in enumerate(order)
            if converts.get(name)
        ),
        fixed={name: value for name, value in compiled.params.items() if value is not None},
        lists=lists,
        names=tuple(column.keyname for column in columns),
        outputs=tuple((place, convert) for place, convert in enumerate(outputs) if convert is not None),
    )


def _getter(names: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: tuple([values[name] for name in names])


def _output(kind: Any) -> Callable[[Any], Any] | None:
    return _read_json if isinstance(kind, JSON) else kind._cached_result_processor(_DIALECT, None)


def _read_json(text: Any) -> Any:
    """Most are empty: they are not worth a parser. SQLite gives a bare number back as that."""
    if text == "{}":
        return {}
    if text == "[]":
        return []
    return _JSON.raw_decode(text)[0] if isinstance(text, str) else text
