"""Messages to a run: the order that says them, and how far each came, folded from orders and their facts."""

from __future__ import annotations

from typing import Any, Literal

from toryo.domain.times import iso
from toryo.domain.words import OrderKind
from toryo.engine.orders.insertion import insert
from toryo.protocol.kinds.say import SayInputs
from toryo.protocol.views import runs as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import OrderRow, RunRow
from toryo.store.tables import facts, orders, texts

UNHEARD = "unheard"
SHOWN = 1000
"""Characters of them in an event."""
WITHIN_S = 30.0
"""So long words may take to be typed; those that wait for an agent's next step may take longer."""


def say_to(
    tx: Tx,
    run: RunRow,
    message: str,
    words: str,
    *,
    key: str,
    speaker: Literal["person", "unit"] = "person",
    limit_s: float = WITHIN_S,
) -> OrderRow:
    """The order to say these words to that run, after all that was said to it before."""
    number = orders.times_said(tx, run.id) + 1
    inputs = SayInputs(run=run.id, message=message, text=texts.put(tx, words), speaker=speaker, number=number)
    order = insert(
        tx,
        OrderKind.SAY,
        key,
        run.coordinator,
        inputs,
        project=run.project,
        task=run.task,
        run=run.id,
        generation=run.generation,
        limit_s=limit_s,
        # by the only one who can: that it was asked for needs no commit of its own
        taken_by=run.coordinator,
    )
    body = {"message": message, "text": words[:SHOWN]}
    tx.emit("run_told", body, project=run.project, task=run.task, run=run.id)
    return order


def apply_waiting_words(tx: Tx, order: OrderRow) -> None:
    """Decides nothing; a caller that waits for the answer is woken and reads again."""
    tx.touch_place(order.place)


def apply_spoken(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    kind, told = "run_spoken", {key: body.get(key) for key in ("delivered", "seen", "problem")}
    if (body.get("problem") or {}).get("code") == UNHEARD:
        kind, told = "run_unheard", {"text": _text(tx, order)[:SHOWN]}
    told["message"] = order.inputs.get("message")
    tx.emit(kind, told, project=order.project, task=order.task, run=order.run)


def words_of(tx: Tx, run: str) -> list[views.WordsView]:
    """What was said to a run, the oldest first, and how far it came."""
    return [_words(tx, order) for order in orders.said_to(tx, run)]


def _words(tx: Tx, order: OrderRow) -> views.WordsView:
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
