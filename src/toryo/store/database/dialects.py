"""SQL dialects: how a transaction begins and ends on SQLite and on PostgreSQL.

Kept SQLite connections speak to the driver itself: after a pause, SQLAlchemy's way through pool, events and
reset takes longer than the transaction. Its connection is there for whoever asks it something.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from toryo.store.database import connections

_READERS_KEPT = 4


class Database(Protocol):
    engine: Engine
    """For making and changing tables, before anybody uses them."""

    def changing(self) -> AbstractContextManager[Connection]:
        """A transaction that writes: for one thread at a time."""

    def reading(self) -> AbstractContextManager[Connection]:
        """One that sees one state and cannot write: for any number of threads."""

    def checkpoint(self) -> None:
        """Bring a log of changes into the database itself, where there is one."""

    def close(self) -> None: ...


class Postgresql:
    def __init__(self, url: str) -> None:
        self.engine, self._reader = connections.postgresql_engines(url)

    def changing(self) -> AbstractContextManager[Connection]:
        return self.engine.begin()

    def reading(self) -> AbstractContextManager[Connection]:
        return self._reader.begin()

    def checkpoint(self) -> None:
        return

    def close(self) -> None:
        self._reader.dispose()
        self.engine.dispose()


@dataclass(frozen=True)
class _Line:
    """One connection that stays open."""

    conn: Connection
    driver: sqlite3.Connection

    @contextmanager
    def transaction(self, begin: str) -> Iterator[Connection]:
        self.say(begin)
        try:
            yield self.conn
            if self.conn.in_transaction():  # somebody asked by SQLAlchemy's ordinary way
                self.conn.commit()
            else:
                self.say("COMMIT")
        except BaseException:
            self.conn.rollback()  # also if its own commit failed: else it would refuse the next one
            if self.driver.in_transaction:
                self.driver.rollback()
            raise

    def say(self, sql: str) -> None:
        try:
            self.driver.execute(sql).close()
        except sqlite3.Error as error:  # by the name that callers know
            raise DBAPIError.instance(sql, (), error, sqlite3.Error) from error


class Sqlite:
    def __init__(self, path: Path) -> None:
        self.engine, self._reader = connections.sqlite_engines(path)
        self._writing: _Line | None = None
        self._idle: list[_Line] = []

    def changing(self) -> AbstractContextManager[Connection]:
        # A transaction that reads first and then writes can otherwise fail in the middle, whatever it waits.
        return self._writer().transaction("BEGIN IMMEDIATE")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        try:
            line = self._idle.pop()
        except IndexError:
            line = _open(self._reader)
        try:
            with line.transaction("BEGIN") as conn:
                yield conn
        finally:
            if len(self._idle) < _READERS_KEPT:
                self._idle.append(line)
            else:
                line.conn.close()

    def checkpoint(self) -> None:
        """In the writer's own connection: SQLite before 3.51.3 can lose pages if another one does it while a
        change begins the log anew."""
        self._writer().say("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        while self._idle:
            self._idle.pop().conn.close()
        self._reader.dispose()  # before the writer: only a connection that may write empties the log
        if self._writing is not None:
            self._writing.conn.close()
        self.engine.dispose()

    def _writer(self) -> _Line:
        if self._writing is None:
            self._writing = _open(self.engine)
        return self._writing


def _open(engine: Engine) -> _Line:
    conn = engine.connect()
    driver = connections.driver_of(conn)
    assert driver is not None
    return _Line(conn, driver)
