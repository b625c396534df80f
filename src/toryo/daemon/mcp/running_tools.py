"""The tools about an agent that is at work: look at its window, speak to it, read what it prints."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.changes import EVENTS, place_topic
from toryo.daemon.head import Head
from toryo.daemon.mcp.asking import ask
from toryo.daemon.mcp.people_tools import RunOrTask
from toryo.daemon.mcp.registry import PEOPLE, Arguments, Tool
from toryo.store.rows import OrderRow
from toryo.usecases import answering, asking, speaking
from toryo.usecases.context import Caller, HeadContext

WINDOW_S = 10
LOG_S = 10
NO_ANSWER_BEFORE_S = 0.05


class Attach(Arguments):
    id: str = Field(min_length=1)


class Say(Attach):
    text: str
    message: str = Field(default="", pattern="^(m[a-z0-9]{8,40})?$")
    """Of a caller that may have to ask again: the same id, said once."""


class Log(RunOrTask):
    offset: int = Field(default=0, ge=0)
    limit: int = Field(default=65536, ge=1, le=262144)
    wait_s: float = Field(default=0, ge=0, le=30)
    raw: bool = False


async def attach_run(head: Head, caller: Caller, args: Attach) -> dict[str, Any]:
    order, run = await head.do(asking.order_read_window, args.id)
    body = asking.refuse_problem(await ask(head, order, "read", WINDOW_S))
    return {"success": True, "argv": body["body"].get("argv", []), "run": run}


async def say(head: Head, caller: Caller, args: Say) -> dict[str, Any]:
    answered = await head.do(answering.answer_question, args.id, args.text)
    if answered:
        told = {"run": "", "delivered": False, "seen": False, "waiting": "", "problem": None}
        return {"success": True, "message": args.message, "answered": answered, **told}
    order = await head.do(speaking.order_say, args.id, args.text, args.message)
    body = await _spoken(head, order)
    return {
        "success": True,
        "message": order.inputs["message"],
        "answered": "",
        "run": order.run,
        "delivered": bool(body.get("delivered")),
        "seen": bool(body.get("seen")),
        "waiting": str(body.get("waiting") or ""),
        "problem": body.get("problem"),
    }


async def _spoken(head: Head, order: OrderRow) -> dict[str, Any]:
    """The end of it, or that the words wait for the agent's next step: then they are not withdrawn."""

    def told(context: HeadContext) -> tuple[bool, dict[str, Any] | None]:
        body = speaking.answer(context, order.id)
        return body is not None, body

    def ended(context: HeadContext) -> tuple[bool, dict[str, Any] | None]:
        body = speaking.answer(context, order.id)
        return body is not None and "is_final" in body, body

    topic = place_topic(order.place)
    # not asked at once: the coordinator's own question would have to wait behind it
    await head.wait_for_change(topic, head.changes.version(topic), NO_ANSWER_BEFORE_S)
    body = await head.until((topic,), speaking.WITHIN_S, told)
    if body is not None and "is_final" not in body:
        body = await head.until((topic,), speaking.TAKEN_WITHIN_S, ended)
    if body is not None:
        return body
    await head.do(asking.give_up, order.id)
    silent = asking.nobody_answered("say")
    return {"problem": {"code": "nobody_answered", "message": silent.message, "hint": silent.hint}}


async def read_log(head: Head, caller: Caller, args: Log) -> dict[str, Any]:
    order, run, ended = await head.do(
        asking.order_read_log, args.named(), args.offset, args.limit, raw=args.raw
    )
    body = asking.refuse_problem(await ask(head, order, "read", LOG_S))
    if body["next_offset"] == args.offset and not ended and args.wait_s:
        seen = head.changes.version(EVENTS)
        await head.wait_for_change(EVENTS, seen, min(args.wait_s, 1.0))
    return {
        "success": True,
        "run": run,
        "text": body["text"],
        "next_offset": body["next_offset"],
        "ended": ended and body["ended"],
    }


TOOLS = (
    Tool("attach_run", PEOPLE, Attach, attach_run, "The command line that shows a run's window."),
    Tool(
        "say",
        PEOPLE,
        Say,
        say,
        "Say something to a running agent, or answer one that asks.",
    ),
    Tool("read_log", PEOPLE, Log, read_log, "A piece of a run's output, readable; raw: as it was printed."),
)
