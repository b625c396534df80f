"""Planner orders: a wish of a mission becomes a row, with its brief beside it."""

from __future__ import annotations

from toryo.domain.words import PLANNER_KINDS, PLANNERS, OrderKind, OrderState
from toryo.engine.context import HeadContext
from toryo.engine.missions.briefs import brief_of
from toryo.engine.missions.repository_seen import seen
from toryo.engine.orders.insertion import insert
from toryo.protocol.kinds.planner import PlannerInputs
from toryo.reconciler.missions.facts import PlannerWish
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import OrderRow
from toryo.store.tables import orders, texts

LIMIT_S = 3600


def is_stale(order: OrderRow, row: MissionRow) -> bool:
    """Whether it was asked for an older version of what is wanted; a judgement is about its task alone."""
    return order.kind != OrderKind.JUDGE and int(order.inputs.get("request", 0)) != row.request


def withdraw(tx: Tx, row: MissionRow, *, every: bool = False) -> None:
    """Orders whose answers nobody waits for: the stale ones, or every one of a mission that has ended."""
    for order in orders.pending_of_mission(tx, row.id):
        if order.kind in PLANNER_KINDS and (every or is_stale(order, row)):
            orders.set_state(tx, order, OrderState.WITHDRAWN)


def withdraw_mends(tx: Tx, row: MissionRow) -> None:
    """The plan has no fault any more: a mended one would take its place and be approved anew."""
    for order in orders.pending_of_mission(tx, row.id):
        if order.kind == OrderKind.PLAN and order.inputs.get("n"):
            orders.set_state(tx, order, OrderState.WITHDRAWN)


def want(context: HeadContext, tx: Tx, row: MissionRow, wish: PlannerWish) -> None:
    """The order, unless it is there: one call a purpose, version and try."""
    first = key = f"{row.id}/{wish.key}"
    number = 1
    while earlier := orders.by_key(tx, key):
        if earlier.state != OrderState.WITHDRAWN:
            return
        number += 1
        key = f"{first}/{number}"
    brief = brief_of(context, tx, row, wish.purpose, task=wish.task)
    read = seen(tx, row)
    inputs = PlannerInputs(
        mission=row.id,
        request=wish.request,
        n=wish.n,
        brief=texts.put(tx, brief.model_dump_json()),
        scan=read.commit if read else "",
    )
    insert(
        tx,
        wish.purpose,
        key,
        PLANNERS,
        inputs,
        project=row.project,
        task=wish.task,
        mission=row.id,
        limit_s=LIMIT_S,
    )
