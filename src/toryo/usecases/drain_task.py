"""One marked task: gather, decide, and write what was decided."""

from __future__ import annotations

from toryo.domain.transitions import TASK_STATUS, may_follow
from toryo.domain.words import OrderState, TaskStatus, is_at_rest
from toryo.reconciler.decide import decide_task
from toryo.reconciler.decisions import Enqueue
from toryo.reconciler.subjects import Policy
from toryo.store import gather, landings, orders, runs, tasks
from toryo.store.engine import Tx
from toryo.store.rows import LandingRow, TaskRow
from toryo.usecases.facts_of_runs import own_fact
from toryo.usecases.ids import new_id
from toryo.usecases.ordering import insert_wish


def look_at_task(tx: Tx, task_id: str, policy: Policy) -> None:
    row, facts = tasks.get(tx, task_id), gather.task(tx, task_id)
    if row is None or facts is None:
        return
    decision = decide_task(facts, policy)
    for wish in decision.orders:
        insert_wish(tx, wish, row.project)
    for landing_id in decision.end_landings:
        landing = landings.get(tx, landing_id)
        if landing:
            withdraw_landing(tx, landing)
    for run_id in decision.end_runs:
        run = runs.get(tx, run_id)
        if run and run.live:
            own_fact(tx, run, "withdrawn")
    if decision.enqueue:
        _enqueue(tx, row, decision.enqueue)
    purpose = decision.purpose or ""
    if (row.status, row.reason, row.detail, row.next_purpose) == (
        decision.status,
        decision.reason,
        decision.detail,
        purpose,
    ):
        return
    old = TaskStatus(row.status)
    if not may_follow(TASK_STATUS, old, decision.status):  # stored all the same: the facts are right (ADR 35)
        told = {"old": old, "new": decision.status, "reason": decision.reason}
        tx.emit("forbidden_transition", told, project=row.project, task=task_id)
    tasks.set_status(tx, task_id, decision.status, decision.reason, decision.detail, purpose)
    body = {"status": decision.status, "reason": decision.reason, "detail": decision.detail[:500]}
    tx.emit("task_status", body, project=row.project, task=task_id)
    rested = is_at_rest(old, row.reason)
    if rested or is_at_rest(decision.status, decision.reason):
        for dependent in tasks.needed_by(tx, task_id):
            tx.mark(f"task:{dependent}")


def withdraw_landing(tx: Tx, landing: LandingRow) -> None:
    landings.update(tx, landing.id, ended="withdrawn")
    for order in orders.of_landing(tx, landing.id):
        if order.state == OrderState.OPEN:  # one that was taken may be done already: then the ref decides
            orders.set_state(tx, order, OrderState.WITHDRAWN)
    tx.mark(f"queue:{landing.project}/{landing.target}")


def _enqueue(tx: Tx, task: TaskRow, wish: Enqueue) -> None:
    # the same work comes again: whatever ended it the last time was not its fault
    before = [one for one in landings.of_task(tx, task.id) if (one.run, one.head) == (wish.run, wish.head)]
    landing = LandingRow(
        id=new_id("l"),
        project=task.project,
        target=task.target,
        task=task.id,
        run=wish.run,
        generation=wish.generation,
        head=wish.head,
        trusted=wish.trusted,
        priority=task.priority,
        created_at=min((one.created_at for one in before), default=tx.now),
    )
    landings.insert(tx, landing)
    tx.mark(f"task:{task.id}")  # its state is the landing's from now on
    tx.emit("landing_queued", {"landing": landing.id, "head": wish.head}, project=task.project, task=task.id)
    tx.mark(f"queue:{task.project}/{task.target}")
