"""The tools of people that read a repository: a task's diff, commits, files, folders, branches."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Task, Which
from toryo.daemon.tools.reads.answers import answered
from toryo.daemon.tools.registry import LARGEST, people_tool
from toryo.engine.context import Caller
from toryo.protocol.views import repositories as views
from toryo.protocol.views.evidence import DiffPage
from toryo.usecases.asks import repositories
from toryo.usecases.branches import summary

LOOK_S = 20
OFFSET = "`next_offset` of the answer before."


class Diff(Task):
    stat: bool = Field(default=False, description="Only the files and how much of each changed.")
    offset: int = Field(default=0, ge=0, le=LARGEST, description="`next_offset` of the piece before.")


class InRepository(Which):
    task: str = Field(default="", description="A task's id; or give `project` or `path`.")
    offset: int = Field(default=0, ge=0, le=LARGEST, description=OFFSET)

    def where(self) -> tuple[str, str]:
        return self.project, self.path


class Commits(InRepository):
    base: str = Field(default="", max_length=500, description="Left out is what this has.")
    head: str = Field(default="", max_length=500, description="A branch or commit; the project's branch.")
    limit: int = Field(default=100, ge=1, le=300)


class AtCommit(InRepository):
    commit: str = Field(
        default="", max_length=500, description="A branch or commit; what the task made, or the branch."
    )


class File(AtCommit):
    file: str = Field(min_length=1, max_length=4096, description="Its path in the repository.")


class Folder(AtCommit):
    folder: str = Field(default="", max_length=4096, description="Its path in the repository.")


class Branches(Which):
    target: str = Field(
        default="", max_length=500, description="The branch that the others are compared with."
    )
    offset: int = Field(default=0, ge=0, le=LARGEST, description=OFFSET)
    limit: int = Field(default=100, ge=1, le=200)


async def read_diff(head: Head, caller: Caller, args: Diff) -> dict[str, Any]:
    read = await head.read(repositories.diff, args.task, stat=args.stat, offset=args.offset)
    found = await answered(head, caller, read, LOOK_S)
    told = {name: found[name] for name in ("text", "next_offset", "size", "ended")}
    return {"success": True, **read.about, **told}


async def list_commits(head: Head, caller: Caller, args: Commits) -> dict[str, Any]:
    read = await head.read(
        repositories.commits, args.task, args.where(), args.base, args.head, args.offset, args.limit
    )
    return _listed(read.about, await answered(head, caller, read, LOOK_S))


async def read_file(head: Head, caller: Caller, args: File) -> dict[str, Any]:
    read = await head.read(repositories.file, args.task, args.where(), args.commit, args.file, args.offset)
    found = await answered(head, caller, read, LOOK_S)
    told = {name: found[name] for name in ("text", "next_offset", "size", "ended")}
    return {"success": True, **read.about, **found["body"], **told}


async def read_tree(head: Head, caller: Caller, args: Folder) -> dict[str, Any]:
    read = await head.read(repositories.tree, args.task, args.where(), args.commit, args.folder, args.offset)
    return _listed(read.about, await answered(head, caller, read, LOOK_S))


async def list_branches(head: Head, caller: Caller, args: Branches) -> dict[str, Any]:
    read = await head.read(
        repositories.branches, (args.project, args.path), args.target, args.offset, args.limit
    )
    told = _listed(read.about, await answered(head, caller, read, LOOK_S))
    commits = {one["commit"] for one in told["branches"]}
    known = await head.read(summary.known, read.about["project"], commits)
    for one in told["branches"]:
        if one["commit"] in known:
            one["summary"] = known[one["commit"]]
    return told


def _listed(about: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    told = {name: found[name] for name in ("next_offset", "size", "ended")}
    return {"success": True, **about, **found["body"], **told}


TOOLS = (
    people_tool("read_diff", Diff, read_diff, DiffPage, "What a task changed."),
    people_tool(
        "list_commits",
        Commits,
        list_commits,
        views.ListedCommits,
        "Commits of a task or branch, newest first.",
    ),
    people_tool("read_file", File, read_file, views.FileText, "A file's text at a commit."),
    people_tool("read_tree", Folder, read_tree, views.ListedFolder, "What a folder holds at a commit."),
    people_tool(
        "list_branches",
        Branches,
        list_branches,
        views.ListedBranches,
        "Branches of a repository, local, remote and of agents, and how far each is from a target.",
    ),
)
