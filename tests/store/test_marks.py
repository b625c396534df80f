"""Marks say which subjects must be looked at, and when."""

from __future__ import annotations

from store_filling import a_task, add_many, add_project

from toryo.store.database.engine import Store
from toryo.store.tables import marks, tasks


def test_of_two_times_the_earlier_one_stays(store: Store) -> None:
    with store.change() as tx:
        tx.mark("task:t1", 50)
        tx.mark("task:t1", 40)
        tx.mark("task:t1", 60)
        assert marks.next_look(tx) == 40
        tx.mark("task:t1")
        assert marks.next_look(tx) == 0


def test_a_subject_is_due_when_its_time_has_come(store: Store) -> None:
    with store.change() as tx:
        tx.mark("later", 50)
        tx.mark("now")
        assert marks.due(tx, 49) == ["now"]
        assert marks.due(tx, 50) == ["now", "later"]


def test_a_cleared_subject_can_be_put_off_in_the_same_change(store: Store) -> None:
    with store.change() as tx:
        tx.mark("task:t1")
        marks.clear(tx, ["task:t1"])
        tx.mark("task:t1", 70)
    with store.read() as tx:
        assert marks.due(tx, 10) == []
        assert marks.next_look(tx) == 70


def test_without_marks_nothing_is_due(store: Store) -> None:
    with store.change() as tx:
        tx.mark("task:t1")
        marks.clear(tx, ["task:t1", "task:none"])
        assert marks.next_look(tx) is None
        assert marks.due(tx, 9e9) == []


def test_a_drain_takes_no_more_than_asked_and_overtakes_nobody(sqlite_store: Store) -> None:
    with sqlite_store.change() as tx:
        for number in (3, 1, 2):
            tx.mark(f"task:t{number}")
    with sqlite_store.change() as tx:
        assert marks.due(tx, 0, limit=2) == ["task:t3", "task:t1"]


def test_thousands_of_subjects_are_cleared_at_once(store: Store) -> None:
    with store.change() as tx:
        add_project(tx)
        tasks.insert(tx, a_task("root"))
        add_many(tx, 3000, a_task("leaf", nblock=1), needs="root")
        tasks.unblock_dependents(tx, "root")
        due = marks.due(tx, 0, limit=5000)
        assert sorted(due) == sorted(f"task:leaf{number}" for number in range(1, 3001))
        marks.clear(tx, due)
        assert marks.next_look(tx) is None
