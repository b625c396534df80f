"""The tools of people that read what a run prints: its log, a search in it, its screen, its window."""

from __future__ import annotations

import hashlib

from pydantic import Field

from toryo.daemon.core.changes import EVENTS
from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import RunOrTask
from toryo.daemon.tools.reads.answers import answered
from toryo.daemon.tools.registry import LARGEST, Arguments, people_tool
from toryo.domain.ids import RunId, TaskId
from toryo.engine.context import Caller
from toryo.protocol.views import runs as views
from toryo.usecases.asks import logs

LOG_S = 10
SEARCH_S = 20
WINDOW_S = 10


class Window(Arguments):
    id: str = Field(min_length=1, description="A run's id, or a task's: its newest run.")


class Screen(Window):
    colours: bool = Field(default=False, description="With the escape codes of its colours.")
    seen: str = Field(default="", max_length=64, description="SHA-256 of the text that is known.")
    wait_s: float = Field(default=0, ge=0, le=30, description="So long, while the text is that one.")


class Log(RunOrTask):
    offset: int = Field(default=0, ge=0, le=LARGEST, description="`next_offset` of the piece before.")
    limit: int = Field(default=131072, ge=1, le=262144, description="Bytes at most.")
    wait_s: float = Field(default=0, ge=0, le=30)
    raw: bool = False
    tail: int = Field(
        default=0, ge=0, le=1000, description="So many of its last lines, instead of from `offset`."
    )
    before: int = Field(
        default=0,
        ge=0,
        le=LARGEST,
        description="`start` of a piece: the piece that ends there, instead of from `offset`.",
    )
    colours: bool = Field(default=False, description="With the escape codes of its colours.")


class Search(RunOrTask):
    text: str = Field(min_length=1, max_length=200, description="What the lines hold, as it stands there.")
    any_case: bool = Field(default=False, description="Small and capital letters are the same.")
    offset: int = Field(default=0, ge=0, le=LARGEST, description="`next_offset` of the answer before.")
    limit: int = Field(default=50, ge=1, le=200, description="Lines at most.")


async def attach_run(head: Head, caller: Caller, args: Window) -> views.AttachedRun:
    read = await head.read(logs.window, args.id)
    body = await answered(head, caller, read, WINDOW_S)
    return {"success": True, "argv": body["body"].get("argv", []), "run": RunId(read.about["run"])}


async def read_screen(head: Head, caller: Caller, args: Screen) -> views.ScreenText:
    read = await head.read(logs.screen, args.id, colours=args.colours)
    found = await answered(head, caller, read, WINDOW_S)
    if args.wait_s and hashlib.sha256(found["text"].encode()).hexdigest() == args.seen:
        seen = head.changes.version(EVENTS)
        await head.wait_for_change(EVENTS, seen, min(args.wait_s, 1.0))
        found = await answered(head, caller, read, WINDOW_S)
    size = found["body"]
    return {
        "success": True,
        "run": RunId(read.about["run"]),
        "text": found["text"],
        "columns": int(size["columns"]),
        "rows": int(size["rows"]),
        "cursor": [int(at) for at in size["cursor"]],
    }


async def read_log(head: Head, caller: Caller, args: Log) -> views.LogPage:
    read, has_ended = await head.read(
        logs.log_page,
        args.named(),
        offset=args.offset,
        before=args.before,
        limit=args.limit,
        tail=args.tail,
        raw=args.raw,
        colours=args.colours,
    )
    body = await answered(head, caller, read, LOG_S)
    is_next = not args.tail and not args.before
    if is_next and body["next_offset"] == args.offset and not has_ended and args.wait_s:
        seen = head.changes.version(EVENTS)
        await head.wait_for_change(EVENTS, seen, min(args.wait_s, 1.0))
    about, placed = read.about, body.get("body") or {}
    said = placed.get("said", [])
    return {
        "success": True,
        "run": about["run"],
        "task": about["task"],
        "agent": about["agent"],
        "outcome": about["outcome"],
        "started_at": about["started_at"],
        "ended_at": about["ended_at"],
        "text": body["text"],
        "start": body["start"],
        "next_offset": body["next_offset"],
        "size": body["size"],
        "ended": has_ended and body["ended"],
        "times": placed.get("times", []),
        "said": await head.read(logs.words_in_log, about["run"], said) if said else [],
    }


async def search_log(head: Head, caller: Caller, args: Search) -> views.LogMatches:
    read = await head.read(
        logs.log_search,
        args.named(),
        args.text,
        any_case=args.any_case,
        offset=args.offset,
        limit=args.limit,
    )
    found = await answered(head, caller, read, SEARCH_S)
    return {
        "success": True,
        "run": RunId(read.about["run"]),
        "task": TaskId(read.about["task"]),
        "matches": found["body"]["matches"],
        "next_offset": found["next_offset"],
        "size": found["size"],
        "ended": found["ended"],
    }


TOOLS = (
    people_tool(
        "attach_run", Window, attach_run, views.AttachedRun, "The command line that shows a run's window."
    ),
    people_tool(
        "read_screen", Screen, read_screen, views.ScreenText, "What stands on the screen of a run's window."
    ),
    people_tool(
        "read_log",
        Log,
        read_log,
        views.LogPage,
        "A piece of a run's output, readable; raw: as it was printed.",
    ),
    people_tool(
        "search_log",
        Search,
        search_log,
        views.LogMatches,
        "Lines of a run's output that hold a text; `start` of one is an `offset` of read_log.",
    ),
)
