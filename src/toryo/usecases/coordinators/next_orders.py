"""Open and taken orders of a coordinator or planner: a level, not a queue of messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from toryo.domain.words import OrderKind, OrderState, PlaceKind
from toryo.engine.context import HeadContext
from toryo.engine.next_task import pick
from toryo.protocol.order import Order
from toryo.store.database.engine import Tx
from toryo.store.database.rows import CoordinatorRow, OrderRow
from toryo.store.gather import ready
from toryo.store.tables import agents, coordinators, orders, texts
from toryo.usecases.coordinators.coordinators import CoordinatorUnknown, addresses, current, program_to_find
from toryo.usecases.credentials import run_token

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
    programs: tuple[str, ...]
    """What their agents start: to be looked for before they are claimed."""
    wire: Callable[[OrderRow], dict[str, Any]]

    @property
    def orders(self) -> tuple[dict[str, Any], ...]:
        """As they travel; made when asked for, since a long poll mostly finds nothing new to say."""
        return tuple(map(self.wire, self.rows))


def places_of(context: HeadContext, coordinator: str) -> tuple[str, ...]:
    """Where its orders may be addressed."""
    with context.store.read() as tx:
        row = coordinators.get(tx, coordinator)
    if row is None:
        raise CoordinatorUnknown(hint="Start it again: `toryo up`.")
    return addresses(row)


def is_superseded(context: HeadContext, coordinator: str, incarnation: int) -> bool:
    with context.store.read() as tx:
        return current(tx, coordinator, incarnation) is None


def take_orders(context: HeadContext, coordinator: str, incarnation: int) -> OrderSet:
    """Open ones become taken by the asker; so do those of a machine whose taker has gone silent."""
    with context.store.read() as tx:
        row = current(tx, coordinator, incarnation)
        if row is None:
            return OrderSet(True, (), (), (), lambda row: wire_order(context, row))
        found = _mine(tx, row)
        startable = _startable(tx, row.machine) if row.kind == PlaceKind.COORDINATOR else ()
        programs = _programs(tx, startable)
        words = {order.id: _words(tx, order) for order in found if order.kind == OrderKind.SAY}
    fresh = [order for order in found if order.taken_by != coordinator]
    if fresh:
        with context.store.change() as tx:
            for order in fresh:
                orders.set_state(tx, order, OrderState.TAKEN, taken_by=coordinator)
            tx.places.clear()  # taking an order is no news to the one who takes it
    return OrderSet(
        False, tuple(found), startable, programs, lambda row: wire_order(context, row, words.get(row.id, ""))
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


def _programs(tx: Tx, startable: Iterable[Startable]) -> tuple[str, ...]:
    found = (agents.get(tx, one.agent, one.project) for one in startable)
    return tuple(sorted({program_to_find(agent) for agent in found if agent} - {""}))


def _mine(tx: Tx, asker: CoordinatorRow) -> list[OrderRow]:
    kind = PlaceKind(asker.kind)
    silent = [row for row in coordinators.listing(tx, kind) if row.unseen and row.id != asker.id]
    here = [row.id for row in silent if row.machine == asker.machine]
    own, anyone = addresses(asker)
    takers = ("", own, *(row.id for row in silent))
    return [
        order
        for order in orders.for_places(tx, (own, anyone, *here))
        if order.place == own
        or (order.place in here and order.kind in INHERITED)
        or (order.place == anyone and order.taken_by in takers)
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
