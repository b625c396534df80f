"""The tools of people about a task's evidence: its facts, its checks again, and their output."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Task
from toryo.daemon.tools.reads.answers import answered
from toryo.daemon.tools.registry import LARGEST, people_tool
from toryo.daemon.tools.remote_reads import until_reported
from toryo.domain.ids import TaskId
from toryo.domain.words import Verdict
from toryo.engine.context import Caller
from toryo.protocol.views import evidence as views
from toryo.usecases.evidence import verify, view
from toryo.usecases.runs import remote_reads
from toryo.usecases.tasks import changes

CHECK_S = 3600
LOOK_S = 20


class CheckOutput(Task):
    order: str = ""
    offset: int = Field(default=0, ge=0, le=LARGEST)


async def get_evidence(head: Head, caller: Caller, args: Task) -> dict[str, Any]:
    return await head.read(view.get_evidence, args.task)


async def verify_task(head: Head, caller: Caller, args: Task) -> views.Verified:
    """Each check of the evidence again, on the same tree."""
    asked = await head.do(verify.order_verification, args.task)
    checks: list[views.CheckedAgain] = []
    for command, order in asked.checks:
        body = await until_reported(head, order, "check", CHECK_S)
        checks.append(
            {
                "command": command,
                "result": body.get("result"),
                "exit_code": body.get("exit_code"),
                "duration_s": body.get("duration_s"),
                "reason": body.get("reason"),
                "output": body.get("tail", ""),
            }
        )
    verdict = remote_reads.verdict_of([str(one["result"]) for one in checks])
    return {
        "success": True,
        "task": TaskId(asked.task),
        "what": asked.what,
        "commit": asked.commit,
        "tree": asked.tree,
        "verdict": verdict,
        "verified": verdict is Verdict.GREEN,
        "unchecked": verdict is Verdict.UNCHECKED,
        "checks": checks,
    }


async def read_check(head: Head, caller: Caller, args: CheckOutput) -> dict[str, Any]:
    """What the check that runs now has printed; `order` of the answer goes on with the same one."""
    read, about = await head.read(changes.check_output, args.task, args.order, args.offset)
    if read is None:
        return {"success": True, **about, "text": "", "next_offset": args.offset}
    found = await answered(head, caller, read, LOOK_S)
    return {"success": True, **about, "text": found["text"], "next_offset": found["next_offset"]}


TOOLS = (
    people_tool("get_evidence", Task, get_evidence, views.Evidence, "The facts a task's status stands on."),
    people_tool(
        "verify_task",
        Task,
        verify_task,
        views.Verified,
        "Run a task's checks again, on what its evidence is about.",
    ),
    people_tool(
        "read_check", CheckOutput, read_check, views.CheckOutput, "What the check that runs now has printed."
    ),
)
