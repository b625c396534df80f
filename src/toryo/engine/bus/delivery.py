"""Delivery of messages to units: to a living run in the order of the store, or in the next prompt.

A message is stored first, and noted as delivered only when its run was seen to have it: it may be told twice,
and is never lost. Which message is next, the reconciler decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toryo.domain import subjects
from toryo.domain.ids import TaskId
from toryo.domain.words import OrderState, Outcome, TaskStatus
from toryo.engine.bus.letters import line_of
from toryo.engine.messages import UNHEARD, say_to
from toryo.reconciler.bus.delivery import MOST_TRIES, State, Try, Waiting, decide
from toryo.store.database.engine import Tx
from toryo.store.database.rows import OrderRow, RunRow, TaskRow
from toryo.store.database.unit_rows import UnitMessageRow
from toryo.store.tables import facts, orders, runs
from toryo.store.tables.units import unit_messages

DEAF = "no_screen"
"""The code of a run whose agent cannot be spoken to."""
_OVER = (TaskStatus.DONE, TaskStatus.CANCELLED)
_MAY_NOT_HAVE_READ = (Outcome.LOST, Outcome.PARKED)


def store(tx: Tx, row: UnitMessageRow, project: str) -> bool:
    """Keep it and have its receiver looked at; False: it is known already."""
    if not unit_messages.insert(tx, row):
        return False
    told = {"message": row.id, "type": row.type, "from": row.sender, "to": row.receiver}
    tx.emit("message_stored", told, project=project, task=row.receiver or row.sender or row.task)
    if row.receiver:
        tx.mark(subjects.task(TaskId(row.receiver)))
    return True


def deliver_messages(tx: Tx, task: TaskRow, status: TaskStatus) -> None:
    """Have the unit's living run told what waits for it."""
    waiting = unit_messages.waiting(tx, task.id)
    if not waiting:
        return
    if status in _OVER:
        _bury(tx, task, waiting)
        return
    run = next((one for one in reversed(runs.of_task(tx, task.id)) if one.live), None)
    if run is None or not run.coordinator or run.started_at is None:
        return
    open_ones = {row.id: row for row in waiting if not row.dead}
    said = {str(order.inputs.get("message")): order for order in orders.said_to(tx, run.id)}
    decision = decide(
        [Waiting(row.id, row.attempts) for row in open_ones.values()],
        {name: _tried(tx, order) for name, order in said.items() if name in open_ones},
        tx.now,
    )
    for name in decision.tell:
        key = f"say/{name}/{run.id}/{orders.times_said(tx, run.id) + 1}"
        say_to(tx, run, name, line_of(tx, open_ones[name]), key=key, speaker="unit")
    if decision.look_at is not None:
        tx.mark(subjects.task(task.id), decision.look_at)


def _tried(tx: Tx, order: OrderRow) -> Try:
    told = {one.kind: one.body for one in facts.of_order(tx, order.id) if one.standing == "applied"}
    if order.state in orders.PENDING:
        return Try(State.READY if "say_waiting" in told else State.ASKED)
    if order.state == OrderState.REPORTED and _problem(told.get("spoken") or {}) == DEAF:
        return Try(State.DEAF)
    return Try(State.FAILED, order.ended_at or 0)


def _problem(body: Mapping[str, Any]) -> str:
    return str((body.get("problem") or {}).get("code") or "")


def _bury(tx: Tx, task: TaskRow, waiting: Sequence[UnitMessageRow]) -> None:
    """No run of the unit comes any more."""
    for row in waiting:
        if not row.dead:
            unit_messages.fail(tx, row, attempts=row.attempts, dead=True)
            tx.emit("message_dead", {"message": row.id}, project=task.project, task=task.id)


def look_at_the_next(tx: Tx, order: OrderRow) -> None:
    """Words that lie ready let the next ones lie behind them."""
    if order.inputs.get("speaker") == "unit":
        tx.mark(subjects.task(order.task))


def apply_told(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    """Of a unit's message: it was seen or taken, or the try failed."""
    if order.inputs.get("speaker") != "unit":
        return
    tx.mark(subjects.task(order.task))
    row = unit_messages.get(tx, str(order.inputs.get("message")))
    if row is None or row.delivered_at is not None:
        return
    code = _problem(body)
    if not code and (body.get("delivered") or body.get("seen")):
        unit_messages.deliver(tx, (row,), order.run)
    elif code not in (DEAF, UNHEARD):  # those say nothing against the next prompt
        attempts = row.attempts + 1
        is_dead = attempts >= MOST_TRIES
        unit_messages.fail(tx, row, attempts=attempts, dead=is_dead)
        told = {"message": row.id, "attempts": attempts, "problem": body.get("problem")}
        kind = "message_dead" if is_dead else "message_undelivered"
        tx.emit(kind, told, project=order.project, task=order.task, run=order.run)


def for_prompt(tx: Tx, task: TaskRow) -> list[UnitMessageRow]:
    """What the unit's next run is told at its beginning, the oldest first.

    Also what was told to a run that may have ended before it read it."""
    if not task.unit:
        return []
    found = {row.seq: row for row in unit_messages.waiting(tx, task.id)}
    last = next(reversed(runs.of_task(tx, task.id)), None)
    if last is not None and (last.started_at is None or last.outcome in _MAY_NOT_HAVE_READ):
        found |= {row.seq: row for row in unit_messages.told_to(tx, task.id, last.id)}
    return [found[seq] for seq in sorted(found)]


def prompt_lines(tx: Tx, task: TaskRow) -> tuple[str, ...]:
    return tuple(line_of(tx, row) for row in for_prompt(tx, task))


def note_prompted(tx: Tx, task: TaskRow, run: RunRow) -> None:
    """Before the run is kept: its prompt has them all."""
    unit_messages.deliver(tx, for_prompt(tx, task), run.id)


def note_read(tx: Tx, rows: Sequence[UnitMessageRow], run: RunRow) -> None:
    """The run read these itself: what was on its way to its screen need not be typed."""
    unit_messages.deliver(tx, rows, run.id)
    names = {row.id for row in rows}
    for order in orders.said_to(tx, run.id):
        if order.state in orders.PENDING and order.inputs.get("message") in names:
            orders.set_state(tx, order, OrderState.WITHDRAWN)
