"""Orders. A key is there once for ever; whoever changes an order's state touches its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import bindparam, func, select

from toryo.domain.words import OrderState
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import OrderRow
from toryo.store.database.schema import (
    IS_PENDING,
    ORDER_OF_GATE,
    ORDER_OF_LANDING,
    ORDER_OF_MISSION,
    orders,
)
from toryo.store.database.statements import add_if_new, change, every, first

PENDING = (OrderState.OPEN.value, OrderState.TAKEN.value)
ENDED = (OrderState.REPORTED, OrderState.WITHDRAWN)

_GET = select(orders).where(orders.c.id == bindparam("it"))
_BY_KEY = select(orders).where(orders.c.key == bindparam("it"))
_BY_SEQ = select(orders).order_by(orders.c.seq)
_BY_KEYS = select(orders).where(orders.c.key.in_(bindparam("keys", expanding=True))).order_by(orders.c.seq)
_FOR_PLACES = _BY_SEQ.where(orders.c.place.in_(bindparam("places", expanding=True)), IS_PENDING)
_OF_RUN = _BY_SEQ.where(orders.c.run == bindparam("it"))
_SAID_TO = _OF_RUN.where(orders.c.kind == "say")
_TIMES_SAID = (
    select(func.count()).select_from(orders).where(orders.c.run == bindparam("it"), orders.c.kind == "say")
)
_OF_LANDING = _BY_SEQ.where(orders.c.landing == bindparam("it"), ORDER_OF_LANDING)
_OF_GATE = _BY_SEQ.where(orders.c.gate == bindparam("it"), ORDER_OF_GATE)
_OF_MISSION = _BY_SEQ.where(orders.c.mission == bindparam("it"), ORDER_OF_MISSION)
_PENDING_OF_MISSION = _OF_MISSION.where(IS_PENDING)
_PENDING_OF_PROJECT = _BY_SEQ.where(orders.c.project == bindparam("project"), IS_PENDING)
_PENDING_OF_TASK = _PENDING_OF_PROJECT.where(orders.c.task == bindparam("task"))
_OF_TARGET = _PENDING_OF_PROJECT.where(orders.c.kind.in_(bindparam("kinds", expanding=True)))


def insert(tx: Tx, row: OrderRow) -> bool:
    """False, and nothing changed, if there is an order with that key."""
    added = add_if_new(tx, orders, row, "key")
    if added:
        tx.touch_place(row.place)
    return added


def get(tx: Tx, id: str) -> OrderRow | None:
    return first(tx, OrderRow, _GET, it=id)


def by_key(tx: Tx, key: str) -> OrderRow | None:
    return first(tx, OrderRow, _BY_KEY, it=key)


def by_keys(tx: Tx, keys: Sequence[str]) -> list[OrderRow]:
    return every(tx, OrderRow, _BY_KEYS, keys=list(keys)) if keys else []


def for_places(tx: Tx, places: Sequence[str]) -> list[OrderRow]:
    """Open or taken."""
    return every(tx, OrderRow, _FOR_PLACES, places=list(places))


def of_run(tx: Tx, run: str) -> list[OrderRow]:
    """In every state, as are those of a landing and a gate."""
    return every(tx, OrderRow, _OF_RUN, it=run) if run else []


def said_to(tx: Tx, run: str) -> list[OrderRow]:
    """The words for a run, in every state."""
    return every(tx, OrderRow, _SAID_TO, it=run) if run else []


def times_said(tx: Tx, run: str) -> int:
    return int(prepared.value(tx.conn, _TIMES_SAID, {"it": run}))


def of_landing(tx: Tx, landing: str) -> list[OrderRow]:
    return every(tx, OrderRow, _OF_LANDING, it=landing) if landing else []


def of_gate(tx: Tx, gate: str) -> list[OrderRow]:
    return every(tx, OrderRow, _OF_GATE, it=gate) if gate else []


def pending_of_task(tx: Tx, project: str, task: str) -> list[OrderRow]:
    """Open or taken."""
    return every(tx, OrderRow, _PENDING_OF_TASK, project=project, task=task) if task else []


def of_mission(tx: Tx, mission: str) -> list[OrderRow]:
    """In every state."""
    return every(tx, OrderRow, _OF_MISSION, it=mission)


def pending_of_mission(tx: Tx, mission: str) -> list[OrderRow]:
    """Open or taken."""
    return every(tx, OrderRow, _PENDING_OF_MISSION, it=mission)


def of_target(tx: Tx, project: str, kinds: Iterable[str], target: str | None = None) -> list[OrderRow]:
    """Open or taken ones of these kinds in the project, of one target branch if it is named."""
    found = every(tx, OrderRow, _OF_TARGET, project=project, kinds=[str(kind) for kind in kinds])
    return [order for order in found if target is None or order.inputs.get("target") == target]


def set_state(tx: Tx, order: OrderRow, state: str, taken_by: str | None = None) -> None:
    columns: dict[str, Any] = {"state": str(state)}
    if taken_by is not None:
        columns["taken_by"] = taken_by
    if state in ENDED and order.ended_at is None:
        columns["ended_at"] = tx.now
    change(tx, orders, {"id": order.id}, columns)
    tx.touch_place(order.place)


def set_inputs(tx: Tx, order: OrderRow, inputs: dict[str, Any]) -> None:
    """Of an order that nobody carried out yet: its repository was moved."""
    if inputs != order.inputs:
        change(tx, orders, {"id": order.id}, {"inputs": inputs})
        tx.touch_place(order.place)
