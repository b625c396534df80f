"""The tool that has a branch summarised by the planner's model."""

from __future__ import annotations

from typing import Any

from toryo.daemon.core.changes import place_topic
from toryo.daemon.core.head import Head
from toryo.daemon.tools.branches.calls import LOOK_S, Branch, look
from toryo.daemon.tools.reads.answers import answered
from toryo.daemon.tools.registry import people_tool
from toryo.domain.words import PLANNERS
from toryo.engine.context import Caller, HeadContext
from toryo.protocol.views import repositories as views
from toryo.usecases.branches import summary
from toryo.usecases.runs import remote_reads

MODEL_S = 120.0


async def summarise_branch(head: Head, caller: Caller, args: Branch) -> views.SummarisedBranch:
    about, one = await look(head, caller, args)
    project, commit = about["project"], one["commit"]
    known = await head.read(summary.known, project, [commit])
    if commit in known:
        return _answer(one, known[commit], "", is_known=True)
    await head.read(summary.insist, project)
    log, stat = await head.read(summary.reads, project, one, about["target"])
    commits = (await answered(head, caller, log, LOOK_S))["body"]["commits"]
    changed = str((await answered(head, caller, stat, LOOK_S))["text"])
    order = await head.do(summary.order, project, one, about["target"], commits, changed)

    def question(context: HeadContext) -> tuple[bool, dict[str, Any] | None]:
        return remote_reads.answer(context, order)

    body = await head.until((place_topic(PLANNERS),), MODEL_S, question)
    if body is None:
        await head.do(remote_reads.give_up, order)
        raise summary.NoSummary
    text, model = await head.read(summary.told, body)
    return _answer(one, text, model, is_known=False)


def _answer(one: views.BranchView, text: str, model: str, *, is_known: bool) -> views.SummarisedBranch:
    told = {
        "branch": one["name"],
        "commit": one["commit"],
        "summary": text,
        "model": model,
        "known": is_known,
    }
    return {"success": True, **told}  # type: ignore[typeddict-item]


TOOLS = (
    people_tool(
        "summarise_branch",
        Branch,
        summarise_branch,
        views.SummarisedBranch,
        "What a branch does, in a few words of the planner's model; kept by its commit.",
    ),
)
