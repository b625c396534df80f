"""Changes of a task: the commits that are compared, its files, and the check that runs on it now."""

from __future__ import annotations

from typing import Any

from toryo.domain.times import iso
from toryo.domain.words import OrderKind, OrderState
from toryo.engine.context import HeadContext
from toryo.protocol.asks import CheckRead
from toryo.protocol.views import tasks as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import LandingRow, OrderRow, TaskRow
from toryo.store.tables import gates, landings, orders, runs
from toryo.usecases.asks.read import Read, insist_heard
from toryo.usecases.finding import the_task


def compared(tx: Tx, row: TaskRow) -> tuple[str, str]:
    """Of a landing what it brought to the target; before that, the branch against what it began from."""
    mine = [one for one in landings.of_task(tx, row.id) if one.accepted_at is not None]
    if mine and mine[-1].candidate != mine[-1].old_tip:
        return mine[-1].old_tip, mine[-1].candidate
    worked = [run for run in runs.of_task(tx, row.id) if (run.collected or {}).get("head")]
    if not worked:
        return "", ""
    last = worked[-1]
    landing = next((one for one in reversed(landings.of_task(tx, row.id)) if one.candidate), None)
    if landing is not None and landing.run == last.id and landing.candidate != landing.old_tip:
        return landing.old_tip, landing.candidate
    return row.base_commit or last.start_commit, str((last.collected or {})["head"])


def changed_files(tx: Tx, task_id: str) -> list[str]:
    """Of the newest run that brought something; with what it brought before, since its base."""
    for run in reversed(runs.of_task(tx, task_id)):
        files = (run.collected or {}).get("changed_files")
        if files:
            return list(files)
    return []


def running_check(tx: Tx, row: TaskRow) -> views.RunningCheck | None:
    """The check that is carried out for the task now: its command, its number, and since when."""
    landing, order = _checking(tx, row)
    gate = gates.get(tx, landing.gate) if landing else None
    if order is None or gate is None:
        return None
    commands = [str(one["command"]) for one in gate.checks]
    command = str(order.inputs["command"])
    return {
        "command": command,
        "number": commands.index(command) + 1 if command in commands else 1,
        "of": len(commands),
        "attempt": int(order.inputs.get("attempt") or 1),
        "started": order.state == OrderState.TAKEN,
        "since": iso(order.created_at),
        "order": order.id,
    }


def _checking(tx: Tx, row: TaskRow) -> tuple[LandingRow | None, OrderRow | None]:
    alive = [one for one in landings.of_task(tx, row.id) if not one.ended and one.gate]
    if not alive:
        return None, None
    pending = [one for one in orders.of_gate(tx, alive[-1].gate) if one.kind == OrderKind.CHECK]
    live = [one for one in pending if one.state in (OrderState.OPEN, OrderState.TAKEN)]
    return alive[-1], live[-1] if live else None


def check_output(
    context: HeadContext, text: str, known: str, offset: int
) -> tuple[Read | None, dict[str, Any]]:
    """The read, None while no check runs, or nobody has begun it; and what is told besides.

    `known`: the check that was read before; another one is read from its beginning."""
    with context.store.read() as tx:
        row = the_task(tx, text)
        check = running_check(tx, row)
        order = orders.get(tx, check["order"]) if check else None
        about = {"task": row.id, "status": row.status, "check": check}
        if check is None or order is None or not order.taken_by:
            return None, about
        insist_heard(tx, order.taken_by)
    start = offset if known == order.id else 0
    return Read(order.taken_by, CheckRead(order=order.id, offset=start)), about
