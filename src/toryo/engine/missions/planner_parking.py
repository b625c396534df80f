"""Accounts that the planner found at their limit: an installed CLI serves planner and workers alike.

Folded from what its open orders told last; an order that ended or was withdrawn parks nobody.
"""

from __future__ import annotations

from dataclasses import dataclass

from toryo.domain import subjects
from toryo.domain.words import PLANNERS, OrderState, PlaceKind
from toryo.engine.context import HeadContext
from toryo.engine.home_settings import in_force
from toryo.reconciler.parking import moment_of
from toryo.store.database.engine import Tx
from toryo.store.database.rows import OrderRow
from toryo.store.tables import coordinators, facts, missions, orders

USAGE_LIMIT = "usage_limit"
UNKNOWN_S = 960.0
"""Where nobody said when it ends; the planner asks again before that, and tells anew."""


@dataclass(frozen=True)
class ParkedByPlanner:
    machine: str
    client: str
    until: float
    message: str
    order: OrderRow


def parked(tx: Tx) -> list[ParkedByPlanner]:
    """The longest last."""
    found = [one for order in orders.for_places(tx, (PLANNERS,)) if (one := _of(tx, order))]
    return sorted(found, key=lambda one: one.until)


def of_account(tx: Tx, machine: str, client: str) -> list[ParkedByPlanner]:
    return [one for one in parked(tx) if (one.machine, one.client) == (machine, client)]


def release(tx: Tx, machine: str, client: str) -> int:
    """Its orders are asked anew at once; how many there were. A mission may wait for no order yet."""
    found = of_account(tx, machine, client)
    for one in found:
        orders.set_state(tx, one.order, OrderState.WITHDRAWN)
    for mission in missions.live(tx):
        tx.mark(subjects.mission(mission.id))
    return len(found)


def planners_account(context: HeadContext, tx: Tx) -> tuple[str, str]:
    """(machine, client) of the CLI that plans; empty: an endpoint does, or nobody."""
    via = in_force(context).planner.via
    places = [
        row for row in coordinators.listing(tx, PlaceKind.PLANNER) if row.incarnation and not row.unseen
    ]
    return (places[0].machine, via) if via not in ("", "http") and places else ("", "")


def _of(tx: Tx, order: OrderRow) -> ParkedByPlanner | None:
    told = [one for one in facts.of_order(tx, order.id) if one.kind == "model_waiting"]
    last = told[-1] if told and told[-1].body.get("why") == USAGE_LIMIT else None
    client = str(last.body.get("via") or "http") if last else "http"
    place = coordinators.get(tx, last.coordinator) if last and client != "http" else None
    if last is None or place is None:
        return None
    until = moment_of(str(last.body.get("until") or ""), last.at) or last.at + UNKNOWN_S
    if until <= tx.now:
        return None
    return ParkedByPlanner(place.machine, client, until, str(last.body.get("message") or ""), order)
