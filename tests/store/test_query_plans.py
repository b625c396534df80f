"""Questions that are asked all the time find their rows by an index."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from sqlalchemy import Connection, event
from store_filling import a_task, add_many, add_project

from toryo.store.database.engine import Store, Tx
from toryo.store.gather import failures, needed, ready, subject_facts, task_steps
from toryo.store.tables import (
    claims,
    events,
    facts,
    gates,
    landings,
    marks,
    orders,
    runs,
    tasks,
    tokens,
    verbs,
)

Question = Callable[[Tx], object]

READY: dict[str, Question] = {
    "next_ready": lambda tx: ready.next_ready(tx, "p1", "ann"),
    "next_ready after": lambda tx: ready.next_ready(tx, "p1", "ann", after=(2, 7)),
    "has_ready": lambda tx: ready.has_ready(tx, "p1", "ann"),
}

OFTEN: dict[str, Question] = {
    "tasks.get": lambda tx: tasks.get(tx, "t1"),
    "tasks.by_prefix": lambda tx: tasks.by_prefix(tx, "t1"),
    "tasks.children_of": lambda tx: tasks.children_of(tx, "t1"),
    "tasks.page of a parent": lambda tx: tasks.page(tx, parent="t1"),
    "tasks.needed_by": lambda tx: tasks.needed_by(tx, "t1"),
    "tasks.unblock_dependents": lambda tx: tasks.unblock_dependents(tx, "t1"),
    "tasks.verbs_of": lambda tx: verbs.of_task(tx, "t1"),
    "tasks.set_status": lambda tx: tasks.set_status(tx, "t1", "done", "", "", ""),
    "runs.of_task": lambda tx: runs.of_task(tx, "t1"),
    "runs.live_of_pair": lambda tx: runs.live_of_pair(tx, "ann", "p1"),
    "runs.live_of_coordinator": lambda tx: runs.live_of_coordinator(tx, "m/main"),
    "runs.parked": lambda tx: runs.parked(tx, "m", "claude"),
    "runs.all_parked": lambda tx: runs.all_parked(tx),
    "runs.by_request": lambda tx: runs.by_request(tx, "q1"),
    "runs.page": lambda tx: runs.page(tx, task="t1"),
    "orders.by_key": lambda tx: orders.by_key(tx, "k"),
    "orders.for_places": lambda tx: orders.for_places(tx, ["m/main", "machine:m"]),
    "orders.of_run": lambda tx: orders.of_run(tx, "r1"),
    "orders.of_landing": lambda tx: orders.of_landing(tx, "l1"),
    "orders.of_gate": lambda tx: orders.of_gate(tx, "g1"),
    "orders.pending_of_task": lambda tx: orders.pending_of_task(tx, "p1", "t1"),
    "orders.of_target": lambda tx: orders.of_target(tx, "p1", ["publish"]),
    "facts.of_run": lambda tx: facts.of_run(tx, "r1"),
    "facts.of_landing": lambda tx: facts.of_landing(tx, "l1"),
    "facts.of_gate": lambda tx: facts.of_gate(tx, "g1"),
    "facts.with_standing": lambda tx: facts.with_standing(tx, "late", 10),
    "landings.of_task": lambda tx: landings.of_task(tx, "t1"),
    "landings.queue": lambda tx: landings.queue(tx, "p1", "main"),
    "landings.awaiting_publish": lambda tx: landings.awaiting_publish(tx, "p1", "main"),
    "landings.newest_seq_of_task": lambda tx: landings.newest_seq_of_task(tx, "t1"),
    "landings.ended_heads": lambda tx: landings.ended_heads(tx, "p1", "main", ["adopt"], ["red"]),
    "gates.by_key": lambda tx: gates.by_key(tx, "k"),
    "gates.checks_of": lambda tx: gates.checks_of(tx, "g1"),
    "gates.reusable": lambda tx: gates.reusable(tx, "p1", "x", "make", "f", 0),
    "claims.of_run": lambda tx: claims.of_run(tx, "r1"),
    "tokens.active_of_pair": lambda tx: tokens.active_of_pair(tx, "ann", "p1", 1),
    "tokens.of_run": lambda tx: tokens.of_run(tx, "r1"),
    "tokens.end_of_run": lambda tx: tokens.end_of_run(tx, "r1", "exit"),
    "tokens.renew": lambda tx: tokens.renew(tx, "r1", 1),
    "tokens.expired": lambda tx: tokens.expired(tx, 1),
    "events.after": lambda tx: events.after(tx, 5, 10),
    "events.after of project": lambda tx: events.after(tx, 5, 10, project="p1"),
    "events.after of task": lambda tx: events.after(tx, 5, 10, task="t1"),
    "marks.due": lambda tx: marks.due(tx, 1),
    "marks.next_look": lambda tx: marks.next_look(tx),
    "marks.clear": lambda tx: marks.clear(tx, ["a", "b"]),
    "failures.unseen": lambda tx: failures.unseen(tx),
    "failures.unseen of project": lambda tx: failures.unseen(tx, "p1"),
    "events.newest_tasks of project": lambda tx: events.newest_tasks(tx, 10, "p1"),
    "task_steps.runs_of": lambda tx: task_steps.runs_of(tx, ["t1", "t2"]),
    "task_steps.landings_of": lambda tx: task_steps.landings_of(tx, ["t1", "t2"]),
    "task_steps.retried_at": lambda tx: task_steps.retried_at(tx, ["t1", "t2"]),
    "task_steps.verdicts": lambda tx: task_steps.verdicts(tx, ["t1", "t2"]),
    "task_steps.needs_of": lambda tx: task_steps.needs_of(tx, ["t1", "t2"]),
    "task_steps.blocked_behind": lambda tx: task_steps.blocked_behind(tx, ["t1", "t2"], 10),
    "task_steps.open_children_of": lambda tx: task_steps.open_children_of(tx, ["t1", "t2"]),
    "needed.most_needed": lambda tx: needed.most_needed(tx, None, 10),
    "needed.most_needed of project": lambda tx: needed.most_needed(tx, "p1", 10),
    "needed.held_by_target": lambda tx: needed.held_by_target(tx, "p1", "main", 10),
    "needed.held_by_mission": lambda tx: needed.held_by_mission(tx, "n1"),
    "gather.task": lambda tx: subject_facts.task(tx, "t1"),
    "gather.queue": lambda tx: subject_facts.queue(tx, "p1", "main"),
}

SMALL = ("projects", "agents", "assignments", "targets", "coordinators")
"""Tables that a person fills by hand: reading them whole is fine."""
BOUNDED = ("newest", "oldest")
"""So many of the newest or oldest rows, and no more of them however many there are."""


@pytest.fixture
def asked_store(sqlite_store: Store) -> Store:
    with sqlite_store.change() as tx:
        add_project(tx)
        tasks.insert(tx, a_task("t1"))
    return sqlite_store


def plan_of(tx: Tx, question: Question, explain: str) -> list[str]:
    """The plans of all statements that the question sends."""
    sent: list[tuple[str, Any]] = []

    def listen(_conn: Connection, _cursor: object, statement: str, given: Any, *_rest: object) -> None:
        sent.append((statement, given))

    event.listen(tx.conn, "before_cursor_execute", listen)
    driver = tx.conn.connection.driver_connection
    if isinstance(driver, sqlite3.Connection):
        driver.set_trace_callback(lambda statement: sent.append((statement, ())))
    question(tx)
    event.remove(tx.conn, "before_cursor_execute", listen)
    if isinstance(driver, sqlite3.Connection):
        driver.set_trace_callback(None)
        sent = [(statement, given) for statement, given in sent if not given and "?" not in statement]
    assert sent
    lines = []
    for statement, given in sent:
        lines += [str(row[-1]) for row in tx.conn.exec_driver_sql(f"{explain} {statement}", given)]
    return lines


@pytest.mark.parametrize("name", READY)
def test_ready_work_is_read_in_the_order_of_its_index(asked_store: Store, name: str) -> None:
    with asked_store.read() as tx:
        (line,) = plan_of(tx, READY[name], "EXPLAIN QUERY PLAN")
    assert "USING" in line
    assert "INDEX tasks_ready (project=? AND agent=? AND status=? AND nblock=?" in line


@pytest.mark.parametrize("name", OFTEN)
def test_a_question_that_is_asked_often_scans_no_growing_table(asked_store: Store, name: str) -> None:
    with asked_store.change() as tx:
        lines = plan_of(tx, OFTEN[name], "EXPLAIN QUERY PLAN")
    assert [
        line for line in lines if line.startswith("SCAN") and line.split()[1] not in (*SMALL, *BOUNDED)
    ] == []


def test_events_of_one_project_are_read_without_the_others(asked_store: Store) -> None:
    with asked_store.read() as tx:
        lines = plan_of(tx, OFTEN["events.after of project"], "EXPLAIN QUERY PLAN")
    assert lines == ["SEARCH events USING INDEX events_project (project=? AND seq>?)"]


def test_postgresql_finds_ready_work_by_the_same_index(postgresql_url: str) -> None:
    with closing(Store.open(postgresql_url)) as store:
        with store.change() as tx:
            add_project(tx)
            add_many(tx, 20_000, a_task("tb", agent="bob", status="ready", priority=0))
            add_many(tx, 2_000, a_task("ta", status="ready"))
            tx.conn.exec_driver_sql("ANALYZE tasks")
        with store.read() as tx:
            for question in READY.values():
                lines = plan_of(tx, question, "EXPLAIN")
                assert any("using tasks_ready" in line for line in lines), lines
                assert not any("Sort" in line or "Seq Scan" in line for line in lines), lines
