"""Task subjects: gather, decide, and write what was decided."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.ids import LandingId, RunId, TaskId
from toryo.domain.transitions import TASK_STATUS, may_follow
from toryo.domain.words import TaskStatus, Verb, is_at_rest
from toryo.engine.bus.delivery import deliver_messages
from toryo.engine.bus.notices import tell_parent
from toryo.engine.facts.runs import own_fact
from toryo.engine.ids import new_id
from toryo.engine.missions.progress import tell_task
from toryo.engine.orders.compose import insert_wish
from toryo.engine.orders.unit_files import refresh
from toryo.engine.subjects.withdrawal import withdraw_landing
from toryo.engine.units.subtrees import follow_unit
from toryo.reconciler.decide import decide_task
from toryo.reconciler.decisions import Enqueue
from toryo.reconciler.subjects import Policy
from toryo.store.database.engine import Tx
from toryo.store.database.rows import LandingRow, TaskRow, VerbRow
from toryo.store.gather import subject_facts
from toryo.store.tables import landings, runs, tasks, verbs


def look_at_task(tx: Tx, task_id: str, policy: Policy) -> None:
    row, facts = tasks.get(tx, task_id), subject_facts.task(tx, task_id)
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
    if decision.pauses:
        _note_pause(tx, row)
    if decision.enqueue:
        _enqueue(tx, row, decision.enqueue)
    if row.unit:
        deliver_messages(tx, row, decision.status)
        if facts.unit and facts.unit.children:
            refresh(tx, row)
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
    if row.unit:
        follow_unit(tx, row, decision.status)
    if row.unit and row.parent:
        tell_parent(tx, row, decision.status, decision.reason, decision.detail)
    if row.mission:
        tell_task(tx, row, decision.status, decision.reason, decision.detail)
        tx.mark(subjects.mission(row.mission))
    rested = is_at_rest(old, row.reason)
    if rested or is_at_rest(decision.status, decision.reason):
        for dependent in tasks.needed_by(tx, task_id):
            tx.mark(subjects.task(TaskId(dependent)))


def _note_pause(tx: Tx, row: TaskRow) -> None:
    """Its live run is stopped by its mission: known of that run, so that the next one goes on with it."""
    said = verbs.of_task(tx, row.id)
    if any(one.verb == Verb.PAUSE_NOW and one.generation == row.generation for one in said):
        return
    fact = VerbRow(
        subject=subjects.task(row.id),
        verb=Verb.PAUSE_NOW,
        generation=row.generation,
        reason=row.reason,
        at=tx.now,
    )
    verbs.add(tx, fact)


def _enqueue(tx: Tx, task: TaskRow, wish: Enqueue) -> None:
    # the same work comes again: whatever ended it the last time was not its fault
    before = [one for one in landings.of_task(tx, task.id) if (one.run, one.head) == (wish.run, wish.head)]
    landing = LandingRow(
        id=LandingId(new_id("l")),
        project=task.project,
        target=task.target,
        task=task.id,
        run=RunId(wish.run),
        generation=wish.generation,
        head=wish.head,
        trusted=wish.trusted,
        priority=task.priority,
        created_at=min((one.created_at for one in before), default=tx.now),
    )
    landings.insert(tx, landing)
    tx.mark(subjects.task(task.id))  # its state is the landing's from now on
    tx.emit("landing_queued", {"landing": landing.id, "head": wish.head}, project=task.project, task=task.id)
    tx.mark(subjects.queue(task.project, task.target))
