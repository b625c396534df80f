"""Scan facts, applied: kept by project and commit, and told to the missions of the project."""

from __future__ import annotations

from typing import Any

from toryo.domain import subjects
from toryo.engine.missions.tests_found import offer
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import ScanRow
from toryo.store.database.rows import OrderRow
from toryo.store.tables import missions, projects, scans, texts


def apply_scanned(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    """A repository that could not be scanned is an empty scan: a mission is planned without one then."""
    problem = body.get("problem")
    row = ScanRow(
        project=order.project,
        commit=str(order.inputs["commit"]),
        text=body["text"] or texts.put(tx, ""),
        has_tests=body["has_tests"],
        paths=body["paths"],
        at=tx.now,
    )
    scans.keep(tx, row)
    project = projects.get(tx, order.project)
    if project is not None:
        offer(tx, project, body["tests"])
    if problem:
        tx.emit("scan_failed", {"commit": row.commit, **problem}, project=order.project)
    for mission in missions.live(tx, order.project):
        tx.mark(subjects.mission(mission.id))
