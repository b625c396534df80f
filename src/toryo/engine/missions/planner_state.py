"""Planner state: what the model's open calls of a mission wait for, as the planner told last."""

from __future__ import annotations

from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.tables import facts, orders


def waits_for(tx: Tx, row: MissionRow) -> str:
    """outage, usage_limit or settings, while an order of it is open; empty: nothing."""
    for order in orders.pending_of_mission(tx, row.id):
        told = [one for one in facts.of_order(tx, order.id) if one.kind == "model_waiting"]
        if told:
            return str(told[-1].body.get("why", ""))
    return ""
