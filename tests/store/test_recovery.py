"""A broken SQLite file is put aside, never overwritten, and the newest sound backup takes its place."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from toryo.domain.errors import UserError
from toryo.store.database import opening
from toryo.store.database.engine import Store
from toryo.store.tables import events


def no_header(path: Path) -> None:
    with open(path, "r+b") as file:
        file.write(b"this is no database " * 10)


def garbage_in_the_middle(path: Path) -> None:
    size = path.stat().st_size
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 8192))


def half_of_it(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def with_events(path: Path, *kinds: str) -> None:
    store = Store.open(path)
    with store.change() as tx:
        for kind in kinds:
            tx.emit(kind)
    store.close()


def kinds_in(store: Store) -> list[str]:
    with store.read() as tx:
        return [one.kind for one in events.after(tx, 0, 100)]


@pytest.mark.parametrize("damage", [no_header, garbage_in_the_middle, half_of_it])
def test_a_broken_database_is_kept_and_the_newest_backup_used(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    path = tmp_path / "toryo.db"
    with_events(path, "one")
    for kind in ("two", "three"):
        store = Store.open(path)
        (tmp_path / "backups").mkdir(exist_ok=True)
        store.backup(tmp_path / "backups")
        with store.change() as tx:
            tx.emit(kind)
        store.close()
    damage(path)
    broken = path.read_bytes()
    store = Store.open(path)
    assert kinds_in(store) == ["one", "two"]
    assert str(tmp_path / "toryo.db.broken") in store.recovered
    assert (tmp_path / "toryo.db.broken").read_bytes() == broken
    store.close()
    sound = Store.open(path)
    assert sound.recovered == ""
    sound.close()


def test_a_second_broken_database_does_not_replace_the_first(tmp_path: Path) -> None:
    path = tmp_path / "toryo.db"
    with_events(path, "one")
    opening.copy_database(path, tmp_path / "copy.db")
    (tmp_path / "backups").mkdir()
    (tmp_path / "copy.db").rename(tmp_path / "backups" / "copy.db")
    for _ in range(2):
        no_header(path)
        Store.open(path).close()
    assert {"toryo.db.broken", "toryo.db.broken-2"} <= {one.name for one in tmp_path.iterdir()}


def test_a_broken_backup_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "toryo.db"
    with_events(path, "one")
    (tmp_path / "backups").mkdir()
    opening.copy_database(path, tmp_path / "backups" / "good.db")
    opening.copy_database(path, tmp_path / "backups" / "newer.db")
    no_header(tmp_path / "backups" / "newer.db")
    no_header(path)
    store = Store.open(path)
    assert kinds_in(store) == ["one"]
    assert "good.db" in store.recovered
    store.close()


def test_without_a_backup_a_broken_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "toryo.db"
    with_events(path, "one")
    no_header(path)
    before = path.read_bytes()
    with pytest.raises(UserError, match="no backup") as refused:
        Store.open(path)
    assert ".recover" in refused.value.hint
    assert path.read_bytes() == before


def test_the_log_of_a_broken_database_is_not_applied_to_the_backup(tmp_path: Path) -> None:
    path = tmp_path / "toryo.db"
    with_events(path, "one")
    (tmp_path / "backups").mkdir()
    opening.copy_database(path, tmp_path / "backups" / "a.db")
    no_header(path)
    (tmp_path / "toryo.db-wal").write_bytes(b"left behind")
    store = Store.open(path)
    assert kinds_in(store) == ["one"]
    store.close()
    assert (tmp_path / "toryo.db.broken-wal").read_bytes() == b"left behind"


def test_a_backup_is_whole_private_and_of_that_moment(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "toryo.db")
    with store.change() as tx:
        tx.emit("one")
    made = store.backup(tmp_path / "copy.db")
    with store.change() as tx:
        tx.emit("two")
    store.close()
    assert made.stat().st_mode & 0o777 == 0o600
    conn = sqlite3.connect(made)
    assert conn.execute("SELECT kind FROM events").fetchall() == [("one",)]
    conn.close()
    assert {one.name for one in tmp_path.iterdir()} == {"toryo.db", "copy.db"}


def test_postgresql_is_backed_up_by_whoever_runs_it(postgresql_url: str, tmp_path: Path) -> None:
    store = Store.open(postgresql_url)
    with pytest.raises(opening.NoBackupFile, match="pg_dump"):
        store.backup(tmp_path / "copy.db")
    store.close()
