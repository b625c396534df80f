"""The tools about an agent that is at work: look at its window, speak to it, read what it prints."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.changes import EVENTS
from toryo.daemon.head import Head
from toryo.daemon.mcp.asking import ask
from toryo.daemon.mcp.people_tools import RunOrTask
from toryo.daemon.mcp.registry import PEOPLE, Arguments, Tool
from toryo.usecases import asking, speaking
from toryo.usecases.context import Caller

WINDOW_S = 10
LOG_S = 10


class Attach(Arguments):
    id: str = Field(min_length=1)


class Say(Attach):
    text: str


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
    order, message, run = await head.do(speaking.order_say, args.id, args.text)
    try:
        body = await ask(head, order, "say", speaking.WITHIN_S)
    except asking.NobodyAnswered as silent:
        body = {"problem": {"code": "nobody_answered", "message": silent.message, "hint": silent.hint}}
    return {
        "success": True,
        "message": message,
        "run": run,
        "delivered": bool(body.get("delivered")),
        "seen": bool(body.get("seen")),
        "problem": body.get("problem"),
    }


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
    Tool("say", PEOPLE, Say, say, "Say something to a running agent."),
    Tool("read_log", PEOPLE, Log, read_log, "A piece of a run's output, readable; raw: as it was printed."),
)
