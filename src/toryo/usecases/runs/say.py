"""Messages of a person to a running agent: an order to its run's place, kept as events of the task.

What became of them is folded from that order and its facts, never kept beside them.
"""

from __future__ import annotations

from typing import Any

from toryo.domain.errors import Refused, UserError
from toryo.domain.words import OrderState, TaskStatus
from toryo.engine import messages
from toryo.engine.context import HeadContext
from toryo.engine.ids import new_id
from toryo.engine.messages import say_to
from toryo.store.database.engine import Tx
from toryo.store.database.rows import OrderRow, RunRow, TaskRow
from toryo.store.tables import facts, orders, runs
from toryo.usecases.finding import names_run, the_run, the_task

LONGEST = 50_000
"""Characters: it is typed."""
WITHIN_S = messages.WITHIN_S
TAKEN_WITHIN_S = 2.0
"""So long the speaker waits for an agent that takes its words at its next step."""


def order_say(context: HeadContext, text_id: str, words: str, message: str = "") -> OrderRow:
    """A message that is known by its id is not said again."""
    refuse_words(words)
    with context.store.change() as tx:
        known = orders.by_key(tx, f"say/{message}") if message else None
        if known is not None:
            return known
        run = running(tx, text_id)
        message = message or new_id("m")
        return say_to(tx, run, message, words, key=f"say/{message}", limit_s=WITHIN_S)


def refuse_words(words: str) -> None:
    if not words.strip():
        raise UserError("There is nothing to say.", hint='toryo task say ID "what it should know"')
    if len(words) > LONGEST:
        raise UserError("That is too much to be typed.", hint="Put it into a file and name the file.")


def running(tx: Tx, text: str) -> RunRow:
    """The live run that is meant, by its own id or its task's; Refused says why there is none to reach."""
    if not names_run(text):
        task = the_task(tx, text)
        live = [run for run in runs.of_task(tx, task.id) if run.live]
        if not live:
            raise Refused(f"Nothing of {task.id} runs now.", hint=_later(task))
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


def _later(task: TaskRow) -> str:
    """How the words reach it all the same."""
    if task.status in (TaskStatus.FAILED, TaskStatus.NEEDS_REVIEW, TaskStatus.CANCELLED):
        return f"It is {task.status}; its next run reads them: `toryo task retry {task.id} --note TEXT`."
    return f"It is {task.status}: `toryo task show {task.id}`."


def answer(context: HeadContext, order_id: str) -> dict[str, Any] | None:
    """What `spoken` says, until then `waiting` where the words lie ready; None: nobody took the order."""
    with context.store.read() as tx:
        order = orders.get(tx, order_id)
        told = {fact.kind: fact.body for fact in facts.of_order(tx, order_id) if fact.standing == "applied"}
    if order is not None and order.state == OrderState.REPORTED and "spoken" in told:
        return {**told["spoken"], "is_final": True}
    return {"waiting": told["say_waiting"]["reader"]} if "say_waiting" in told else None
