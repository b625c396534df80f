"""Ready work costs the same with 100 and with 100,000 tasks, whatever the others look like."""

from __future__ import annotations

import sqlite3
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import func, select
from store_filling import a_run, a_task, add_many, add_project, an_order

from toryo.store.database.engine import Store, Tx
from toryo.store.database.schema import marks as marks_table
from toryo.store.database.schema import tasks as tasks_table
from toryo.store.gather import ready
from toryo.store.tables import marks, orders, runs, tasks

FEW, MANY = 100, 100_000
AT_MOST = 3.0
"""How many times slower it may be with a thousand times as many tasks: an index is a little deeper."""


def another_agents_ready_tasks_ahead(tx: Tx, number: int) -> None:
    add_many(tx, number, a_task("tb", agent="bob", status="ready", priority=0))


def a_chain(tx: Tx, number: int) -> None:
    add_many(tx, number, a_task("tc", status="blocked", nblock=1, priority=0), needs="chain")


def a_star(tx: Tx, number: int) -> None:
    tasks.insert(tx, a_task("root"))
    add_many(tx, number, a_task("ts", status="blocked", nblock=1, priority=0), needs="root")


def many_blocked_ones_of_the_agent(tx: Tx, number: int) -> None:
    add_many(tx, number // 2, a_task("tp", status="blocked", nblock=1, priority=0))
    add_many(tx, number - number // 2, a_task("tq", status="ready", nblock=2, priority=0))


def a_long_history(tx: Tx, number: int) -> None:
    add_many(tx, number, a_task("td", status="done", priority=0))


def many_ready_ones_of_the_agent(tx: Tx, number: int) -> None:
    add_many(tx, number, a_task("tr", status="ready", priority=3))


GRAPHS = [
    another_agents_ready_tasks_ahead,
    a_chain,
    a_star,
    many_blocked_ones_of_the_agent,
    a_long_history,
    many_ready_ones_of_the_agent,
]


@pytest.fixture(params=GRAPHS, ids=lambda graph: graph.__name__)
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """The same graph, small and large, with ready work of `ann` behind it."""
    opened = []
    for number in (FEW, MANY):
        store = Store.open(tmp_path / f"{number}.db")
        opened.append(store)
        with store.change() as tx:
            add_project(tx)
            request.param(tx, number)
            add_many(tx, 200, a_task("ta", status="ready"))
    yield opened[0], opened[1]
    for store in opened:
        store.close()


def ratio(small: Callable[[], object], large: Callable[[], object], times: int) -> float:
    """Of the medians; taken in turns, so that a busy machine slows both."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(times):
        for question, times_of in zip((small, large), taken, strict=True):
            begun = time.perf_counter()
            question()
            times_of.append(time.perf_counter() - begun)
    return statistics.median(taken[1]) / statistics.median(taken[0])


def look(store: Store) -> None:
    with store.read() as tx:
        assert ready.has_ready(tx, "p1", "ann")
        (found,) = ready.next_ready(tx, "p1", "ann", limit=1)
        assert found.id == "ta1"


def claimer(store: Store) -> Callable[[], None]:
    numbers = count(1)

    def claim() -> None:
        number = next(numbers)
        with store.change() as tx:
            runs.live_of_pair(tx, "ann", "p1")
            (task,) = ready.next_ready(tx, "p1", "ann", limit=1)
            assert task.id == f"ta{number}"
            run = a_run(f"r{number}", task.id, live=False, request=f"q{number}")
            runs.insert(tx, run)
            orders.insert(
                tx, an_order(f"o{number}", f"prepare/{run.id}", task=task.id, run=run.id, state="taken")
            )
            tasks.update(tx, task.id, status="running", generation=1)
            tx.emit("run_claimed", project="p1", task=task.id, run=run.id)
            tx.mark(f"task:{task.id}")

    return claim


@pytest.mark.slow
def test_looking_for_ready_work_and_claiming_it_stay_flat(stores: tuple[Store, Store]) -> None:
    small, large = stores
    assert ratio(lambda: look(small), lambda: look(large), 150) <= AT_MOST
    assert ratio(claimer(small), claimer(large), 150) <= AT_MOST


@pytest.mark.slow
def test_accepting_a_task_that_100_000_others_need_is_a_few_statements(sqlite_store: Store) -> None:
    statements: list[str] = []
    with sqlite_store.change() as tx:
        add_project(tx)
        a_star(tx, MANY)
        tx.mark("task:ts7", 55)
    with sqlite_store.change() as tx:
        driver = tx.conn.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        driver.set_trace_callback(statements.append)
        assert len(tasks.unblock_dependents(tx, "root")) == MANY
        driver.set_trace_callback(None)
        assert len(statements) == 3
    with sqlite_store.read() as tx:
        assert tx.conn.execute(select(func.sum(tasks_table.c.nblock))).scalar() == 0
        assert tx.conn.execute(select(func.count()).select_from(marks_table)).scalar() == MANY
        assert marks.next_look(tx) == 0
        assert tx.conn.execute(select(func.max(marks_table.c.look_at))).scalar() == 0
