"""Changes are whole or not at all, durable, one at a time, and told after the commit."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from store_filling import a_task, add_project, an_order

from toryo.store.database.engine import LONGEST_EVENT, Committed, Store
from toryo.store.tables import events, marks, meta, orders, tasks


def test_a_change_with_its_event_and_mark_is_there_after_the_commit(store: Store) -> None:
    with store.change() as tx:
        add_project(tx)
        tasks.insert(tx, a_task("t1"))
        tx.emit("task_added", {"title": "x"}, project="p1", task="t1")
        tx.mark("task:t1")
    with store.read() as tx:
        assert tasks.get(tx, "t1") is not None
        assert [(one.kind, one.task, one.body, one.at) for one in events.after(tx, 0, 10)] == [
            ("task_added", "t1", {"title": "x"}, 1000.0)
        ]
        assert marks.due(tx, 0) == ["task:t1"]


def test_an_undone_change_leaves_neither_row_nor_event_nor_mark_and_tells_nobody(store: Store) -> None:
    told: list[Committed] = []
    store.listen(told.append)

    def fail_half_way() -> None:
        with store.change() as tx:
            add_project(tx)
            tasks.insert(tx, a_task("t1"))
            tx.emit("task_added", task="t1")
            tx.mark("task:t1")
            raise OSError("cut")

    with pytest.raises(OSError, match="cut"):
        fail_half_way()
    with store.read() as tx:
        assert tasks.get(tx, "t1") is None
        assert events.after(tx, 0, 10) == []
        assert marks.due(tx, 9e9) == []
    assert told == []


def test_listeners_hear_what_was_committed_when_it_can_be_read(store: Store) -> None:
    told: list[Committed] = []
    seen: list[int] = []

    def listener(committed: Committed) -> None:
        told.append(committed)
        with store.read() as tx:
            seen.append(events.newest(tx))

    store.listen(listener)
    with store.change() as tx:
        tx.emit("one")
        tx.emit("two")
        orders.insert(tx, an_order("o1", place="m/main"))
        tx.mark("task:t1")
    with store.change() as tx:
        meta.put(tx, "a", "b")
    assert [(one.seq, one.kind) for one in told[0].events] == [(1, "one"), (2, "two")]
    assert told[0].places == {"m/main"}
    assert told[0].marked
    assert told[1] == Committed((), frozenset(), False)
    assert seen == [2, 2]


def test_changes_of_many_threads_come_one_after_the_other(store: Store) -> None:
    with store.change() as tx:
        meta.put(tx, "count", "0")

    def count_up() -> None:
        for _ in range(20):
            with store.change() as tx:
                meta.put(tx, "count", str(int(meta.get(tx, "count") or 0) + 1))

    threads = [threading.Thread(target=count_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    with store.read() as tx:
        assert meta.get(tx, "count") == "80"


def test_two_stores_do_not_lose_each_others_changes(store_url: str | Path, store: Store) -> None:
    other = Store.open(store_url)

    def count_up(mine: Store) -> None:
        for _ in range(20):
            with mine.change() as tx:
                meta.put(tx, "count", str(int(meta.get(tx, "count") or 0) + 1))

    thread = threading.Thread(target=count_up, args=(other,))
    thread.start()
    count_up(store)
    thread.join(60)
    other.close()
    with store.read() as tx:
        assert meta.get(tx, "count") == "40"


def test_a_reader_sees_one_state_while_others_change_it(store: Store) -> None:
    with store.read() as tx:
        before = events.newest(tx)
        with store.change() as changing:
            changing.emit("meanwhile")
        assert events.newest(tx) == before
    with store.read() as tx:
        assert events.newest(tx) == before + 1


def test_a_reader_cannot_write(store: Store) -> None:
    with pytest.raises(DBAPIError, match=r"readonly|read-only"), store.read() as tx:
        meta.put(tx, "a", "b")


def test_a_change_inside_a_change_is_refused_instead_of_waiting_for_itself(store: Store) -> None:
    with store.change() as tx:
        tx.emit("outer")
        with pytest.raises(RuntimeError, match="inside a change"), store.change():
            pass
    with store.read() as tx:
        assert [one.kind for one in events.after(tx, 0, 10)] == ["outer"]


def test_a_large_event_is_shortened_and_says_so(store: Store) -> None:
    with store.change() as tx:
        tx.emit("big", {"output": "x" * 10_000, "paths": ["p" * 40] * 100, "task": "t1"})
        tx.emit("fits", {"output": "x" * 4000})
        tx.emit("many", {f"key{number}": "x" * 40 for number in range(1000)})
    with store.read() as tx:
        big, fits, many = events.after(tx, 0, 10)
    assert big.body["truncated"] is True
    assert big.body["task"] == "t1"
    assert big.body["output"].startswith("xxx")
    assert len(json.dumps(big.body)) <= LONGEST_EVENT
    assert "truncated" not in fits.body
    assert many.body == {"truncated": True}


def test_an_event_is_measured_in_bytes_not_in_signs(store: Store) -> None:
    with store.change() as tx:
        tx.emit("big", {"title": "茶" * 2000, "task": "t1"})
        tx.emit("fits", {"title": "茶" * 1000})
    with store.read() as tx:
        big, fits = events.after(tx, 0, 10)
    assert (big.body["truncated"], big.body["task"]) == (True, "t1")
    assert fits.body == {"title": "茶" * 1000}


def test_numbers_of_events_do_not_come_back_after_old_ones_were_removed(store: Store) -> None:
    with store.change() as tx:
        tx.emit("one")
        tx.emit("two")
    with store.change() as tx:
        tx.conn.execute(text("DELETE FROM events"))
    with store.change() as tx:
        tx.emit("three")
        assert events.oldest(tx) == events.newest(tx) == 3


def test_sqlite_commits_are_written_through_to_the_disk(sqlite_store: Store) -> None:
    for transaction in (sqlite_store.change, sqlite_store.read):
        with transaction() as tx:
            asked = {name: tx.conn.exec_driver_sql(f"PRAGMA {name}").scalar() for name in PRAGMAS}
        assert asked == PRAGMAS


PRAGMAS = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30000}


@pytest.mark.parametrize("ordinary", [True, False])
def test_after_a_commit_that_failed_the_next_change_works(sqlite_store: Store, ordinary: bool) -> None:
    """As on a full disk; whether it was asked by SQLAlchemy's ordinary way or by the driver."""
    with sqlite_store.change() as tx:
        tx.conn.execute(text("CREATE TABLE one (id INTEGER PRIMARY KEY)"))
        deferred = "REFERENCES one (id) DEFERRABLE INITIALLY DEFERRED"
        tx.conn.execute(text(f"CREATE TABLE two (needs INTEGER {deferred})"))

    def fail() -> None:
        with sqlite_store.change() as tx:
            tx.emit("undone")
            if ordinary:
                tx.conn.execute(text("INSERT INTO two VALUES (1)"))
            else:
                driver: Any = tx.conn.connection.driver_connection
                driver.execute("INSERT INTO two VALUES (1)")

    for _ in range(2):
        with pytest.raises(DBAPIError):
            fail()
        with sqlite_store.change() as tx:
            assert tx.conn.execute(text("SELECT count(*) FROM two")).scalar() == 0
            assert events.newest(tx) == 0


def test_the_log_is_brought_in_while_others_read_and_before_anybody_changes(sqlite_store: Store) -> None:
    with sqlite_store.change() as tx:
        tx.emit("first")
    with sqlite_store.read() as reading:
        sqlite_store.checkpoint()
        assert events.newest(reading) == 1
    with sqlite_store.change() as tx:
        tx.emit("second")
        with pytest.raises(RuntimeError):
            sqlite_store.checkpoint()  # it would wait for the change that it is a part of


def test_bringing_in_the_log_is_nothing_to_postgresql(store: Store) -> None:
    store.checkpoint()


def test_the_files_of_a_database_are_its_owners_alone(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "home" / "toryo.db")
    with store.change() as tx:
        tx.emit("one")
    modes = {one.name: one.stat().st_mode & 0o777 for one in (tmp_path / "home").iterdir()}
    store.close()
    assert modes == {"toryo.db": 0o600, "toryo.db-wal": 0o600, "toryo.db-shm": 0o600}
    assert [one.name for one in (tmp_path / "home").iterdir()] == ["toryo.db"]


def test_a_secret_is_made_once(store: Store) -> None:
    with store.change() as tx:
        made = meta.secret(tx, "tokens")
    with store.read() as tx:
        assert meta.secret(tx, "tokens") == made
    assert len(made) == 32
