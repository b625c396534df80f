"""The tools of people and outside orchestrators: projects, agents, tasks, runs, evidence, control."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Literal

from pydantic import Field

from toryo import processes
from toryo.daemon.changes import EVENTS, task_topic
from toryo.daemon.head import Head
from toryo.daemon.mcp.asking import ask
from toryo.daemon.mcp.registry import LARGEST, PEOPLE, Arguments, Nothing, Tool
from toryo.domain.errors import DiskFull, UserError
from toryo.domain.words import Access, Priority, Style, Terminal, Verb, Verdict
from toryo.protocol.models import AdoptInputs
from toryo.usecases import (
    agents,
    asking,
    coordinators,
    doctoring,
    evidence_view,
    projects,
    recompute,
    runs,
    session_ends,
    settings_problems,
    status,
    tasks,
    verifying,
)
from toryo.usecases.context import Caller, HeadContext

SURVEY_S = 30
RESTORE_S = 120
HEALTH_S = 20
CHECK_S = 3600


class Path(Arguments):
    path: str = Field(min_length=1)
    base: str = ""


class NewProject(Path):
    name: str = ""
    take_over: bool = False


class Which(Arguments):
    project: str = ""
    path: str = ""


class NewAgent(Which):
    """What is left out stays as it is, or begins with its default."""

    name: str
    client: str | None = None
    command: str | None = None
    role: str | None = None
    model: str | None = None
    system_prompt: str | None = None
    prompt: str | None = None
    scope: dict[str, list[str] | None] | None = None
    slots: int | None = Field(default=None, ge=1, le=1000)
    access: Access | None = None
    style: Style | None = None
    terminal: Terminal | None = None
    start_in: Literal["context", "worktree"] | None = None
    skills: dict[str, str] | None = None


class Agent(Arguments):
    agent: str


class AgentHere(Which):
    agent: str


class NewTask(Which):
    title: str
    description: str = ""
    type: str = Field(default="task", pattern=r"^[a-z][a-z0-9_-]{0,31}$")
    priority: Priority = Priority.MEDIUM
    agent: str = ""
    after: list[str] = Field(default_factory=list)
    parent: str = ""
    write: list[str] | None = None
    checks: list[str] = Field(default_factory=list)
    timeout_s: float | None = Field(default=None, gt=0, le=7 * 86400)
    held: bool = False


class Tasks(Which):
    status: str = ""
    limit: int = Field(default=50, ge=1, le=1000)
    after_seq: int = Field(default=0, ge=0, le=LARGEST)


class Task(Arguments):
    task: str


class Said(Task):
    note: str = ""


class Wait(Arguments):
    tasks: list[str] = Field(min_length=1, max_length=1000)
    seen: dict[str, str] = Field(default_factory=dict)
    timeout_s: float = Field(default=30, ge=0, le=30)


class Runs(Arguments):
    task: str = ""
    project: str = ""
    limit: int = Field(default=50, ge=1, le=1000)


class Run(Arguments):
    run: str


class RunOrTask(Arguments):
    run: str = ""
    task: str = ""

    def named(self) -> str:
        if not (self.run or self.task):
            raise UserError("Which run or task?", hint="Give the id of one.")
        return self.run or self.task


class Restore(RunOrTask):
    destination: str = ""
    worktree: bool = False


class Events(Arguments):
    after: int = Field(default=0, ge=-1, le=LARGEST)
    limit: int = Field(default=100, ge=1, le=1000)
    wait_s: float = Field(default=0, ge=0, le=30)
    project: str = ""
    task: str = ""


class Coordinator(Arguments):
    machine: str
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")


async def _survey(head: Head, path: str, base: str) -> dict[str, Any]:
    """What is there; without a base of the caller's, the one that the settings name counts."""
    order = await head.do(asking.order_survey, processes.machine_id(), path, base)
    found = asking.refuse_problem(await ask(head, order, "survey", SURVEY_S))
    await head.do(projects.refuse_wrong_files, found)
    wanted = "" if base else projects.wanted_base(found)
    return await _survey(head, path, wanted) if wanted else found


async def survey_path(head: Head, caller: Caller, args: Path) -> dict[str, Any]:
    return projects.proposal(await _survey(head, args.path, args.base))


async def register_project(head: Head, caller: Caller, args: NewProject) -> dict[str, Any]:
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
    )
    order = await head.do(asking.ask_adopt, f"machine:{machine}", inputs)
    adopted = asking.refuse_problem(await ask(head, order, "adopt", SURVEY_S))
    return await head.do(projects.register, machine, survey, adopted, args.name)


async def _refuse_copy(head: Head, survey: dict[str, Any]) -> None:
    """A repository that was copied has the same id: while the first is there, it is not the project's."""
    name, path = await head.do(projects.path_of, survey["project"])
    if not path or path == survey["root"]:
        return
    order = await head.do(asking.order_survey, processes.machine_id(), path, "")
    there = await ask(head, order, "survey", SURVEY_S)
    if there.get("project") == survey["project"] and there.get("git_dir") != survey["git_dir"]:
        projects.refuse_copy(name, survey["root"], path)


async def list_projects(head: Head, caller: Caller, args: Nothing) -> dict[str, Any]:
    return await head.do(projects.list_projects)


async def get_project(head: Head, caller: Caller, args: Which) -> dict[str, Any]:
    return await head.do(projects.get_project, args.project, args.path)


async def add_agent(head: Head, caller: Caller, args: NewAgent) -> dict[str, Any]:
    passkey, stored = await head.aside(agents.fresh_passkey)
    said = args.model_dump(exclude_none=True, exclude={"name", "project", "path"})
    if args.scope is not None:
        said["scope"] = dict(args.scope)  # `write: null` means something there: not restricted
    return await head.do(agents.add_agent, args.name, said, args.project, args.path, passkey, stored)


async def list_agents(head: Head, caller: Caller, args: Which) -> dict[str, Any]:
    return await head.do(agents.list_agents, args.project, args.path)


async def get_agent(head: Head, caller: Caller, args: AgentHere) -> dict[str, Any]:
    return await head.do(agents.get_agent, args.agent, args.project, args.path)


async def add_task(head: Head, caller: Caller, args: NewTask) -> dict[str, Any]:
    given = args.model_dump()
    wish = tasks.NewTask(
        **{
            **given,
            "after": tuple(args.after),
            "checks": tuple(args.checks),
            "write": None if args.write is None else tuple(args.write),
        }
    )
    return await head.do(tasks.add_task, wish)


async def list_tasks(head: Head, caller: Caller, args: Tasks) -> dict[str, Any]:
    return await head.do(tasks.list_tasks, args.project, args.path, args.status, args.limit, args.after_seq)


async def get_task(head: Head, caller: Caller, args: Task) -> dict[str, Any]:
    return await head.do(tasks.show_task, args.task)


async def wait_tasks(head: Head, caller: Caller, args: Wait) -> dict[str, Any]:
    _, first = await head.do(tasks.waiting_for, args.tasks, args.seen)
    topics = [task_topic(one["id"]) for one in first["tasks"]]
    seen = args.seen or {one["id"]: f"{one['status']}:{one['reason']}" for one in first["tasks"]}

    def question(context: HeadContext) -> tuple[bool, dict[str, Any]]:
        return tasks.waiting_for(context, args.tasks, seen)

    return await head.until(topics, args.timeout_s, question)


def _says(verb: Verb) -> Any:
    async def handler(head: Head, caller: Caller, args: Said) -> dict[str, Any]:
        return await head.do(tasks.say, verb, args.task, args.note)

    return handler


async def list_runs(head: Head, caller: Caller, args: Runs) -> dict[str, Any]:
    return await head.do(runs.list_runs, args.task, args.project, args.limit)


async def get_run(head: Head, caller: Caller, args: Run) -> dict[str, Any]:
    return await head.do(runs.get_run, args.run)


async def stop_run(head: Head, caller: Caller, args: Run) -> dict[str, Any]:
    return await head.do(runs.stop_run, args.run)


async def release_run(head: Head, caller: Caller, args: Run) -> dict[str, Any]:
    return await head.do(runs.release_run, args.run)


async def release_agent(head: Head, caller: Caller, args: AgentHere) -> dict[str, Any]:
    return await head.do(session_ends.end_sessions, args.agent, args.project, args.path)


async def get_evidence(head: Head, caller: Caller, args: Task) -> dict[str, Any]:
    return await head.do(evidence_view.get_evidence, args.task)


async def verify_task(head: Head, caller: Caller, args: Task) -> dict[str, Any]:
    """Each check of the evidence again, on the same tree."""
    asked = await head.do(verifying.order_verification, args.task)
    checks = []
    for command, order in asked.checks:
        body = await ask(head, order, "check", CHECK_S)
        shown = {key: body.get(key) for key in ("result", "exit_code", "duration_s", "reason")}
        checks.append({"command": command, **shown, "output": body.get("tail", "")})
    verdict = asking.verdict_of([str(one["result"]) for one in checks])
    return {
        "success": True,
        "task": asked.task,
        "what": asked.what,
        "commit": asked.commit,
        "tree": asked.tree,
        "verdict": verdict,
        "verified": verdict is Verdict.GREEN,
        "unchecked": verdict is Verdict.UNCHECKED,
        "checks": checks,
    }


async def restore_snapshot(head: Head, caller: Caller, args: Restore) -> dict[str, Any]:
    if bool(args.destination) == args.worktree:
        raise UserError("Where to is not said.", hint="Give `destination`, or `worktree` for where it was.")
    order = await head.do(asking.order_restore, args.named(), args.destination, worktree=args.worktree)
    body = asking.refuse_problem(await ask(head, order, "restore", RESTORE_S))
    return {"success": True, "path": body["path"], "files": body["files"], "branch": body["branch"]}


async def list_events(head: Head, caller: Caller, args: Events) -> dict[str, Any]:
    def question(context: HeadContext) -> tuple[bool, dict[str, Any]]:
        return status.list_events(context, args.after, args.limit, args.project, args.task)

    return await head.until((EVENTS,), args.wait_s, question)


async def get_status(head: Head, caller: Caller, args: Which) -> dict[str, Any]:
    return await head.do(status.get_status, args.project, args.path)


async def doctor(head: Head, caller: Caller, args: Nothing) -> dict[str, Any]:
    """What the store knows, and what a coordinator of each machine sees there now."""
    seen: dict[str, dict[str, Any] | None] = {}
    with contextlib.suppress(DiskFull):  # nobody can be asked: that is what is found then
        seen = await _look_around(head)
    return await head.do(doctoring.doctor, seen)


async def _look_around(head: Head) -> dict[str, dict[str, Any] | None]:
    """By machine, what a coordinator there answers."""
    await _look_at_settings(head, "")
    seen: dict[str, dict[str, Any] | None] = {}
    for machine, order in await head.do(asking.order_health):
        try:
            answered = await ask(head, order, "read", HEALTH_S)
        except asking.NobodyAnswered:
            answered = {}
        seen[machine] = answered.get("body")
    return seen


async def look_at_settings(head: Head, caller: Caller, args: Which) -> dict[str, Any]:
    """Of one project, or of all: what lies in the checkout, also where a commit's settings are in force."""
    return {"success": True, "looked": await _look_at_settings(head, args.project)}


async def _look_at_settings(head: Head, project: str) -> int:
    """How many checkouts answered; that nobody answers is told elsewhere."""
    looks = [_look_at(head, *one) for one in await head.do(settings_problems.begin, project)]
    return sum(await asyncio.gather(*looks))


async def _look_at(head: Head, project: str, machine: str, path: str, base: str) -> bool:
    order = await head.do(asking.order_survey, machine, path, base, working_copy=True)
    try:
        await head.do(settings_problems.note, project, await ask(head, order, "survey", HEALTH_S))
    except asking.NobodyAnswered:
        return False
    return True


async def recompute_all(head: Head, caller: Caller, args: Nothing) -> dict[str, Any]:
    """Page by page, so that other calls get their turn."""
    differences: list[dict[str, Any]] = []
    after = compared = 0
    while True:
        head.hurry()
        after, number, found = await head.do(recompute.recompute, after)
        compared += number
        differences += found
        if not after:
            break
    return {"success": True, "compared": compared, "differences": differences}


async def issue_key(head: Head, caller: Caller, args: Coordinator) -> dict[str, Any]:
    return await head.do(coordinators.issue_key, args.machine, args.name)


def _tool(name: str, arguments: type[Arguments], handler: Any, description: str) -> Tool:
    return Tool(name, PEOPLE, arguments, handler, description)


TOOLS = (
    _tool("survey_path", Path, survey_path, "What a repository is and what `init` would write there."),
    _tool("register_project", NewProject, register_project, "Make a repository a project."),
    _tool("list_projects", Nothing, list_projects, "All projects."),
    _tool("get_project", Which, get_project, "One project, by name, id or a path inside it."),
    _tool("add_agent", NewAgent, add_agent, "Add or change an agent; its passkey is shown once."),
    _tool("list_agents", Which, list_agents, "Agents, of one project or all."),
    _tool("get_agent", AgentHere, get_agent, "One agent."),
    _tool("add_task", NewTask, add_task, "Add a task."),
    _tool("list_tasks", Tasks, list_tasks, "A page of tasks."),
    _tool("get_task", Task, get_task, "One task with its runs and claims."),
    _tool("wait_tasks", Wait, wait_tasks, "Wait until all are at rest, or one changed."),
    _tool("cancel_task", Said, _says(Verb.CANCEL), "End a task; what it left is kept."),
    _tool("approve_task", Said, _says(Verb.APPROVE), "Say yes to what a task waits for."),
    _tool("reject_task", Said, _says(Verb.REJECT), "Say no: the task has failed."),
    _tool("list_runs", Runs, list_runs, "Runs, newest first."),
    _tool("get_run", Run, get_run, "One run."),
    _tool("stop_run", Run, stop_run, "Ask a run to leave."),
    _tool("release_run", Run, release_run, "Say that nothing of a run lives any more."),
    _tool("release_agent", AgentHere, release_agent, "End the session of an outside agent that has no run."),
    _tool("get_evidence", Task, get_evidence, "The facts a task's status stands on."),
    _tool("verify_task", Task, verify_task, "Run a task's checks again, on what its evidence is about."),
    _tool("restore_snapshot", Restore, restore_snapshot, "Write what a run left into a new directory."),
    _tool("list_events", Events, list_events, "Events after a place, waiting for the next if wanted."),
    _tool("get_status", Which, get_status, "What is going on."),
    _tool("look_at_settings", Which, look_at_settings, "Read the settings that lie in the checkouts now."),
    _tool("doctor", Nothing, doctor, "What is wrong, with the line to type."),
    _tool("recompute", Nothing, recompute_all, "Compare the caches with the raw facts."),
    _tool("issue_coordinator_key", Coordinator, issue_key, "A new key for a coordinator."),
)
