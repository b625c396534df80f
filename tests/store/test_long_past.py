"""What is asked all day costs as much behind a long past as behind a short one.

Counted in instructions of SQLite, so it is the same number on every machine. A plan that names an index may
still read all that ever was: it depends on which index."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from simulated_house import House, a_house

from toryo.store.database.engine import Store, Tx
from toryo.usecases.agents.agents import add_agent
from toryo.usecases.evidence.view import get_evidence
from toryo.usecases.runs.runs import list_runs
from toryo.usecases.status.events import EventsAsked, list_events
from toryo.usecases.status.recompute import recompute
from toryo.usecases.status.status import get_status
from toryo.usecases.tasks.add import NewTask, add_task
from toryo.usecases.tasks.tasks import list_tasks, show_task

SHORT, LONG = 12, 60
"""Tasks that are done already; a page of a listing is full with the fewer."""
PAGE = 5
VALUES = re.compile(r"'[^']*'|\b\d+(\.\d+)?\b")


@pytest.mark.parametrize("backwards", [False, True], ids=["as made", "the other way round"])
def test_a_task_behind_a_long_past_costs_what_the_first_ones_did(backwards: bool) -> None:
    """Whatever the order of the indexes is: installations of before version 4 have them in any."""
    with a_house() as house:
        make_indexes_anew(house, backwards)
        house.checks("p1", "one")
        work_off(house, SHORT)
        short = cost_of_one_more(house)
        work_off(house, LONG)
        long = cost_of_one_more(house)
    grown = {
        statement: (short[statement], steps)
        for statement, steps in long.items()
        if statement in short and steps > 1.2 * short[statement]
    }
    assert grown == {}
    assert len(short) > 60  # so many different ones: it was really counted


def test_recomputing_many_tasks_reads_what_was_published_once() -> None:
    with a_house() as house:
        work_off(house, SHORT)
        statements: list[str] = []
        with house.context.store.read() as tx:
            driver = driver_of(tx)
        driver.set_trace_callback(statements.append)
        _, compared, found = recompute(house.context, 0)
        driver.set_trace_callback(None)
    assert (compared, found) == (SHORT, [])
    assert len([one for one in statements if "'published'" in one]) == 1


def test_every_new_database_has_its_indexes_in_the_same_order(sqlite_store: Store) -> None:
    """Between two that seem as good SQLite takes the newer one, so another order is another plan."""
    asked = "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid"
    with sqlite_store.read() as tx:
        found = driver_of(tx).execute(asked).fetchall()
    tables = list(dict.fromkeys(table for table, _ in found))
    assert found == sorted(found, key=lambda one: (tables.index(one[0]), one[1]))


def make_indexes_anew(house: House, backwards: bool) -> None:
    with house.context.store.change() as tx:
        driver = driver_of(tx)
        found = driver.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid"
        ).fetchall()
        for name, text in found[::-1] if backwards else found:
            driver.execute(f"DROP INDEX {name}")
            driver.execute(text)


def work_off(house: House, number: int) -> None:
    for _ in range(number):
        add_task(house.context, NewTask("a task", project="p1", agent="ann"))
        house.settle()


def cost_of_one_more(house: House) -> Counter[str]:
    """By statement, the most instructions that one execution took in the life of one more task."""
    with counted(house) as steps:
        task = str(add_task(house.context, NewTask("one more", project="p1", agent="ann"))["id"])
        house.settle()
        add_agent(house.context, "ann", {"command": "true"}, "p1", "", "", "")
        get_status(house.context, "p1", "")
        show_task(house.context, task)
        get_evidence(house.context, task)
        list_runs(house.context, "", "", PAGE)
        for project in ("", "p1"):
            for status in ("", "done"):
                list_tasks(house.context, project, "", status, "", PAGE, 0)
        list_events(house.context, EventsAsked(limit=PAGE, project="p1"))
    assert [row["status"] for row in house.rows("tasks") if row["id"] == task] == ["done"]
    return steps


@contextmanager
def counted(house: House) -> Iterator[Counter[str]]:
    steps: Counter[str] = Counter()
    drivers: list[sqlite3.Connection] = []
    with house.context.store.change() as tx:
        drivers.append(driver_of(tx))
    with house.context.store.read() as tx:
        drivers.append(driver_of(tx))
    assert drivers[0] is not drivers[1]
    for driver in drivers:
        begun, went_on = watch(steps)
        driver.set_trace_callback(begun)
        driver.set_progress_handler(went_on, 1)
    yield steps
    for driver in drivers:
        driver.set_trace_callback(None)
        driver.set_progress_handler(None, 0)
    for statement in list(steps):
        # the simulated world reads whole tables; and a count reads all it counts
        if " WHERE " not in statement or "count(" in statement:
            del steps[statement]


def watch(steps: Counter[str]) -> tuple[Callable[[str], None], Callable[[], int]]:
    """What a connection calls at each statement, and at each instruction."""
    now = {"statement": "", "steps": 0}

    def begun(text: str) -> None:
        now.update(statement=VALUES.sub("?", text.replace("\n", " ")), steps=0)

    def went_on() -> int:
        now["steps"] = int(now["steps"]) + 1
        name = str(now["statement"])
        steps[name] = max(steps[name], int(now["steps"]))
        return 0

    return begun, went_on


def driver_of(tx: Tx) -> sqlite3.Connection:
    found = tx.conn.connection.driver_connection
    assert isinstance(found, sqlite3.Connection)
    return found
