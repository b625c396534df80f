"""The tools of people about the installation: status, events, doctor, recompute."""

from __future__ import annotations

import contextlib
from typing import Any

from pydantic import Field

from toryo.daemon.core.changes import EVENTS
from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Which
from toryo.daemon.tools.projects import read_working_copies
from toryo.daemon.tools.registry import LARGEST, Arguments, Nothing, people_tool
from toryo.domain.errors import DiskFull
from toryo.engine.context import Caller, HeadContext
from toryo.protocol.views import status as views
from toryo.usecases.asks import machines
from toryo.usecases.runs.remote_reads import NobodyAnswered
from toryo.usecases.status import doctor as doctoring
from toryo.usecases.status import events, recompute, status

HEALTH_S = 20


class Events(Arguments):
    after: int = Field(default=0, ge=-1, le=LARGEST, description="The last `seq` that you read.")
    limit: int = Field(default=100, ge=1, le=1000)
    last: int = Field(
        default=0, ge=0, le=1000, description="So many of the newest, instead of those after a place."
    )
    before: int = Field(
        default=0, ge=0, le=LARGEST, description="With `last`: the newest of those before this `seq`."
    )
    wait_s: float = Field(default=0, ge=0, le=30, description="Seconds to wait for the next one.")
    project: str = ""
    task: str = ""
    kind: str = ""
    subject: str = Field(default="", description="`kind:name`, such as `target:PROJECT/main`.")
    plumbing: bool = Field(default=True, description="Also what tells only of Toryo's machinery.")
    titles: bool = False


async def list_events(head: Head, caller: Caller, args: Events) -> views.EventPage:
    def question(context: HeadContext) -> tuple[bool, views.EventPage]:
        asked = events.EventsAsked(
            after=args.after,
            limit=args.limit,
            last=args.last,
            before=args.before,
            project=args.project,
            task=args.task,
            kind=args.kind,
            subject=args.subject,
            plumbing=args.plumbing,
            titles=args.titles,
        )
        return events.list_events(context, asked)

    if not args.wait_s:
        _, answer = await head.read(question)
        return answer
    return await head.read_until((EVENTS,), args.wait_s, question)


async def get_status(head: Head, caller: Caller, args: Which) -> views.Status:
    return await head.read(status.get_status, args.project, args.path)


async def doctor(head: Head, caller: Caller, args: Nothing) -> views.Doctor:
    """What the store knows, and what a coordinator of each machine sees there now."""
    seen: dict[str, dict[str, Any] | None] = {}
    with contextlib.suppress(DiskFull):  # nobody can be asked: that is what is found then
        seen = await _look_around(head, caller)
    return await head.read(doctoring.doctor, seen)


async def _look_around(head: Head, caller: Caller) -> dict[str, dict[str, Any] | None]:
    """By machine, what a coordinator there answers."""
    await read_working_copies(head, "")
    seen: dict[str, dict[str, Any] | None] = {}
    for machine, read in await head.read(machines.health):
        try:
            answered = await head.asks.ask(caller.connection, read, HEALTH_S)
        except NobodyAnswered:
            answered = {}
        seen[machine] = answered.get("body")
    return seen


async def recompute_all(head: Head, caller: Caller, args: Nothing) -> views.Recomputed:
    """Page by page, so that other calls get their turn.

    In the writer: beside it a page could show facts whose drain is still to come, a false difference."""
    differences: list[views.Difference] = []
    after = compared = 0
    while True:
        after, number, found = await head.do(recompute.recompute, after)
        compared += number
        differences += found
        if not after:
            break
    return {"success": True, "compared": compared, "differences": differences}


TOOLS = (
    people_tool(
        "list_events",
        Events,
        list_events,
        views.EventPage,
        "Events after a place, waiting for the next if wanted.",
    ),
    people_tool("get_status", Which, get_status, views.Status, "What is going on."),
    people_tool("doctor", Nothing, doctor, views.Doctor, "What is wrong, with the line to type."),
    people_tool(
        "recompute", Nothing, recompute_all, views.Recomputed, "Compare the caches with the raw facts."
    ),
)
