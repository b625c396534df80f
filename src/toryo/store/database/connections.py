"""Database connections whose settings make a commit durable: one for writing and one for reading."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from toryo import disks
from toryo.domain.errors import DiskFull

BUSY_S = 30
PG_DISK_FULL = "53100"
LONGEST_LOG = 8000
"""Pages of SQLite's log after which a commit brings it in by itself; the head does it sooner (ADR 34)."""
STATEMENTS_KEPT = 512
"""Of one connection, as SQLite understood them: a launch and a landing take about 120 different ones."""
ONE_WRITER = 0x746F7279
"""The advisory lock that makes writers of PostgreSQL queue as BEGIN IMMEDIATE does on SQLite."""


def sqlite_engines(path: Path) -> tuple[Engine, Engine]:
    url = f"sqlite:///{path}"
    kept = {"cached_statements": STATEMENTS_KEPT}
    writer = create_engine(url, pool_size=1, max_overflow=0, connect_args=kept)
    event.listen(writer, "connect", _make_durable)
    event.listen(writer, "connect", _let_the_log_grow)
    event.listen(writer, "begin", _begin_immediate)
    reader = create_engine(url, connect_args=kept)
    event.listen(reader, "connect", _make_durable)
    event.listen(reader, "connect", _make_query_only)
    return writer, reader


def postgresql_engines(url: str) -> tuple[Engine, Engine]:
    writer = create_engine(url, pool_size=1, max_overflow=0, pool_pre_ping=True)
    event.listen(writer, "begin", _wait_for_other_writers)
    options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    reader = create_engine(url, pool_pre_ping=True, execution_options=options)
    return writer, reader


def driver_of(conn: Connection) -> sqlite3.Connection | None:
    """None: it is not SQLite's."""
    driver = conn.connection.driver_connection
    return driver if isinstance(driver, sqlite3.Connection) else None


@contextmanager
def room(path: Path | None) -> Iterator[None]:
    """Turns the driver's disk-full errors into DiskFull. `path`: the database file, if it is one."""
    try:
        yield
    except Exception as error:
        if not _wants_room(error, path):
            raise
        if path is None:
            raise DiskFull("The disk of the database's server is full.") from error
        raise disks.full(path.parent) from error


def _wants_room(error: Exception, path: Path | None) -> bool:
    """Whether the database failed because its disk is full."""
    cause: BaseException = error.orig if isinstance(error, DBAPIError) and error.orig else error
    if isinstance(cause, sqlite3.Error):
        code = (getattr(cause, "sqlite_errorcode", 0) or 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            return True
        # its other files, the index of the log above all, fail as input and output do
        odd = code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
        return odd and path is not None and disks.is_full(path)
    return getattr(cause, "sqlstate", "") == PG_DISK_FULL


def _make_durable(connection: Any, _record: ConnectionPoolEntry) -> None:
    raw: sqlite3.Connection = connection
    raw.isolation_level = None  # the driver's own BEGIN comes late and is never IMMEDIATE
    raw.execute(f"PRAGMA busy_timeout={BUSY_S * 1000}")
    raw.execute("PRAGMA journal_mode=WAL")
    raw.execute("PRAGMA synchronous=FULL")
    raw.execute("PRAGMA foreign_keys=ON")
    raw.execute("PRAGMA cache_size=-16000")


def _let_the_log_grow(connection: Any, _record: ConnectionPoolEntry) -> None:
    connection.execute(f"PRAGMA wal_autocheckpoint={LONGEST_LOG}")


def _make_query_only(connection: Any, _record: ConnectionPoolEntry) -> None:
    connection.execute("PRAGMA query_only=ON")


def _begin_immediate(conn: Connection) -> None:
    driver = driver_of(conn)
    if driver is None or not driver.in_transaction:  # else `databases` has begun it
        conn.exec_driver_sql("BEGIN IMMEDIATE")


def _wait_for_other_writers(conn: Connection) -> None:
    # Also makes events' numbers become visible in their own order: a listener never misses one.
    conn.exec_driver_sql(f"SELECT pg_advisory_xact_lock({ONE_WRITER})")
