"""The tools of people about their own work on a task: submit, retry, revert, and what changed."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.head import Head
from toryo.daemon.mcp.asking import ask
from toryo.daemon.mcp.registry import LARGEST, PEOPLE, Arguments, Tool
from toryo.domain.errors import Refused
from toryo.usecases import asking, changes, hand_runs, reverting
from toryo.usecases.context import Caller

LOOK_S = 20


class Task(Arguments):
    task: str


class Said(Task):
    note: str = ""


class Retry(Said):
    discard: bool = False


class Diff(Task):
    stat: bool = False
    offset: int = Field(default=0, ge=0, le=LARGEST)


class CheckOutput(Task):
    order: str = ""
    offset: int = Field(default=0, ge=0, le=LARGEST)


async def _look(head: Head, task: str) -> dict[str, Any] | None:
    """What the worktree holds beyond what was collected; None: there is nothing to ask about."""
    order = await head.do(hand_runs.order_look, task)
    if not order:
        return None
    answered = await ask(head, order, "read", LOOK_S)
    return dict(answered["body"]) if not answered.get("problem") else {}


async def get_hand_work(head: Head, caller: Caller, args: Task) -> dict[str, Any]:
    """For a front that asks a person first."""
    drops = await head.do(hand_runs.drops_worktree, args.task)
    left = await _look(head, args.task) if drops else None
    held = left is not None and hand_runs.is_hand_work(left)
    return {"success": True, "holds": held, "what": hand_runs.described(left) if left and held else ""}


async def retry_task(head: Head, caller: Caller, args: Retry) -> dict[str, Any]:
    """Start over; not without asking where a person worked in the worktree after its run."""
    keep = False
    if await head.do(hand_runs.drops_worktree, args.task):
        try:
            left = await _look(head, args.task) or {}
        except asking.NobodyAnswered as silent:
            if not args.discard:
                raise Refused(
                    "Nobody could look whether the worktree holds work of yours.",
                    hint=f"`toryo up`, then again; or `toryo task retry {args.task} --discard`.",
                ) from silent
            left = {"files": ["?"]}
        if not args.discard:
            hand_runs.refuse_to_drop(args.task, left)
        keep = hand_runs.is_hand_work(left)
    return await head.do(hand_runs.retry, args.task, args.note, keep=keep)


async def submit_task(head: Head, caller: Caller, args: Said) -> dict[str, Any]:
    await head.do(hand_runs.insist_submittable, args.task)
    left = await _look(head, args.task)
    if left:
        hand_runs.refuse_unfit(args.task, left)
    return await head.do(hand_runs.submit, args.task, args.note)


async def revert_task(head: Head, caller: Caller, args: Said) -> dict[str, Any]:
    return await head.do(reverting.revert, args.task, args.note)


async def read_diff(head: Head, caller: Caller, args: Diff) -> dict[str, Any]:
    order, about = await head.do(changes.order_diff, args.task, stat=args.stat, offset=args.offset)
    found = asking.refuse_problem(await ask(head, order, "read", LOOK_S))
    told = {"text": found["text"], "next_offset": found["next_offset"], "ended": found["ended"]}
    return {"success": True, **about, **told}


async def read_check(head: Head, caller: Caller, args: CheckOutput) -> dict[str, Any]:
    """What the check that runs now has printed; `order` of the answer goes on with the same one."""
    asked = await head.do(changes.order_check_output, args.task, args.order, args.offset)
    if not asked.order:
        return {"success": True, **asked.about, "text": "", "next_offset": args.offset}
    found = asking.refuse_problem(await ask(head, asked.order, "read", LOOK_S))
    return {"success": True, **asked.about, "text": found["text"], "next_offset": found["next_offset"]}


def _tool(name: str, arguments: type[Arguments], handler: Any, description: str) -> Tool:
    return Tool(name, PEOPLE, arguments, handler, description)


TOOLS = (
    _tool("retry_task", Retry, retry_task, "Start over with a failed, cancelled or reviewed task."),
    _tool("submit_task", Said, submit_task, "Send what a task's worktree holds now through the gate."),
    _tool("revert_task", Said, revert_task, "Land the reverse of a done task."),
    _tool("get_hand_work", Task, get_hand_work, "Whether a retry would drop a person's own work."),
    _tool("read_diff", Diff, read_diff, "What a task changed."),
    _tool("read_check", CheckOutput, read_check, "What the check that runs now has printed."),
)
