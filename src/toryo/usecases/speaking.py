"""Words of a person for a running agent: an order to the place of its run, kept as events of the task.

What became of them is folded from that order and its facts, never kept beside them.
"""

from __future__ import annotations

from typing import Any

from toryo.domain.errors import Refused, UserError
from toryo.domain.times import iso
from toryo.domain.words import OrderKind, OrderState, TaskStatus
from toryo.protocol.parts import SayInputs
from toryo.store import facts, orders, runs, texts
from toryo.store.engine import Tx
from toryo.store.rows import OrderRow, RunRow, TaskRow
from toryo.usecases.context import HeadContext
from toryo.usecases.finding import names_run, the_run, the_task
from toryo.usecases.ids import new_id
from toryo.usecases.ordering import insert

LONGEST = 50_000
"""Characters: it is typed."""
WITHIN_S = 30.0
TAKEN_WITHIN_S = 2.0
"""So long the speaker waits for an agent that takes its words at its next step."""
SHOWN = 1000
"""Characters of them in an event."""
UNHEARD = "unheard"


def order_say(context: HeadContext, text_id: str, words: str, message: str = "") -> OrderRow:
    """A message that is known by its id is not said again."""
    refuse_words(words)
    with context.store.change() as tx:
        known = orders.by_key(tx, f"say/{message}") if message else None
        if known is not None:
            return known
        run = running(tx, text_id)
        message = message or new_id("m")
        number = orders.times_said(tx, run.id) + 1
        inputs = SayInputs(run=run.id, message=message, text=texts.put(tx, words), number=number)
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
            # by the only one who can: that it was asked for needs no commit of its own
            taken_by=run.coordinator,
        )
        body = {"message": message, "text": words[:SHOWN]}
        tx.emit("run_told", body, project=run.project, task=run.task, run=run.id)
    return order


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


def apply_waiting_words(tx: Tx, order: OrderRow) -> None:
    """Nothing is decided by it; whoever waits for the answer looks again."""
    tx.touch_place(order.place)


def apply_spoken(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    kind, told = "run_spoken", {key: body.get(key) for key in ("delivered", "seen", "problem")}
    if (body.get("problem") or {}).get("code") == UNHEARD:
        kind, told = "run_unheard", {"text": _text(tx, order)[:SHOWN]}
    told["message"] = order.inputs.get("message")
    tx.emit(kind, told, project=order.project, task=order.task, run=order.run)


def answer(context: HeadContext, order_id: str) -> dict[str, Any] | None:
    """What `spoken` says, until then `waiting` where the words lie ready; None: nobody took the order."""
    with context.store.read() as tx:
        order = orders.get(tx, order_id)
        told = {fact.kind: fact.body for fact in facts.of_order(tx, order_id) if fact.standing == "applied"}
    if order is not None and order.state == OrderState.REPORTED and "spoken" in told:
        return {**told["spoken"], "is_final": True}
    return {"waiting": told["say_waiting"]["reader"]} if "say_waiting" in told else None


def words_of(tx: Tx, run: str) -> list[dict[str, Any]]:
    """What was said to a run, the oldest first, and how far it came."""
    return [_words(tx, order) for order in orders.said_to(tx, run)]


def _words(tx: Tx, order: OrderRow) -> dict[str, Any]:
    told = {fact.kind: fact.body for fact in facts.of_order(tx, order.id) if fact.standing == "applied"}
    spoken, detail = told.get("spoken"), ""
    if spoken is None:
        state = "waiting" if order.state in orders.PENDING else "unknown"
    elif problem := spoken.get("problem"):
        state = UNHEARD if problem["code"] == UNHEARD else "undelivered"
        detail = str(problem["message"])
    else:
        state = "heard" if spoken.get("delivered") else "unknown"
    return {
        "message": order.inputs.get("message"),
        "text": _text(tx, order),
        "state": state,
        "detail": detail,
        "said_at": iso(order.created_at),
        "ended_at": iso(order.ended_at) if order.ended_at is not None else None,
    }


def _text(tx: Tx, order: OrderRow) -> str:
    return texts.get(tx, str(order.inputs.get("text"))) or ""
