"""Coordinators and planners: their keys, registering (which supersedes), heartbeats, and being seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toryo.domain import subjects
from toryo.domain.client_names import COMMAND, OF_A_COMMAND, told_as
from toryo.domain.errors import NotFound
from toryo.domain.ids import CoordinatorId
from toryo.domain.words import PLANNERS, PlaceKind
from toryo.engine import hindrances
from toryo.engine.context import HeadContext
from toryo.engine.home_settings import in_force
from toryo.engine.next_task import is_waiting_unit
from toryo.protocol.views import coordinators as views
from toryo.reconciler.subjects import Policy
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, CoordinatorRow
from toryo.store.tables import coordinators, missions, orders, projects, runs, tasks, tokens
from toryo.usecases.credentials import hash_token, new_coordinator_key, new_planner_key

KEYS_ISSUED = frozenset(f"{kind}_key_issued" for kind in PlaceKind)
"""Events: whoever knows coordinators and planners by their keys has to ask again."""
_NEW_KEY = {PlaceKind.COORDINATOR: new_coordinator_key, PlaceKind.PLANNER: new_planner_key}


class CoordinatorUnknown(NotFound):
    """This coordinator or planner is not registered here."""


def place_id(kind: PlaceKind, machine: str, name: str) -> str:
    return f"{machine}/{name}" if kind is PlaceKind.COORDINATOR else f"{kind}/{machine}/{name}"


def addresses(row: CoordinatorRow) -> tuple[str, str]:
    """Where its orders may be addressed: itself, and any of its machine, or any planner."""
    return row.id, PLANNERS if row.kind == PlaceKind.PLANNER else f"machine:{row.machine}"


def issue_key(context: HeadContext, kind: PlaceKind, machine: str, name: str) -> views.CoordinatorKey:
    """A new key for a coordinator or planner; the old one is void from now on."""
    key = _NEW_KEY[kind]()
    id = place_id(kind, machine, name)
    with context.store.change() as tx:
        found = coordinators.get(tx, id)
        if found:
            coordinators.update(tx, found.id, key_hash=hash_token(key))
        else:
            row = CoordinatorRow(
                id=CoordinatorId(id),
                kind=kind,
                machine=machine,
                name=name,
                key_hash=hash_token(key),
                clients={},
                unseen=True,
            )
            coordinators.insert(tx, row)
        tx.emit(f"{kind}_key_issued", {str(kind): id}, subject=subjects.coordinator(CoordinatorId(id)))
    return {"success": True, "key": key}


def register(
    context: HeadContext,
    coordinator: str,
    *,
    boot: str,
    pid: int,
    clients: Mapping[str, str],
    fingerprint: str,
    interval_s: float,
) -> dict[str, Any]:
    """Each registration is a new incarnation: facts of older ones come too late."""
    with context.store.change() as tx:
        row = coordinators.get(tx, coordinator)
        if row is None:
            raise CoordinatorUnknown(hint="Ask for a key first: `toryo up` does that.")
        incarnation = row.incarnation + 1
        # of programs it learns only when work may start: until then they are as they were
        clients = {**coordinators.programs_of(row), **clients}
        coordinators.update(
            tx,
            coordinator,
            incarnation=incarnation,
            boot=boot,
            pid=pid,
            clients=dict(clients),
            fingerprint=fingerprint,
            interval_s=interval_s,
        )
        saw(tx, row)
        if dict(row.clients) != dict(clients):
            _mark_tasks(tx, row.machine)
        for address in addresses(row):
            tx.touch_place(address)
        tx.emit(
            f"{row.kind}_registered",
            {row.kind: coordinator, "incarnation": incarnation, "pid": pid},
            subject=subjects.coordinator(CoordinatorId(coordinator)),
        )
    return {"success": True, "coordinator": coordinator, "incarnation": incarnation}


def heartbeat(
    context: HeadContext,
    coordinator: str,
    incarnation: int,
    live_runs: Sequence[str],
    hindered: Sequence[Mapping[str, str]] = (),
) -> dict[str, Any]:
    hindrances.note(context, coordinator, hindered)  # first: what follows may fail for the same reason
    with context.store.change() as tx:
        row = current(tx, coordinator, incarnation)
        if row is None:
            return {"success": True, "superseded": True}
        saw(tx, row)
        until = tx.now + in_force(context).session.default_timeout
        for run in live_runs:
            tokens.renew(tx, run, until)
    return {"success": True, "superseded": False}


def tell_clients(
    context: HeadContext, coordinator: str, incarnation: int, clients: Mapping[str, str]
) -> dict[str, Any]:
    """What may start there may be another than before."""
    with context.store.change() as tx:
        row = current(tx, coordinator, incarnation)
        if row is None:
            return {"success": True, "superseded": True}
        if dict(row.clients) != dict(clients):
            coordinators.update(tx, coordinator, clients=dict(clients))
            _mark_tasks(tx, row.machine)
    return {"success": True, "superseded": False}


def _mark_tasks(tx: Tx, machine: str) -> None:
    for project in projects.listing(tx, only_active=True):
        if project.machine == machine:
            tasks.mark_of_project(tx, project.id)


def heard(tx: Tx, row: CoordinatorRow) -> None:
    """It reported something: written down only where a heartbeat is overdue, since reports are many."""
    since = tx.now - (row.seen_at or 0)
    if row.unseen or not 0 <= since < row.interval_s:
        saw(tx, row)


def saw(tx: Tx, row: CoordinatorRow) -> None:
    """It spoke: its runs are known again, and the next look is when it may have gone silent."""
    coordinators.update(tx, row.id, seen_at=tx.now, unseen=False)
    if row.unseen:
        tx.emit(f"{row.kind}_seen", {row.kind: row.id}, subject=subjects.coordinator(row.id))
        for run in runs.live_of_coordinator(tx, row.id):
            tx.mark(subjects.task(run.task))
        for mission in missions.live(tx) if row.kind == PlaceKind.PLANNER else ():
            tx.mark(subjects.mission(mission.id))
        for order in orders.for_places(tx, [row.id]):
            tx.touch_place(order.place)
    tx.mark(subjects.coordinator(row.id), tx.now + Policy().unseen_after * row.interval_s)


def current(tx: Tx, coordinator: str, incarnation: int) -> CoordinatorRow | None:
    """The row, or None if the caller is not its newest process any more."""
    row = coordinators.get(tx, coordinator)
    if row is None:
        raise CoordinatorUnknown(hint="Start it again: `toryo up`.")
    return row if row.incarnation == incarnation else None


def list_active_projects(context: HeadContext) -> dict[str, Any]:
    """S1-11: active projects with their active agents. No word about tasks."""
    with context.store.read() as tx:
        listed = [
            {
                "project_id": project.id,
                "project_name": project.name,
                "working_directory": project.path,
                "machine": project.machine,
                "agents": [agent.id for agent in projects.agents_of(tx, project.id, only_active=True)],
                "targets": [
                    {"name": target.name, "published": target.published}
                    for target in projects.targets_of(tx, project.id)
                ],
                "resting_runs": _resting(tx, project.id),
                "programs": sorted(
                    set(map(program_to_find, projects.agents_of(tx, project.id, only_active=True))) - {""}
                ),
            }
            for project in projects.listing(tx, only_active=True)
        ]
    return {"success": True, "projects": listed}


def program_to_find(agent: AgentRow) -> str:
    """Of an agent that starts a program of the machine; a coordinator looks for it there."""
    return told_as(agent.client, agent.command).removeprefix(OF_A_COMMAND) if agent.client == COMMAND else ""


def _resting(tx: Tx, project: str) -> list[str]:
    """Live runs of units that only wait for their children: they take no place from them."""
    waiting = [one.task for one in runs.live_scopes(tx, project) if is_waiting_unit(tx, one)]
    return [run.id for task in waiting for run in runs.of_task(tx, task) if run.live]
