"""Planner state: what the open calls of a mission wait for, a model that cannot be asked or a planner."""

from __future__ import annotations

from toryo.domain.words import PLANNER_KINDS, PlaceKind
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.tables import coordinators, facts, orders

AWAY_S = 30.0
"""After so long without a planner somebody has to start one: `up` and `do` do that, the daemon does not."""


def alone_since(tx: Tx, row: MissionRow) -> float | None:
    """Since when its open orders have had no planner; None: one lives, or nothing is to be asked."""
    waiting = [one.created_at for one in orders.pending_of_mission(tx, row.id) if one.kind in PLANNER_KINDS]
    known = coordinators.listing(tx, PlaceKind.PLANNER)
    if not waiting or any(one.incarnation and not one.unseen for one in known):
        return None
    return max(min(waiting), *(one.seen_at or 0.0 for one in known), 0.0)


def waits_for(tx: Tx, row: MissionRow) -> str:
    """outage, usage_limit or settings, while an order of it is open; empty: nothing."""
    for order in orders.pending_of_mission(tx, row.id):
        told = [one for one in facts.of_order(tx, order.id) if one.kind == "model_waiting"]
        if told:
            return str(told[-1].body.get("why", ""))
    return ""
