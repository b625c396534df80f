"""The database on a full disk: a change is refused whole, reading goes on, and later so does writing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text

from small_disks import PAGE, SmallDisk, need_mounts, run_in_a_namespace
from toryo.domain.errors import DiskFull
from toryo.store.database import opening
from toryo.store.database.blobs import Blobs
from toryo.store.database.engine import Store, Tx


def test_without_root_this_disk_is_filled_in_a_namespace(tmp_path: Path) -> None:
    run_in_a_namespace(__file__, tmp_path)


def much(tx: Tx) -> None:
    for number in range(400):
        tx.emit("noted", {"number": number, "text": "x" * 3000})


def count(store: Store) -> int:
    with store.read() as tx:
        return int(tx.conn.execute(text("SELECT count(*) FROM events")).scalar() or 0)


def test_a_change_without_room_is_refused_whole_and_made_once_there_is_room(tmp_path: Path) -> None:
    need_mounts(tmp_path)
    disk = SmallDisk(tmp_path / "disk").mount()
    path = disk.path / "toryo.db"
    try:
        store = Store.open(path)
        with store.change() as tx:
            tx.emit("noted", {"number": -1})
        for leave in (0, 20_000, 400_000):  # at once, in the middle of the log, and late
            disk.fill(leave)
            with pytest.raises(DiskFull, match="is full") as full, store.change() as tx:
                much(tx)
            assert full.value.hint == f"df -h {disk.path}"
            assert count(store) == 1, "what was there is read, and nothing of the rest"
            disk.empty()
        with store.change() as tx:
            much(tx)
        assert count(store) == 401
        store.close()
        assert opening.damage_of(path) == ""
    finally:
        disk.unmount()


def test_a_text_without_room_leaves_nothing_behind(tmp_path: Path) -> None:
    need_mounts(tmp_path)
    disk = SmallDisk(tmp_path / "disk", 1).mount()
    try:
        blobs = Blobs(disk.path / "blobs")
        blobs.path.mkdir()
        known = blobs.put("known")
        disk.fill(4096)
        with pytest.raises(OSError, match="No space left"):
            blobs.put("y" * 50_000)
        assert blobs.get(known) == "known"
        assert len([path for path in blobs.path.rglob("*") if path.is_file()]) == 1
        disk.empty()
        assert blobs.get(blobs.put("y" * 50_000)) == "y" * 50_000
    finally:
        disk.unmount()


@pytest.mark.parametrize("pages", [1, 2, 5, 9, 10, 20, 60, 85])
def test_a_database_that_finds_no_room_when_it_is_made_says_so_and_is_made_later(
    tmp_path: Path, pages: int
) -> None:
    need_mounts(tmp_path)
    disk = SmallDisk(tmp_path / "disk", 1).mount()
    path = disk.path / "toryo.db"
    try:
        disk.fill(pages * PAGE)
        with pytest.raises(DiskFull, match="is full") as full:
            Store.open(path)
        assert full.value.hint == f"df -h {disk.path}"
        disk.empty()
        store = Store.open(path)
        assert count(store) == 0
        store.close()
    finally:
        disk.unmount()


def test_a_migration_without_room_says_so_and_is_made_later(tmp_path: Path) -> None:
    need_mounts(tmp_path)
    disk = SmallDisk(tmp_path / "disk", 1).mount()
    path = disk.path / "toryo.db"
    try:
        Store.open(path).close()
        with sqlite3.connect(path) as raw:
            raw.execute("UPDATE meta SET value = '1' WHERE key = 'schema_version'")
        raw.close()
        disk.fill(20 * PAGE)
        with pytest.raises(DiskFull, match="is full"):
            Store.open(path)
        assert [one.name for one in (disk.path / "backups").iterdir()] == [], "half a backup is none"
    finally:
        disk.unmount()
