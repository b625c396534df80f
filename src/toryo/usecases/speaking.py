"""Words of a person for a running agent: an order to the place of its run, kept as events of the task."""

from __future__ import annotations

from typing import Any

from toryo.domain.errors import Refused, UserError
from toryo.domain.words import OrderKind
from toryo.protocol.parts import SayInputs
from toryo.store import runs, texts
from toryo.store.engine import Tx
from toryo.store.rows import OrderRow, RunRow
from toryo.usecases.context import HeadContext
from toryo.usecases.finding import the_run, the_task
from toryo.usecases.ids import new_id
from toryo.usecases.ordering import insert

LONGEST = 50_000
"""Characters: it is typed."""
WITHIN_S = 30.0


def order_say(context: HeadContext, text_id: str, words: str) -> tuple[str, str, str]:
    """(order, message, run)"""
    if not words.strip():
        raise UserError("There is nothing to say.", hint='toryo task say ID "what it should know"')
    if len(words) > LONGEST:
        raise UserError("That is too much to be typed.", hint="Put it into a file and name the file.")
    with context.store.change() as tx:
        run = running(tx, text_id)
        message = new_id("m")
        inputs = SayInputs(run=run.id, message=message, text=texts.put(tx, words))
        order = insert(
            tx,
            OrderKind.SAY,
            f"say/{message}",
            run.coordinator,
            inputs,
            project=run.project,
            task=run.task,
            run=run.id,
            generation=run.generation,
            limit_s=WITHIN_S,
        )
        body = {"message": message, "text": words[:1000]}
        tx.emit("run_told", body, project=run.project, task=run.task, run=run.id)
    return order.id, message, run.id


def running(tx: Tx, text: str) -> RunRow:
    """The live run that is meant, by its own id or its task's; Refused says why there is none to reach."""
    if text.startswith("t"):
        task = the_task(tx, text)
        live = [run for run in runs.of_task(tx, task.id) if run.live]
        if not live:
            hint = f"It is {task.status}: `toryo task show {task.id}`."
            raise Refused(f"Nothing of {task.id} runs now.", hint=hint)
        run = live[-1]
    else:
        run = the_run(tx, text)
    if not run.live:
        raise Refused(f"{run.id} has ended already.", hint=f"`toryo log {run.id}` shows what it printed.")
    if not run.coordinator:
        raise Refused(
            f"{run.id} is an outside agent's run: we did not start it and cannot reach it.",
            hint="Speak to it where it was started.",
        )
    if run.started_at is None:
        raise Refused(f"{run.id} has not started yet.", hint=f"Again in a moment; `toryo run show {run.id}`.")
    return run


def apply_spoken(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    told = {key: body.get(key) for key in ("delivered", "seen", "problem")}
    told["message"] = order.inputs.get("message")
    tx.emit("run_spoken", told, project=order.project, task=order.task, run=order.run)
