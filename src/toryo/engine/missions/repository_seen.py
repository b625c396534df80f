"""Scans of a mission: the repository is read for it once, whatever lands meanwhile."""

from __future__ import annotations

from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, ScanRow
from toryo.store.tables import orders, projects, scans


def seen(tx: Tx, row: MissionRow) -> ScanRow | None:
    """What is known of its target: the tip where somebody read that, else what it began with."""
    target = projects.target(tx, row.project, row.target)
    newest = scans.get(tx, row.project, target.tip) if target else None
    return newest or _first(tx, row)


def _first(tx: Tx, row: MissionRow) -> ScanRow | None:
    """Of the commit that its first planner order was told of."""
    for order in orders.of_mission(tx, row.id):
        found = scans.get(tx, row.project, str(order.inputs.get("scan") or ""))
        if found:
            return found
    return None
