"""Database engine: opening it, and transactions with their events, marks and listeners.

What is opened is current (`opening` and `migrations` see to that); what is asked is in the table's module.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Insert, case, insert
from sqlalchemy.dialects import postgresql, sqlite

from toryo.clock import wall
from toryo.domain.subjects import Subject, narrowest
from toryo.store.database import connections, json_text, opening, prepared
from toryo.store.database.dialects import Database, Postgresql, Sqlite
from toryo.store.database.rows import EventRow, storable
from toryo.store.database.schema import events, marks

LONGEST_EVENT = 4096
"""Bytes of an event's body as JSON; larger things are blobs."""


@dataclass(frozen=True)
class Committed:
    """What one change left behind, told to the listeners after the commit."""

    events: tuple[EventRow, ...]
    places: frozenset[str]
    """Whose set of orders changed."""
    marked: bool
    missions: frozenset[str] = frozenset()
    """Whose conversation has a new line."""


@dataclass
class Tx:
    """One transaction: given first to every function of the store."""

    conn: Connection
    now: float
    emitted: list[EventRow] = field(default_factory=list)
    places: set[str] = field(default_factory=set)
    missions: set[str] = field(default_factory=set)
    marked: bool = False

    def emit(
        self,
        kind: str,
        body: Mapping[str, Any] | None = None,
        *,
        subject: Subject | None = None,
        project: str = "",
        task: str = "",
        run: str = "",
    ) -> None:
        """About that subject; without one, about the narrowest of run, task and project."""
        named = narrowest(project=project, task=task, run=run) if subject is None else subject
        about = {"subject": named, "project": project, "task": task, "run": run}
        columns = storable({"at": self.now, "kind": kind, **about, "body": bounded(body or {})})
        number, _ = prepared.write(self.conn, _ADD_EVENT, columns)
        self.emitted.append(EventRow(seq=number, **columns))

    def mark(self, subject: Subject, look_at: float = 0) -> None:
        """Have the subject looked at, at that time (0: now). Of two times the earlier one stays."""
        prepared.write(self.conn, _MARK[self.conn.dialect.name], {"subject": subject, "look_at": look_at})
        self.marked = True

    def touch_place(self, place: str) -> None:
        """The set of orders of that place is another one now."""
        self.places.add(place)

    def touch_mission(self, mission: str) -> None:
        """Somebody said something to it or about it."""
        self.missions.add(mission)

    def committed(self) -> Committed:
        missions = frozenset(self.missions)
        return Committed(tuple(self.emitted), frozenset(self.places), self.marked, missions)


class Store:
    """An open database. `change` is for one thread at a time, the others wait; `read` is for any number."""

    def __init__(
        self,
        database: Database,
        clock: Callable[[], float],
        path: Path | None,
        recovered: str = "",
    ) -> None:
        self.recovered = recovered
        """What happened if the database was found broken; empty if it was sound."""
        self._database = database
        self._clock = clock
        self._path = path
        self._turn = threading.Lock()
        self._holder: int | None = None
        self._listeners: list[Callable[[Committed], None]] = []

    @classmethod
    def open(
        cls, url: str | Path, *, backups: Path | None = None, clock: Callable[[], float] = wall
    ) -> Store:
        """A path is SQLite, `postgresql+psycopg://…` PostgreSQL. Creates it, migrates it, or recovers it."""
        path: Path | None = None
        keep: opening.Backups | None = None
        database: Database
        recovered = ""
        if isinstance(url, str) and url.startswith("postgresql"):
            database = Postgresql(url)
        else:
            path = Path(url.removeprefix("sqlite:///") if isinstance(url, str) else url)
            keep = opening.Backups(path, backups or path.parent / "backups", clock)
            with connections.room(path):
                recovered = opening.make_sound(path, keep.folder)
            database = Sqlite(path)
        store = cls(database, clock, path, recovered)
        try:
            with connections.room(path):
                opening.make_current(database.engine, keep)
        except BaseException:
            store.close()
            raise
        return store

    @contextmanager
    def change(self) -> Iterator[Tx]:
        """A transaction that writes: committed on exit, undone by an exception.

        Listeners hear of it in the order of commits, so they must be quick and must not change anything."""
        with self._my_turn():
            with connections.room(self._path), self._database.changing() as conn:
                tx = Tx(conn, self._clock())
                yield tx
            committed = tx.committed()
            for listener in self._listeners:
                listener(committed)

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """A transaction that sees one state and cannot write."""
        with connections.room(self._path), self._database.reading() as conn:
            yield Tx(conn, self._clock())

    def listen(self, callback: Callable[[Committed], None]) -> None:
        self._listeners.append(callback)

    def checkpoint(self) -> None:
        """Bring what SQLite's log holds into the database itself: changes wait meanwhile, reading goes on."""
        with self._my_turn(), connections.room(self._path):
            self._database.checkpoint()

    def backup(self, to: Path) -> Path:
        """A whole copy of the database as it is now: in that directory, or as that file."""
        if self._path is None:
            raise opening.NoBackupFile()
        if to.is_dir():
            return opening.Backups(self._path, to, self._clock).make("toryo")
        return opening.copy_database(self._path, to)

    def close(self) -> None:
        self._database.close()

    @contextmanager
    def _my_turn(self) -> Iterator[None]:
        me = threading.get_ident()
        if self._holder == me:
            raise RuntimeError("a change inside a change would wait for itself")
        with self._turn:
            self._holder = me
            try:
                yield
            finally:
                self._holder = None


def bounded(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body, its largest values shortened until it fits an event."""
    kept = dict(body)
    if json_text.size(kept) <= LONGEST_EVENT:
        return kept
    kept["truncated"] = True
    for name in sorted(body, key=lambda name: json_text.size(body[name]), reverse=True):
        value = body[name]
        text = value if isinstance(value, str) else json_text.written(value)
        kept[name] = text[:120] + "…"
        if json_text.size(kept) <= LONGEST_EVENT:
            return kept
    return {"truncated": True}


_ADD_EVENT = insert(events)


def _mark(statement: sqlite.Insert | postgresql.Insert) -> Insert:
    new = statement.excluded.look_at
    earlier = case((marks.c.look_at <= new, marks.c.look_at), else_=new)
    return statement.on_conflict_do_update(index_elements=["subject"], set_={"look_at": earlier})


_MARK: dict[str, Insert] = {
    "sqlite": _mark(sqlite.insert(marks)),
    "postgresql": _mark(postgresql.insert(marks)),
}
