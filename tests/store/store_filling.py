"""Rows for the store's tests: one of each with few words, and very many at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, String, cast, insert, literal, select

from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, OrderRow, ProjectRow, RunRow, TargetRow, TaskRow
from toryo.store.database.schema import dependencies, tasks
from toryo.store.tables import agents, projects


def a_task(id: str, **columns: Any) -> TaskRow:
    whole = {"project": "p1", "agent": "ann", "title": id, "target": "main", "timeout_s": 60.0}
    return TaskRow(**{"id": id, "created_at": 1.0, **whole, **columns})


def a_run(id: str, task: str, generation: int = 1, **columns: Any) -> RunRow:
    whole = {"project": "p1", "agent": "ann", "purpose": "implement", "coordinator": "m/main"}
    return RunRow(**{"id": id, "task": task, "generation": generation, "created_at": 1.0, **whole, **columns})


def an_order(id: str, key: str = "", **columns: Any) -> OrderRow:
    whole = {"kind": "run", "place": "m/main", "limit_s": 60.0, "created_at": 1.0}
    return OrderRow(**{"id": id, "key": key or id, **whole, **columns})


def add_project(tx: Tx, id: str = "p1", agent_ids: Iterable[str] = ("ann", "bob")) -> None:
    row = ProjectRow(id=id, name=id, path=f"/{id}", machine="m", base="main", created_at=1.0)
    projects.insert(tx, row)
    projects.put_target(tx, TargetRow(project=id, name="main", tip="c0", tip_tree="tree0", published="c0"))
    for agent in agent_ids:
        if agents.get(tx, agent) is None:
            agents.insert(tx, AgentRow(id=agent, name=agent, client="command", created_at=1.0))
        projects.assign(tx, id, agent)


def add_many(tx: Tx, count: int, like: TaskRow, *, needs: str = "") -> None:
    """So many tasks like that one, `{id}1` … `{id}N`, as they are: states that as many changes would make.

    `needs` is the task that all of them need, or `chain` if each needs the one before."""
    numbers = select(literal(1).label("number")).cte("numbers", recursive=True)
    numbers = numbers.union_all(select(numbers.c.number + 1).where(numbers.c.number < count))

    def id_of(number: ColumnElement[int]) -> ColumnElement[str]:
        return literal(like.id) + cast(number, String)

    columns = {**like.values(), "changed_at": like.created_at}
    values = [
        id_of(numbers.c.number)
        if name == "id"
        else cast(literal(value, tasks.c[name].type), tasks.c[name].type)
        for name, value in columns.items()
    ]
    tx.conn.execute(insert(tasks).from_select(list(columns), select(*values)))
    if not needs:
        return
    needed = id_of(numbers.c.number - 1) if needs == "chain" else literal(needs)
    links = select(id_of(numbers.c.number), needed)
    if needs == "chain":
        links = links.where(numbers.c.number > 1)
    tx.conn.execute(insert(dependencies).from_select(["task", "needs"], links))
