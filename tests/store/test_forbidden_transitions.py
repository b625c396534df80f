"""A status that does not fit the table is told as an event, and the facts are obeyed all the same."""

from __future__ import annotations

from simulated_house import House, a_house

from toryo.domain.words import TaskStatus
from toryo.store.tables import tasks
from toryo.usecases.tasks.add import NewTask, add_task


def _told(house: House) -> list[tuple[str, str, str]]:
    events = [event for event in house.rows("events") if event["kind"] == "forbidden_transition"]
    return [(event["task"], event["body"]["old"], event["body"]["new"]) for event in events]


def test_a_status_that_cannot_have_come_from_facts_is_put_right_and_told() -> None:
    with a_house() as house:
        task = str(add_task(house.context, NewTask("a task", project="p1", agent="bob"))["id"])
        house.drain()
        [before] = house.rows("tasks")
        with house.context.store.change() as tx:
            tasks.set_status(tx, task, TaskStatus.DONE)  # as if somebody had written into the database
            tx.mark(f"task:{task}")
        house.drain()
        [after] = house.rows("tasks")
        assert after["status"] == before["status"]
        assert _told(house) == [(task, "done", before["status"])]


def test_of_the_usual_way_of_a_task_nothing_is_told() -> None:
    with a_house() as house:
        add_task(house.context, NewTask("a task", project="p1", agent="bob"))
        house.settle()
        [row] = house.rows("tasks")
        assert row["status"] == "done"
        assert _told(house) == []
