"""The tools of the bus: a run posts and reads for its unit, a person sends to any unit and sees its inbox."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.changes import EVENTS
from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Which
from toryo.daemon.tools.registry import AGENTS, LARGEST, Arguments, Tool, people_tool
from toryo.engine.context import Caller, CallerKind, HeadContext
from toryo.protocol.views import bus as views
from toryo.usecases.bus import inbox, send

LONGEST_WAIT_S = 30
OWN_ID = "^(m[a-z0-9]{8,40})?$"
_TYPE = (
    "spawn, task_decomposed, progress, child_completed, result, pr_created, merge_request, conflict_found, "
    "query, response, instruct or log."
)


class OfRun(Arguments):
    session_token: str = Field(default="", description="Only an outside agent gives it.")


class Send(OfRun):
    type: str = Field(description=_TYPE)
    data: dict[str, Any] = Field(
        default_factory=dict, description="`message` is what the reader sees first; a result has `is_error`."
    )
    to: str = Field(default="", description="`unit:ID` of a child of yours; without it your parent.")
    sender: str = Field(default="", description="Your own unit, if you name it.")
    task: str = Field(default="", description="Your own task, if you name it.")
    message: str = Field(
        default="", pattern=OWN_ID, description="An id of your own: the same one is stored once."
    )


class Read(OfRun):
    after: int = Field(
        default=0, ge=0, le=LARGEST, description="`next` of your last call: what is before it you have."
    )
    wait_s: float = Field(default=0, ge=0, le=LONGEST_WAIT_S, description="Wait for something new.")
    peek: bool = Field(default=False, description="Only new ones, and they stay new.")


class SendToUnit(Which):
    to: str = Field(min_length=1, description="`unit:ID`, or its task.")
    type: str = Field(default="instruct", description=_TYPE)
    data: dict[str, Any] = Field(default_factory=dict)
    message: str = Field(default="", pattern=OWN_ID)


class Unit(Which):
    unit: str = Field(min_length=1, description="Its id in the tree (of the newest here), or its task.")


class Inbox(Unit):
    after: int = Field(default=0, ge=0, le=LARGEST)
    limit: int = Field(default=100, ge=1, le=1000)


class Export(Which):
    after: int = Field(default=0, ge=0, le=LARGEST, description="`next` of the page before.")
    limit: int = Field(default=1000, ge=1, le=1000)
    wait_s: float = Field(default=0, ge=0, le=LONGEST_WAIT_S)


async def send_message(head: Head, caller: Caller, args: Send) -> dict[str, Any]:
    wish = send.Post(args.type, args.data, args.to, args.sender, args.task, args.message)
    return await head.do(send.post, _run(caller), args.session_token, wish)


async def read_messages(head: Head, caller: Caller, args: Read) -> dict[str, Any]:
    def ask(context: HeadContext) -> tuple[bool, dict[str, Any]]:
        body = inbox.read_messages(context, _run(caller), args.session_token, args.after, peek=args.peek)
        return any(one["is_new"] for one in body["messages"]), body

    return await head.until((EVENTS,), args.wait_s, ask)


def _run(caller: Caller) -> str:
    return caller.run if caller.kind is CallerKind.RUN else ""


async def send_to_unit(head: Head, caller: Caller, args: SendToUnit) -> views.SentMessage:
    return await head.do(
        send.send_to_unit, args.type, args.data, args.to, args.message, args.project, args.path
    )


async def list_messages(head: Head, caller: Caller, args: Inbox) -> views.ListedMessages:
    return await head.read(inbox.list_messages, args.unit, args.project, args.path, args.after, args.limit)


async def clear_messages(head: Head, caller: Caller, args: Unit) -> views.ClearedMessages:
    return await head.do(inbox.clear_messages, args.unit, args.project, args.path)


async def export_messages(head: Head, caller: Caller, args: Export) -> views.ExportedMessages:
    def ask(context: HeadContext) -> tuple[bool, views.ExportedMessages]:
        body = inbox.export_messages(context, args.after, args.limit, args.project, args.path)
        return bool(body["messages"]), body

    return await head.until((EVENTS,), args.wait_s, ask)


TOOLS = (
    Tool(
        "send_message", AGENTS, Send, send_message, "Tell your parent unit, or a child of yours, something."
    ),
    Tool(
        "read_messages", AGENTS, Read, read_messages, "What your parent, your children or a person told you."
    ),
    people_tool("send_to_unit", SendToUnit, send_to_unit, views.SentMessage, "Tell a unit something."),
    people_tool(
        "list_messages",
        Inbox,
        list_messages,
        views.ListedMessages,
        "What a unit was sent, and what became of it.",
    ),
    people_tool(
        "clear_messages",
        Unit,
        clear_messages,
        views.ClearedMessages,
        "Say that you have seen to its dead letters.",
    ),
    people_tool(
        "export_messages", Export, export_messages, views.ExportedMessages, "Every message, as in bus.jsonl."
    ),
)
