"""Opening a database: created, checked, recovered, backed up, migrated."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from toryo.domain.errors import ToryoError, UserError
from toryo.store.database.creation import create_tables
from toryo.store.database.migrations import CURRENT, STEPS

_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class NewerSchema(UserError):
    """The database was written by a newer Toryo."""


class BrokenDatabase(UserError):
    """The database is broken and there is no backup."""


class NoBackupFile(ToryoError):
    """Backups of PostgreSQL are made with pg_dump, by the administrator of the server."""

    way_out = "`pg_dump` of that database makes one."


@dataclass(frozen=True)
class Backups:
    """The backup files of one SQLite database."""

    database: Path
    folder: Path
    clock: Callable[[], float]

    def make(self, name: str) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        stamp = datetime.fromtimestamp(self.clock(), UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        return copy_database(self.database, self.folder / f"{name}-{stamp}.db")


def make_current(engine: Engine, backups: Backups | None) -> None:
    """Create the tables, or take them step by step to the current version; a backup comes first."""
    with engine.begin() as conn:
        found = _version(conn)
        if found is None:
            create_tables(conn)
            _write_version(conn, CURRENT)
            return
    _refuse_newer(found)
    if found < CURRENT and backups is not None:
        backups.make(f"before-version-{CURRENT}")
    while found < CURRENT:
        with engine.begin() as conn:
            found = _version(conn) or 1
            if found < CURRENT:  # another process may have been quicker
                STEPS[found - 1](conn)
                found += 1
                _write_version(conn, found)


def make_sound(path: Path, backups: Path) -> str:
    """See that the file can be used; if it is broken, put the newest sound backup in its place.

    The answer says so in a sentence; it is empty if nothing had to be done."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))  # SQLite gives its other files the same mode
        return ""
    damage = damage_of(path)
    if not damage:
        return ""
    by_age = sorted(backups.glob("*.db"), key=lambda one: one.stat().st_mtime_ns, reverse=True)
    sound = next((one for one in by_age if not damage_of(one)), None)
    if sound is None:
        raise BrokenDatabase(
            f"The database {path} is broken ({damage}) and there is no backup in {backups}.",
            hint=f"Save what is left with `sqlite3 {path} .recover`, or move the file away to start anew.",
        )
    aside = _free(path.with_name(path.name + ".broken"))
    for ending in ("-wal", "-shm"):  # they belong to the broken file and would be applied to the backup
        if (extra := Path(f"{path}{ending}")).exists():
            extra.rename(f"{aside}{ending}")
    path.rename(aside)
    copy_database(sound, path)
    return f"The database was broken ({damage}); it is kept as {aside}, and the backup {sound} is used."


def damage_of(path: Path) -> str:
    """What is wrong with a SQLite file; empty if it is sound."""
    # Read-only: closing a broken file otherwise drops the log that belongs to it.
    conn = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=30)
    try:
        (answer,) = conn.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF in _BROKEN:
            return str(error)
        raise  # locked, no permission, disk: the file itself may well be sound
    finally:
        conn.close()
    return "" if answer == "ok" else str(answer)


def copy_database(source: Path, to: Path) -> Path:
    """A consistent copy while others write; it appears under its name only when it is whole."""
    half = to.with_name(f".{to.name}.{os.getpid()}")
    os.close(os.open(half, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))
    reading, writing = sqlite3.connect(source, timeout=30), sqlite3.connect(half)
    try:
        reading.backup(writing)
        writing.execute("PRAGMA journal_mode=DELETE")  # the copy is one file
        writing.close()
        _sync(half)
        half.replace(to)
    finally:
        reading.close()
        writing.close()
        half.unlink(missing_ok=True)  # without room, half a copy only takes what is left of it
    _sync(to.parent)
    return to


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _free(path: Path) -> Path:
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


def _version(conn: Connection) -> int | None:
    if not inspect(conn).has_table("meta"):
        return None
    found = conn.execute(text("SELECT value FROM meta WHERE key = 'schema_version'")).scalar()
    return None if found is None else int(found)


def _write_version(conn: Connection, version: int) -> None:
    conn.execute(text("DELETE FROM meta WHERE key = 'schema_version'"))
    conn.execute(text("INSERT INTO meta (key, value) VALUES ('schema_version', :it)"), {"it": str(version)})


def _refuse_newer(found: int) -> None:
    if found > CURRENT:
        raise NewerSchema(
            f"The database has schema version {found}; this Toryo knows version {CURRENT} and older.",
            hint="Install the newer Toryo again, or set TORYO_HOME to another directory.",
        )
