"""Runs. Occupancy is the column `live`; outcome and the fact columns are caches of the fold over facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from toryo.domain.ids import AgentName, MissionId, TaskId
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import RunRow
from toryo.store.database.schema import IS_LIVE, runs, tasks
from toryo.store.database.statements import add, change, every, every_of, first, prefixed

_GET = select(runs).where(runs.c.id == bindparam("it"))
_OF_TASK = select(runs).where(runs.c.task == bindparam("it")).order_by(runs.c.generation)
_LIVE = select(runs).where(IS_LIVE).order_by(runs.c.seq)
_LIVE_OF_PROJECT = _LIVE.where(runs.c.project == bindparam("project"))
_LIVE_SCOPES = (
    select(
        runs.c.agent,
        runs.c.scope,
        tasks.c.mission,
        tasks.c.unit,
        tasks.c.id,
        tasks.c.write,
        tasks.c.predicted,
    )
    .join(tasks, tasks.c.id == runs.c.task)
    .where(IS_LIVE, runs.c.project == bindparam("project"))
    .order_by(runs.c.seq)
)
_LIVE_OF_PAIR = _LIVE_OF_PROJECT.where(runs.c.agent == bindparam("agent"))
_LIVE_OF_COORDINATOR = _LIVE.where(runs.c.coordinator == bindparam("it"))
_BY_REQUEST = select(runs).where(runs.c.request == bindparam("it")).order_by(runs.c.seq).limit(1)
_PARKED = select(runs).where(runs.c.parked_until > bindparam("now")).order_by(runs.c.parked_until)
_PARKED_OF_CLIENT = _PARKED.where(runs.c.client == bindparam("client"))
_PAGE = select(runs).order_by(runs.c.seq.desc()).limit(bindparam("most"))


def insert(tx: Tx, row: RunRow) -> int:
    return add(tx, runs, row)


def get(tx: Tx, id: str) -> RunRow | None:
    return first(tx, RunRow, _GET, it=id)


def by_prefix(tx: Tx, text: str) -> list[RunRow]:
    return prefixed(tx, RunRow, runs, text)


def update(tx: Tx, id: str, **columns: Any) -> None:
    change(tx, runs, {"id": id}, columns)


def of_task(tx: Tx, task: str) -> list[RunRow]:
    """By generation."""
    return every(tx, RunRow, _OF_TASK, it=task)


def live_of_pair(tx: Tx, agent: str, project: str) -> list[RunRow]:
    return every(tx, RunRow, _LIVE_OF_PAIR, agent=agent, project=project)


def live_of_project(tx: Tx, project: str) -> list[RunRow]:
    return every(tx, RunRow, _LIVE_OF_PROJECT, project=project)


@dataclass(frozen=True)
class LiveScope:
    """Of a live run what every claim asks."""

    agent: AgentName
    scope: dict[str, Any]
    mission: MissionId
    unit: str
    task: TaskId
    wish: Sequence[str] | None = None
    """What its task may write, or is predicted to."""
    predicted: bool = False


def live_scopes(tx: Tx, project: str) -> list[LiveScope]:
    return [LiveScope(*row) for row in prepared.rows(tx.conn, _LIVE_SCOPES, {"project": project})[1]]


def live_of_coordinator(tx: Tx, coordinator: str) -> list[RunRow]:
    return every(tx, RunRow, _LIVE_OF_COORDINATOR, it=coordinator)


def parked(tx: Tx, machine: str, client: str) -> list[RunRow]:
    """Runs of that account which wait for a limit to end: nothing new of it starts; the longest last."""
    found = every(tx, RunRow, _PARKED_OF_CLIENT, client=client, now=tx.now)
    return [row for row in found if row.coordinator.startswith(f"{machine}/")]


def all_parked(tx: Tx) -> list[RunRow]:
    return every(tx, RunRow, _PARKED, now=tx.now)


def by_request(tx: Tx, request: str) -> RunRow | None:
    """The run that this request got; an empty request asks for nothing."""
    return first(tx, RunRow, _BY_REQUEST, it=request) if request else None


def page(tx: Tx, task: str | None = None, project: str | None = None, limit: int = 50) -> list[RunRow]:
    """The newest first."""
    only = {"task": task, "project": project}
    return every_of(tx, RunRow, _PAGE, runs, only, most=limit)
