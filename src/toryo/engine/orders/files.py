"""Orders about files that no agent makes: scan a repository for the planner, write what a mission lands."""

from __future__ import annotations

from toryo.domain.times import iso
from toryo.domain.words import OrderKind, OrderState
from toryo.engine.missions.files import writes_files
from toryo.engine.orders.insertion import OrderImpossible, hub, insert
from toryo.protocol.kinds.files import ScanInputs, WriteInputs, WrittenFile
from toryo.reconciler.decisions import OrderWish
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import ScanRow
from toryo.store.database.rows import LandingRow, ProjectRow
from toryo.store.tables import landings, missions, orders, projects, scans

TICKED = "tasks.md"
"""Of a mission's files the one that is ticked from evidence, never by an agent."""


def scan_of(tx: Tx, project: str, commit: str) -> ScanRow | None:
    """What the repository held at that commit; None: nobody looked yet."""
    return scans.get(tx, project, commit)


def want_scan(tx: Tx, project: ProjectRow, commit: str) -> bool:
    """Have the repository scanned at that commit, unless it was or is about to be; whether it was ordered.

    The missions of the project are marked when the scan is there."""
    if scans.get(tx, project.id, commit):
        return False
    key, number = f"scan/{project.id}/{commit}", 1
    while earlier := orders.by_key(tx, key):
        if earlier.state != OrderState.WITHDRAWN:
            return False
        number += 1
        key = f"scan/{project.id}/{commit}/{number}"
    inputs = ScanInputs(repo=project.path, commit=commit)
    insert(tx, OrderKind.SCAN, key, hub(project), inputs, project=project.id)
    return True


def write(tx: Tx, wish: OrderWish, project_id: str) -> bool:
    project, landing = projects.get(tx, project_id), landings.get(tx, wish.landing)
    if not project or not landing:
        raise OrderImpossible(f"no landing {wish.landing}")
    inputs = WriteInputs(
        repo=project.path,
        base=wish.old,
        files=tuple(WrittenFile.model_validate(one) for one in landing.files or ()),
        message=message_of(landing),
        date=iso(landing.created_at) or "",
        landing=landing.id,
    )
    insert(tx, OrderKind.WRITE, wish.key, hub(project), inputs, project=project_id, landing=landing.id)
    return True


def message_of(landing: LandingRow) -> str:
    return f"{landing.message.rstrip()}\n\nToryo-Mission: {landing.mission}\nToryo-Landing: {landing.id}\n"


def folder_of(tx: Tx, mission: str) -> str:
    """Where a mission's files are in the repository; empty: it writes none."""
    row = missions.get(tx, mission) if mission else None
    project = projects.get(tx, row.project) if row else None
    return row.spec_dir.rstrip("/") if row and project and writes_files(project, row) else ""


def kept_out(tx: Tx, mission: str) -> tuple[str, ...]:
    """Files of a mission that its own tasks neither see nor change."""
    folder = folder_of(tx, mission)
    return (f"{folder}/{TICKED}",) if folder else ()
