"""The tools of people about one branch: its details, and what a person does with it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Which
from toryo.daemon.tools.reads.answers import answered
from toryo.daemon.tools.registry import people_tool
from toryo.daemon.tools.remote_reads import until_reported
from toryo.engine.context import Caller
from toryo.protocol.views import repositories as views
from toryo.usecases.branches import branches, drop
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


async def look(head: Head, caller: Caller, args: Branch) -> tuple[dict[str, Any], views.BranchView]:
    """What is asked about (project, target), and the branch as it is now."""
    read = await head.read(branches.look, args.where(), args.branch)
    answer = await answered(head, caller, read, LOOK_S)
    return read.about, branches.found(read.about, answer)


async def show_branch(head: Head, caller: Caller, args: Branch) -> dict[str, Any]:
    about, one = await look(head, caller, args)
    known = await head.read(branches.details, about["project"], one)
    return {"success": True, "project": about["project"], "target": about["target"], "branch": one, **known}


async def delete_branch(head: Head, caller: Caller, args: DeleteBranch) -> views.DeletedBranch:
    about, one = await look(head, caller, args)
    order = await head.do(drop.order, about["project"], one, args.commit, about["target"])
    told = refuse_problem(await until_reported(head, order, "drop_branch", ORDER_S))
    return await head.do(drop.told, about["project"], one["name"], told)


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
)
