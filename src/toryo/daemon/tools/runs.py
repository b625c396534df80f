"""The tools of people about runs: list, stop, release, restore, speak."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.changes import place_topic
from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import RunOrTask
from toryo.daemon.tools.registry import Arguments, people_tool
from toryo.daemon.tools.remote_reads import until_reported
from toryo.domain.errors import UserError
from toryo.engine.context import Caller, HeadContext
from toryo.protocol.views import runs as views
from toryo.store.database.rows import OrderRow
from toryo.usecases.runs import remote_reads, runs
from toryo.usecases.runs import say as speaking
from toryo.usecases.tasks import answer

RESTORE_S = 120
NO_ANSWER_BEFORE_S = 0.05


class Runs(Arguments):
    task: str = Field(default="", description="Only of this task.")
    project: str = Field(default="", description="Only of this project, by name or id.")
    limit: int = Field(default=50, ge=1, le=1000)


class Run(Arguments):
    run: str


class Restore(RunOrTask):
    destination: str = ""
    worktree: bool = False


class Say(Arguments):
    id: str = Field(min_length=1, description="A run's id, or a task's: its newest run.")
    text: str
    message: str = Field(
        default="",
        pattern="^(m[a-z0-9]{8,40})?$",
        description="An id of your own: with the same one a repeated call says it only once.",
    )


async def list_runs(head: Head, caller: Caller, args: Runs) -> views.ListedRuns:
    return await head.read(runs.list_runs, args.task, args.project, args.limit)


async def get_run(head: Head, caller: Caller, args: Run) -> views.OneRun:
    return await head.read(runs.get_run, args.run)


async def stop_run(head: Head, caller: Caller, args: Run) -> views.StoppedRun:
    return await head.do(runs.stop_run, args.run)


async def release_run(head: Head, caller: Caller, args: Run) -> views.ReleasedRun:
    return await head.do(runs.release_run, args.run)


async def restore_snapshot(head: Head, caller: Caller, args: Restore) -> views.RestoredSnapshot:
    if bool(args.destination) == args.worktree:
        raise UserError("Where to is not said.", hint="Give `destination`, or `worktree` for where it was.")
    order = await head.do(remote_reads.order_restore, args.named(), args.destination, worktree=args.worktree)
    body = remote_reads.refuse_problem(await until_reported(head, order, "restore", RESTORE_S))
    return {"success": True, "path": body["path"], "files": body["files"], "branch": body["branch"]}


async def say(head: Head, caller: Caller, args: Say) -> dict[str, Any]:
    answered = await head.do(answer.answer_question, args.id, args.text)
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
    await head.do(remote_reads.give_up, order.id)
    silent = remote_reads.nobody_answered("say")
    return {"problem": {"code": "nobody_answered", "message": silent.message, "hint": silent.hint}}


TOOLS = (
    people_tool("list_runs", Runs, list_runs, views.ListedRuns, "Runs, newest first."),
    people_tool("get_run", Run, get_run, views.OneRun, "One run, with how it ended."),
    people_tool("stop_run", Run, stop_run, views.StoppedRun, "Ask a run to leave."),
    people_tool(
        "release_run", Run, release_run, views.ReleasedRun, "Say that nothing of a run lives any more."
    ),
    people_tool(
        "restore_snapshot",
        Restore,
        restore_snapshot,
        views.RestoredSnapshot,
        "Write what a run left into a new directory.",
    ),
    people_tool(
        "say",
        Say,
        say,
        views.Spoken,
        "Say something to a running agent, or answer one that asks.",
    ),
)
