"""The tools of people about projects: survey, register, move, remove, read a checkout's settings."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import Field

from toryo import processes
from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Which
from toryo.daemon.tools.registry import Arguments, Nothing, people_tool
from toryo.daemon.tools.remote_reads import until_reported
from toryo.engine.context import Caller
from toryo.protocol.kinds.repository import AdoptInputs
from toryo.protocol.views import projects as views
from toryo.usecases.projects import projects, remove, settings_problems
from toryo.usecases.runs import remote_reads

SURVEY_S = 30
REMOVE_S = 600
WORKING_COPY_S = 20


class Path(Arguments):
    path: str = Field(min_length=1)
    base: str = ""


class Survey(Path):
    checks: list[str] = Field(default_factory=list)
    """Those that a person took of the offered ones."""
    create: bool = False
    """Where there is no repository, or no commit in it, both are made first."""


class NewProject(Path):
    name: str = ""
    take_over: bool = False
    wrote: list[str] = Field(default_factory=list, max_length=100)
    """Files of `.toryo/` that the caller has just written: unchanged, they go with the project."""


class Move(Arguments):
    project: str
    path: str = Field(min_length=1)


class RemoveProject(Which):
    dry_run: bool = False


async def _survey(head: Head, path: str, base: str, *, create: bool = False) -> dict[str, Any]:
    """What is there; without a base of the caller's, the one that the settings name counts."""
    order = await head.do(remote_reads.order_survey, processes.machine_id(), path, base, create=create)
    found = remote_reads.refuse_problem(await until_reported(head, order, "survey", SURVEY_S))
    await head.do(projects.refuse_wrong_files, found)
    wanted = "" if base else projects.wanted_base(found)
    return await _survey(head, path, wanted) if wanted else found


async def survey_path(head: Head, caller: Caller, args: Survey) -> dict[str, Any]:
    found = await _survey(head, args.path, args.base, create=args.create)
    return projects.proposal(found, args.checks)


async def register_project(head: Head, caller: Caller, args: NewProject) -> views.RegisteredProject:
    machine = processes.machine_id()
    projects.refuse_wrong_name(args.name)
    survey = await _survey(head, args.path, args.base)
    await _refuse_copy(head, survey)
    inputs = AdoptInputs(
        path=survey["root"],
        project=survey["project"] or projects.new_project_id(),
        installation=head.context.installation,
        base=survey["base"],
        take_over=args.take_over,
        targets=await head.do(projects.known_targets, survey["project"]),
        worktree_root=projects.worktree_root(survey),
        written=tuple(args.wrote),
    )
    order = await head.do(remote_reads.order_adopt, f"machine:{machine}", inputs)
    adopted = remote_reads.refuse_problem(await until_reported(head, order, "adopt", SURVEY_S))
    return await head.do(projects.register, machine, survey, adopted, args.name)


async def _refuse_copy(head: Head, survey: dict[str, Any]) -> None:
    """A repository that was copied has the same id: while the first is there, it is not the project's."""
    name, path = await head.do(projects.path_of, survey["project"])
    if not path or path == survey["root"]:
        return
    order = await head.do(remote_reads.order_survey, processes.machine_id(), path, "")
    there = await until_reported(head, order, "survey", SURVEY_S)
    if there.get("project") == survey["project"] and there.get("git_dir") != survey["git_dir"]:
        projects.refuse_copy(name, survey["root"], path)


async def list_projects(head: Head, caller: Caller, args: Nothing) -> views.ListedProjects:
    return await head.read(projects.list_projects)


async def get_project(head: Head, caller: Caller, args: Which) -> views.OneProject:
    return await head.read(projects.get_project, args.project, args.path)


async def look_at_settings(head: Head, caller: Caller, args: Which) -> views.ReadSettings:
    """Of one project, or of all: what lies in the checkout, also where a commit's settings are in force."""
    return {"success": True, "looked": await read_working_copies(head, args.project)}


async def read_working_copies(head: Head, project: str) -> int:
    """How many checkouts answered; that nobody answers is told elsewhere."""
    looks = [_look_at(head, *one) for one in await head.do(settings_problems.begin, project)]
    return sum(await asyncio.gather(*looks))


async def _look_at(head: Head, project: str, machine: str, path: str, base: str) -> bool:
    order = await head.do(remote_reads.order_survey, machine, path, base, working_copy=True)
    try:
        await head.do(
            settings_problems.note, project, await until_reported(head, order, "survey", WORKING_COPY_S)
        )
    except remote_reads.NobodyAnswered:
        return False
    return True


def _status(status: str) -> Any:
    async def handler(head: Head, caller: Caller, args: Which) -> views.OneProject:
        return await head.do(projects.set_status, args.project, args.path, status)

    return handler


async def move_project(head: Head, caller: Caller, args: Move) -> views.OneProject:
    order = await head.do(remote_reads.order_survey, processes.machine_id(), args.path, "")
    survey = remote_reads.refuse_problem(await until_reported(head, order, "survey", SURVEY_S))
    row = await head.do(projects.to_move, args.project, survey)
    inputs = AdoptInputs(
        path=survey["root"],
        project=row.id,
        installation=head.context.installation,
        base=row.base,
        targets=await head.do(projects.known_targets, row.id),
    )
    # once more, for the worktrees that are registered under the old path
    order = await head.do(remote_reads.order_adopt, f"machine:{row.machine}", inputs)
    adopted = remote_reads.refuse_problem(await until_reported(head, order, "adopt", SURVEY_S))
    return await head.do(projects.move, row.id, survey["root"], adopted)


async def remove_project(head: Head, caller: Caller, args: RemoveProject) -> dict[str, Any]:
    order, project = await head.do(remove.order_unadopt, args.project, args.path, dry_run=args.dry_run)
    told = remote_reads.refuse_problem(await until_reported(head, order, "unadopt", REMOVE_S))
    return {"success": True, **await head.do(projects.get_project, project, ""), **told}


TOOLS = (
    people_tool(
        "survey_path",
        Survey,
        survey_path,
        views.Proposal,
        "What a repository is and what `init` would write there.",
    ),
    people_tool(
        "register_project",
        NewProject,
        register_project,
        views.RegisteredProject,
        "Make a repository a project.",
    ),
    people_tool("list_projects", Nothing, list_projects, views.ListedProjects, "All projects."),
    people_tool(
        "get_project", Which, get_project, views.OneProject, "One project, by name, id or a path inside it."
    ),
    people_tool(
        "look_at_settings",
        Which,
        look_at_settings,
        views.ReadSettings,
        "Read the settings that lie in the checkouts now.",
    ),
    people_tool(
        "archive_project",
        Which,
        _status("archived"),
        views.OneProject,
        "Start nothing new in a project; everything is kept.",
    ),
    people_tool(
        "activate_project", Which, _status("active"), views.OneProject, "Let a project be worked on again."
    ),
    people_tool(
        "move_project", Move, move_project, views.OneProject, "Say where a project's repository is now."
    ),
    people_tool(
        "remove_project",
        RemoveProject,
        remove_project,
        views.RemovedProject,
        "Take Toryo out of a project's repository.",
    ),
)
