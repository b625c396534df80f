"""The orders that are open or taken for a coordinator: a level, not a queue of messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from toryo.domain.words import OrderKind, OrderState
from toryo.protocol.models import Order
from toryo.store import coordinators, orders, ready, texts
from toryo.store.engine import Tx
from toryo.store.rows import OrderRow
from toryo.usecases.context import HeadContext
from toryo.usecases.coordinators import CoordinatorUnknown, current
from toryo.usecases.credentials import run_token
from toryo.usecases.picking import pick

SHORT = 2000
"""Characters of what a person says."""
INHERITED = (OrderKind.COLLECT, OrderKind.CLEAN)
"""What another coordinator of the machine does for one that has gone silent."""
_SHOWN = tuple(Order.model_fields)
_shown = attrgetter(*_SHOWN)


@dataclass(frozen=True)
class Startable:
    agent: str
    project: str
    what: str
    """The task and its generation."""


@dataclass(frozen=True)
class OrderSet:
    superseded: bool
    rows: tuple[OrderRow, ...]
    startable: tuple[Startable, ...]
    """What a claim would get now: while it is the same set, nobody need be told again."""
    wire: Callable[[OrderRow], dict[str, Any]]

    @property
    def orders(self) -> tuple[dict[str, Any], ...]:
        """As they travel; made when asked for, since a long poll mostly finds nothing new to say."""
        return tuple(map(self.wire, self.rows))


def places_of(context: HeadContext, coordinator: str) -> tuple[str, ...]:
    """Where its orders may be addressed: itself, and the machine it is on."""
    with context.store.read() as tx:
        row = coordinators.get(tx, coordinator)
    if row is None:
        raise CoordinatorUnknown(hint="Start it again: `toryo up`.")
    return (row.id, f"machine:{row.machine}")


def take_orders(context: HeadContext, coordinator: str, incarnation: int) -> OrderSet:
    """Open ones become taken by the asker; so do those of a machine whose taker has gone silent."""
    with context.store.read() as tx:
        row = current(tx, coordinator, incarnation)
        if row is None:
            return OrderSet(True, (), (), lambda row: wire_order(context, row))
        found = _mine(tx, coordinator, row.machine)
        startable = _startable(tx, row.machine)
        words = {order.id: _words(tx, order) for order in found if order.kind == OrderKind.SAY}
    fresh = [order for order in found if order.taken_by != coordinator]
    if fresh:
        with context.store.change() as tx:
            for order in fresh:
                orders.set_state(tx, order, OrderState.TAKEN, taken_by=coordinator)
            tx.places.clear()  # taking an order is no news to the one who takes it
    return OrderSet(
        False, tuple(found), startable, lambda row: wire_order(context, row, words.get(row.id, ""))
    )


def _words(tx: Tx, order: OrderRow) -> str:
    """Short ones go along, which saves a question before they are heard; others are asked for by hash."""
    text = texts.get(tx, str(order.inputs.get("text"))) or ""
    return text if len(text) <= SHORT else ""


def _startable(tx: Tx, machine: str) -> tuple[Startable, ...]:
    found = []
    for project, agent in ready.ready_pairs(tx):
        one = pick(tx, agent, project)
        if one.task and one.project and one.project.machine == machine:
            found.append(Startable(agent, project, f"{one.task.id}/{one.task.generation}"))
    return tuple(found)


def _mine(tx: Tx, coordinator: str, machine: str) -> list[OrderRow]:
    silent = [row.id for row in coordinators.listing(tx) if row.unseen and row.id != coordinator]
    here = [name for name in silent if name.startswith(f"{machine}/")]
    return [
        order
        for order in orders.for_places(tx, (coordinator, f"machine:{machine}", *here))
        if order.place == coordinator
        or (order.place in here and order.kind in INHERITED)
        or (order.place == f"machine:{machine}" and order.taken_by in ("", coordinator, *silent))
    ]


def wire_order(context: HeadContext, order: OrderRow, words: str = "") -> dict[str, Any]:
    inputs = dict(order.inputs)
    if words:
        inputs["words"] = words
    if order.kind == OrderKind.RUN and inputs.get("access") == "connected":
        inputs["token"] = run_token(context.secret, order.run)
    known = dict(zip(_SHOWN, _shown(order), strict=True))
    known.update(state=OrderState.TAKEN, inputs=inputs)
    return known
