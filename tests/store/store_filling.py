"""Rows for the store's tests: one of each with few words, and very many at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import insert

from toryo.store import agents, projects
from toryo.store.engine import Tx
from toryo.store.rows import AgentRow, OrderRow, ProjectRow, RunRow, TargetRow, TaskRow
from toryo.store.schema import dependencies, tasks


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


def add_many(tx: Tx, rows: Iterable[TaskRow], needs: Iterable[Mapping[str, str]] = ()) -> None:
    """Tasks and dependencies as they are, nothing counted: states that thousands of changes would make."""
    tx.conn.execute(insert(tasks), [{**row.values(), "changed_at": row.created_at} for row in rows])
    links = [dict(one) for one in needs]
    if links:
        tx.conn.execute(insert(dependencies), links)
