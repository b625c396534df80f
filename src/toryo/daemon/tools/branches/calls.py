"""The tools of people about one branch: its details, and what a person does with it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Said, Which
from toryo.daemon.tools.missions.opening import open_target
from toryo.daemon.tools.reads.answers import answered
from toryo.daemon.tools.registry import people_tool
from toryo.daemon.tools.remote_reads import until_reported
from toryo.daemon.tools.tasks import submit_task
from toryo.engine.context import Caller
from toryo.protocol.views import repositories as views
from toryo.usecases.branches import branches, drop, merge, summary
from toryo.usecases.branches import open as opening
from toryo.usecases.runs.remote_reads import refuse_problem

LOOK_S = 20
ORDER_S = 60


class Branch(Which):
    branch: str = Field(min_length=1, max_length=500, description="The branch's name.")

    def where(self) -> tuple[str, str]:
        return self.project, self.path


class DeleteBranch(Branch):
    commit: str = Field(
        default="",
        max_length=64,
        description="Only if it is still at this commit; left out: where it is now.",
    )


class MergeBranch(Branch):
    onto: str = Field(default="", max_length=500, description="Another target than the project's.")
    note: str = Field(default="", description="Why; kept, and read by an agent that has to finish it.")


class StartOnBranch(Branch):
    agent: str = Field(min_length=1, description="An agent whose client is an agent CLI.")


async def look(
    head: Head, caller: Caller, args: Branch, onto: str = ""
) -> tuple[dict[str, Any], views.BranchView]:
    """What is asked about (project, target), and the branch as it is now."""
    read = await head.read(branches.look, args.where(), args.branch, onto)
    answer = await answered(head, caller, read, LOOK_S)
    return read.about, branches.found(read.about, answer)


async def show_branch(head: Head, caller: Caller, args: Branch) -> dict[str, Any]:
    about, one = await look(head, caller, args)
    known = await head.read(branches.details, about["project"], one)
    made = await head.read(summary.known, about["project"], [one["commit"]])
    if one["commit"] in made:
        one["summary"] = made[one["commit"]]
    return {"success": True, "project": about["project"], "target": about["target"], "branch": one, **known}


async def delete_branch(head: Head, caller: Caller, args: DeleteBranch) -> views.DeletedBranch:
    about, one = await look(head, caller, args)
    order = await head.do(drop.order, about["project"], one, args.commit, about["target"])
    told = refuse_problem(await until_reported(head, order, "drop_branch", ORDER_S))
    return await head.do(drop.told, about["project"], one["name"], told)


async def merge_branch(head: Head, caller: Caller, args: MergeBranch) -> views.MergedBranch:
    onto = args.onto and (await open_target(head, args.project, args.path, args.onto))[0]
    about, one = await look(head, caller, args, onto)
    project, target = about["project"], about["target"]
    task = await head.read(merge.submitted_instead, project, one) if not onto else ""
    if not task:
        return await head.do(merge.merge, project, one, target, args.note)
    await submit_task(head, caller, Said(task=task, note=args.note))
    told = {"task": task, "title": "", "branch": one["name"], "target": target, "commit": one["commit"]}
    return {"success": True, "submitted": True, **told}  # type: ignore[typeddict-item]


async def open_branch(head: Head, caller: Caller, args: Branch) -> views.OpenedBranch:
    name, told = await _opened(head, caller, args, "")
    return opening.opened(name, told)


async def start_on_branch(head: Head, caller: Caller, args: StartOnBranch) -> views.StartedOnBranch:
    name, told = await _opened(head, caller, args, args.agent)
    return opening.started(name, args.agent, told)


async def _opened(head: Head, caller: Caller, args: Branch, agent: str) -> tuple[str, dict[str, Any]]:
    about, one = await look(head, caller, args)
    order = await head.do(opening.order, about["project"], one, agent)
    return one["name"], refuse_problem(await until_reported(head, order, "open_branch", ORDER_S))


TOOLS = (
    people_tool(
        "show_branch",
        Branch,
        show_branch,
        views.OneBranch,
        "One branch: how far it is, where it is checked out, its task, what may be done.",
    ),
    people_tool(
        "delete_branch",
        DeleteBranch,
        delete_branch,
        views.DeletedBranch,
        "Delete a branch that nobody works on; its commits are kept.",
    ),
    people_tool(
        "merge_branch",
        MergeBranch,
        merge_branch,
        views.MergedBranch,
        "Send a branch through the gate onto what work lands on.",
    ),
    people_tool(
        "open_branch",
        Branch,
        open_branch,
        views.OpenedBranch,
        "A worktree for a branch: where it is checked out, or a new one.",
    ),
    people_tool(
        "start_on_branch",
        StartOnBranch,
        start_on_branch,
        views.StartedOnBranch,
        "Start an agent CLI by hand on a branch, in a window beside the crew.",
    ),
)
