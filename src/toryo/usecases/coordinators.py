"""Coordinators: their keys, registering (which supersedes), heartbeats, and being seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toryo.domain.errors import NotFound, UserError
from toryo.reconciler.subjects import Policy
from toryo.store import coordinators, orders, projects, runs, tokens
from toryo.store.engine import Tx
from toryo.store.rows import CoordinatorRow
from toryo.usecases import hindrances
from toryo.usecases.context import HeadContext
from toryo.usecases.credentials import hash_token, new_coordinator_key

TOKEN_S = 3600
LONGEST_TOKEN_S = 86400
KEY_ISSUED = "coordinator_key_issued"
"""An event: whoever knows coordinators by their keys has to ask again."""


class CoordinatorUnknown(NotFound):
    """This coordinator is not registered here."""


class Superseded(UserError):
    """A newer process of the same name has taken over."""


def coordinator_id(machine: str, name: str) -> str:
    return f"{machine}/{name}"


def issue_key(context: HeadContext, machine: str, name: str) -> dict[str, Any]:
    """A new key for a coordinator; the old one is void from now on."""
    key = new_coordinator_key()
    with context.store.change() as tx:
        found = coordinators.get(tx, coordinator_id(machine, name))
        if found:
            coordinators.update(tx, found.id, key_hash=hash_token(key))
        else:
            row = CoordinatorRow(
                id=coordinator_id(machine, name),
                machine=machine,
                name=name,
                key_hash=hash_token(key),
                clients={},
                unseen=True,
            )
            coordinators.insert(tx, row)
        tx.emit(KEY_ISSUED, {"coordinator": coordinator_id(machine, name)})
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
        tx.touch_place(coordinator)
        tx.touch_place(f"machine:{row.machine}")
        tx.emit(
            "coordinator_registered", {"coordinator": coordinator, "incarnation": incarnation, "pid": pid}
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
        for run in live_runs:
            tokens.renew(tx, run, tx.now + TOKEN_S)
    return {"success": True, "superseded": False}


def heard(tx: Tx, row: CoordinatorRow) -> None:
    """It reported something: written down only where a heartbeat is overdue, since reports are many."""
    since = tx.now - (row.seen_at or 0)
    if row.unseen or not 0 <= since < row.interval_s:
        saw(tx, row)


def saw(tx: Tx, row: CoordinatorRow) -> None:
    """It spoke: its runs are known again, and the next look is when it may have gone silent."""
    coordinators.update(tx, row.id, seen_at=tx.now, unseen=False)
    if row.unseen:
        tx.emit("coordinator_seen", {"coordinator": row.id})
        for run in runs.live_of_coordinator(tx, row.id):
            tx.mark(f"task:{run.task}")
        for order in orders.for_places(tx, [row.id]):
            tx.touch_place(order.place)
    tx.mark(f"coordinator:{row.id}", tx.now + Policy().unseen_after * row.interval_s)


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
            }
            for project in projects.listing(tx, only_active=True)
        ]
    return {"success": True, "projects": listed}
