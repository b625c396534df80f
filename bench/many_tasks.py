"""A store with very many tasks, in the shapes that tempt a query to read them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sqlalchemy import insert

from toryo.store.database.engine import Store, Tx
from toryo.store.database.rows import AgentRow, FactRow, OrderRow, ProjectRow, RunRow, TargetRow, TaskRow
from toryo.store.database.schema import dependencies, facts, orders, runs, tasks
from toryo.store.tables import agents, projects

PROJECT, AGENT, OTHER, MACHINE = "p0000bench", "ann", "bob", "m"
MINE = 400
"""Ready tasks of the agent that claims, behind all the others."""


def a_task(id: str, **columns: Any) -> TaskRow:
    whole = {"project": PROJECT, "agent": AGENT, "title": f"Task {id}", "target": "main", "timeout_s": 60.0}
    return TaskRow(**{"id": id, "created_at": 1.0, **whole, **columns})


def ahead(number: int) -> tuple[Iterator[TaskRow], Iterable[tuple[str, str]]]:
    """Ready tasks of another agent, more urgent than ours."""
    return (a_task(f"tb{i}", agent=OTHER, status="ready", priority=0) for i in range(number)), ()


def chain(number: int) -> tuple[Iterator[TaskRow], Iterable[tuple[str, str]]]:
    """Each needs the one before."""
    rows = (a_task(f"tc{i}", status="blocked", nblock=int(i > 0), priority=0) for i in range(number))
    return rows, ((f"tc{i}", f"tc{i - 1}") for i in range(1, number))


def star(number: int) -> tuple[Iterator[TaskRow], Iterable[tuple[str, str]]]:
    """All need the first."""
    rows = (a_task(f"ts{i}", status="blocked", nblock=int(i > 0), priority=0) for i in range(number))
    return rows, ((f"ts{i}", "ts0") for i in range(1, number))


def done(number: int) -> tuple[Iterator[TaskRow], Iterable[tuple[str, str]]]:
    """Nothing of them is left to do; what they left behind comes with `_past`."""
    return (a_task(f"td{i}", status="done", priority=0, generation=1) for i in range(number)), ()


SHAPES: dict[str, Callable[[int], tuple[Iterator[TaskRow], Iterable[tuple[str, str]]]]] = {
    "another agent's ahead": ahead,
    "chain": chain,
    "star": star,
    "done": done,
}


def fill(store: Store, shape: str, number: int, *, path: str, machine: str) -> None:
    """A project with that shape of so many tasks, and behind them the ready ones of the agent that claims."""
    with store.change() as tx:
        _project(tx, path, machine)
        rows, links = SHAPES[shape](number)
        _insert(tx, tasks, ({**row.values(), "changed_at": 1.0} for row in rows))
        mine = (a_task(f"ta{i}", status="ready") for i in range(MINE))
        _insert(tx, tasks, ({**row.values(), "changed_at": 1.0} for row in mine))
        _insert(tx, dependencies, ({"task": task, "needs": needs} for task, needs in links))
        if shape == "done":
            _past(tx, number)


def _past(tx: Tx, number: int) -> None:
    """A run of each, with its two orders and what was reported of them."""
    about = {"project": PROJECT, "coordinator": f"{MACHINE}/bench"}
    run = {**about, "agent": AGENT, "purpose": "implement", "generation": 1, "live": False, "created_at": 1.0}
    order = {"project": PROJECT, "place": f"{MACHINE}/bench", "state": "reported", "limit_s": 60.0}
    kinds = {"prepare": ("prepared",), "run": ("started", "exited")}
    ids = [(f"td{i}", f"rd{i}", i) for i in range(number)]
    _insert(
        tx,
        runs,
        (RunRow(id=id, task=task, request=f"past{i}", **run).values() for task, id, i in ids),
    )
    _insert(
        tx,
        orders,
        (
            OrderRow(
                id=f"o{kind}{i}",
                kind=kind,
                key=f"{kind}/{id}",
                task=task,
                run=id,
                created_at=1.0,
                ended_at=2.0,
                **order,
            ).values()
            for task, id, i in ids
            for kind in kinds
        ),
    )
    _insert(
        tx,
        facts,
        (
            FactRow(kind=fact, order=f"o{kind}{i}", task=task, run=id, at=2.0, **about).values()
            for task, id, i in ids
            for kind, told in kinds.items()
            for fact in told
        ),
    )


def _project(tx: Tx, path: str, machine: str) -> None:
    row = ProjectRow(id=PROJECT, name="bench", path=path, machine=machine, base="main", created_at=1.0)
    projects.insert(tx, row)
    tip = TargetRow(
        project=PROJECT, name="main", tip="0" * 40, tip_tree="t0", trusted_tree="t0", published="0" * 40
    )
    projects.put_target(tx, tip)
    for name in (AGENT, OTHER):
        agent = AgentRow(id=name, name=name, client="command", command="true", slots=8, created_at=1.0)
        agents.insert(tx, agent)
        projects.assign(tx, PROJECT, name)


def _insert(tx: Tx, table: Any, rows: Iterator[dict[str, Any]]) -> None:
    part: list[dict[str, Any]] = []
    for row in rows:
        part.append(row)
        if len(part) == 5000:
            tx.conn.execute(insert(table), part)
            part = []
    if part:
        tx.conn.execute(insert(table), part)
