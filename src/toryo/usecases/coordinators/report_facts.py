"""Fact reports: each is kept; one whose order and generation are current changes what is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from toryo.domain import subjects
from toryo.domain.ids import GateId, LandingId, OrderId, ProjectId, RunId, TaskId
from toryo.domain.words import PLANNER_KINDS, PLANNERS, OrderKind, OrderState, PlaceKind
from toryo.engine.bus.delivery import apply_told, look_at_the_next
from toryo.engine.context import HeadContext
from toryo.engine.facts.files import apply_scanned
from toryo.engine.facts.landings import (
    apply_accepted,
    apply_candidate,
    apply_checked,
    apply_published,
    apply_waiting,
    apply_written,
)
from toryo.engine.facts.projects import apply_found, apply_surveyed, apply_target_seen, is_early
from toryo.engine.facts.runs import apply_run_fact
from toryo.engine.facts.units import apply_target_opened
from toryo.engine.messages import apply_spoken, apply_waiting_words
from toryo.engine.notices.notify import apply_notified
from toryo.protocol.kinds.table import FACTS, FINAL
from toryo.protocol.order import Fact
from toryo.steps import step
from toryo.store.database.engine import Tx
from toryo.store.database.rows import CoordinatorRow, FactRow, OrderRow
from toryo.store.tables import coordinators, facts, orders
from toryo.usecases.coordinators.coordinators import CoordinatorUnknown, addresses, heard
from toryo.usecases.missions.model_answers import apply_answered, apply_waiting_model, count_unused
from toryo.usecases.projects.remove import apply_unadopted

ON_THE_WAY = frozenset({"publish_waiting", "signs", "model_waiting"})
"""Facts of which only the newest matters: a repeated one is kept again."""


def report_facts(
    context: HeadContext, coordinator: str, incarnation: int, batch: Sequence[Fact], blobs: Mapping[str, str]
) -> dict[str, Any]:
    for text in blobs.values():
        context.blobs.put(text)
    with context.store.change() as tx:
        row = coordinators.get(tx, coordinator)
        if row is None:
            raise CoordinatorUnknown(hint="Start it again: `toryo up`.")
        superseded = incarnation != row.incarnation
        # a sight of a tip that we do not know yet is not acknowledged: it is told again, after what moved it
        taken = [fact for fact in batch if superseded or not is_early(tx, fact)]
        for fact in taken:
            _take(context, tx, row, incarnation, superseded, fact)
        if not superseded:
            heard(tx, row)
    step("facts.kept")
    return {"success": True, "acknowledged": [fact.seq for fact in taken], "superseded": superseded}


def _take(
    context: HeadContext,
    tx: Tx,
    coordinator: CoordinatorRow,
    incarnation: int,
    superseded: bool,
    fact: Fact,
) -> None:
    order = orders.get(tx, fact.order) if fact.order else None
    standing = _standing(order, fact, superseded) if _is_its_own(coordinator, order) else "orphan"
    if order and _may_be_known(order, fact, standing) and facts.has(tx, order.id, fact.kind, standing):
        return  # a report that was taken already: acknowledged, not kept twice
    body = dict(fact.body)
    if fact.kind in FACTS:
        try:
            body = FACTS[fact.kind].model_validate(fact.body).model_dump(mode="json")
        except ValidationError as error:
            standing, body = "orphan", {"malformed": str(error)[:2000], "body": fact.body}
    else:
        standing = "orphan"
    row = FactRow(
        kind=fact.kind,
        order=OrderId(fact.order),
        project=ProjectId(order.project if order else str(body.get("project", ""))),
        task=TaskId(order.task if order else ""),
        run=RunId(order.run if order else ""),
        landing=LandingId(order.landing if order else ""),
        gate=GateId(order.gate if order else ""),
        generation=fact.generation,
        coordinator=coordinator.id,
        incarnation=incarnation,
        standing=standing,
        body=body,
        at=tx.now,
    )
    facts.insert(tx, row)
    if standing != "applied":
        tx.emit(
            f"fact_{standing}",
            {"kind": fact.kind, "order": fact.order},
            project=row.project,
            task=row.task,
            run=row.run,
        )
        if (
            standing == "late"
            and order
            and order.kind in PLANNER_KINDS
            and fact.kind in FINAL[OrderKind(order.kind)]
        ):
            count_unused(tx, order, body)
        return
    if order is None:
        apply_target_seen(tx, body)
        return
    if fact.kind in FINAL[OrderKind(order.kind)]:
        orders.set_state(tx, order, OrderState.REPORTED)
        tx.emit(
            "order_reported",
            {"order": order.id, "kind": order.kind},
            subject=subjects.narrowest(project=order.project, task=order.task, run=order.run)
            or subjects.order(order.id),
            project=order.project,
            task=order.task,
            run=order.run,
        )
    if body.get("moved_to"):
        apply_found(tx, body["moved_to"])
    _apply(context, tx, order, fact.kind, body)


def _is_its_own(reporter: CoordinatorRow, order: OrderRow | None) -> bool:
    """A planner speaks of its own orders only, and a coordinator of no planner's."""
    if reporter.kind == PlaceKind.PLANNER:
        return order is not None and order.place in addresses(reporter)
    return order is None or order.place != PLANNERS


def _may_be_known(order: OrderRow, fact: Fact, standing: str) -> bool:
    """An order that is still to be reported has had no fact that ends it."""
    ends_it = standing == "applied" and fact.kind in FINAL[OrderKind(order.kind)]
    return not ends_it and fact.kind not in ON_THE_WAY


def _standing(order: OrderRow | None, fact: Fact, superseded: bool) -> str:
    if order is None:
        if fact.kind != "target_seen":
            return "orphan"
        return "late" if superseded else "applied"
    current = order.state in (OrderState.OPEN, OrderState.TAKEN) and fact.generation == order.generation
    return "applied" if current and not superseded else "late"


def _apply(context: HeadContext, tx: Tx, order: OrderRow, kind: str, body: dict[str, Any]) -> None:
    match kind:
        case "questioned" | "planned" | "analyzed" | "judged" | "weighed" | "summarised":
            apply_answered(context, tx, order, body)
        case "model_waiting":
            apply_waiting_model(tx, order, body)
        case "prepared" | "started" | "signs" | "exited" | "lost" | "collected" | "cleaned" | "stopped":
            apply_run_fact(tx, order, kind, body)
        case "say_waiting":
            apply_waiting_words(tx, order)
            look_at_the_next(tx, order)
        case "spoken":
            apply_spoken(tx, order, body)
            apply_told(tx, order, body)
        case "notified":
            apply_notified(tx, order, body)
        case "candidate_built":
            apply_candidate(tx, order, body)
        case "checked":
            apply_checked(tx, order, body)
        case "accepted":
            apply_accepted(tx, order, body)
        case "published":
            apply_published(tx, order, body)
        case "publish_waiting":
            apply_waiting(tx, order, body)
        case "written":
            apply_written(tx, order, body)
        case "target_opened":
            apply_target_opened(tx, order, body)
        case "refreshed":
            tx.mark(subjects.task(order.task))
        case "scanned":
            apply_scanned(tx, order, body)
        case "surveyed":
            apply_surveyed(tx, order, body)
        case "unadopted":
            apply_unadopted(tx, order, body)
