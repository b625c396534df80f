"""The database on a full disk: a change is refused whole, reading goes on, and later so does writing."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from small_disks import SmallDisk, need_mounts, run_in_a_namespace
from toryo.domain.errors import DiskFull
from toryo.store import opening
from toryo.store.blobs import Blobs
from toryo.store.engine import Store, Tx


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
