"""Subtrees: what a unit's end means for those below it, and its news for the one above."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.ids import MissionId
from toryo.domain.reasons import Reason
from toryo.domain.words import OrderKind, OrderState, TaskStatus, Verb
from toryo.engine.orders.units import close_target
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow, VerbRow
from toryo.store.tables import landings, orders, projects, tasks, verbs

ENDED = (TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED)


def follow_unit(tx: Tx, unit: TaskRow, status: TaskStatus) -> None:
    """Its status changed: its parent looks again, and with its end its subtree ends."""
    if unit.parent:
        tx.mark(subjects.task(unit.parent))
    project = projects.get(tx, unit.project)
    if status is not TaskStatus.RUNNING:
        publish_anew(tx, unit)
    if status not in ENDED or project is None:
        return
    end_children(tx, unit.id, f"{unit.unit}, of which it is a part, is {status}")
    close_target(tx, project, unit)


def end_children(tx: Tx, unit: str, why: str) -> None:
    """Those that have not ended; each ends its own in turn."""
    for child in tasks.children_of(tx, unit):
        if child.unit and child.status not in ENDED:
            cancel(tx, child, why)


def stop_tree(tx: Tx, mission: MissionId, why: str) -> None:
    """It turns in a circle: paused as by a person, who alone lets it go on."""
    said = VerbRow(
        subject=subjects.mission(mission), verb=Verb.PAUSE, reason=Reason.TREE_STOPPED, note=why, at=tx.now
    )
    verbs.add(tx, said)
    tx.mark(subjects.mission(mission))


def publish_anew(tx: Tx, unit: TaskRow) -> None:
    """No run lives in its worktree any more: what waited for that one's files is published over them."""
    target = projects.target(tx, unit.project, unit.branch) if unit.branch else None
    if target is None or not target.waiting_why:
        return
    for order in orders.of_target(tx, unit.project, (OrderKind.PUBLISH,), target.name):
        if order.state in orders.PENDING and not order.inputs.get("set_aside"):
            orders.set_state(tx, order, OrderState.WITHDRAWN)
    projects.update_target(tx, unit.project, target.name, waiting=[], waiting_why="")
    tx.mark(subjects.queue(unit.project, target.name))


def cancel(tx: Tx, row: TaskRow, why: str) -> None:
    """As a person's word would: its run is stopped, what it left is kept."""
    said = VerbRow(
        subject=subjects.task(row.id),
        verb=Verb.CANCEL,
        generation=row.generation,
        landing_seq=landings.newest_seq_of_task(tx, row.id),
        reason=row.reason,
        note=why,
        at=tx.now,
    )
    verbs.add(tx, said)
    tx.emit("task_cancel", {"reason": row.reason, "note": why}, project=row.project, task=row.id)
    tx.mark(subjects.task(row.id))
