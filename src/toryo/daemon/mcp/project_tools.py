"""More tools of people and outside orchestrators: the life of projects and agents, memory, sessions."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from toryo import processes
from toryo.daemon.changes import EVENTS, task_topic
from toryo.daemon.head import Head
from toryo.daemon.mcp.asking import ask
from toryo.daemon.mcp.people_tools import SURVEY_S, Agent, Task, Which
from toryo.daemon.mcp.registry import PEOPLE, Arguments, Tool
from toryo.domain.words import Priority
from toryo.protocol.models import AdoptInputs
from toryo.usecases import agents, asking, claim_run, memory, outside_runs, projects, syncing, updating
from toryo.usecases.context import Caller, HeadContext

PREPARING_S = 30
EVALUATING_S = 2


class Move(Arguments):
    project: str
    path: str = Field(min_length=1)


class Assignment(Which):
    agent: str


class NewAssignment(Assignment):
    default: bool = False


class Removal(Assignment):
    everywhere: bool = False


class Update(Task):
    status: Literal["", "open", "in_progress", "done", "cancelled", "failed"] = ""
    title: str = ""
    description: str | None = None
    type: str = Field(default="", pattern=r"^([a-z][a-z0-9_-]{0,31})?$")
    priority: Priority | None = None
    agent: str = ""
    after: list[str] | None = None
    write: list[str] | None = None
    checks: list[str] | None = None
    timeout_s: float | None = Field(default=None, gt=0, le=7 * 86400)


LISTS = ("after", "write", "checks")


class Worker(Task):
    agent: str = ""


class StartSession(Task):
    agent: str


class EndSession(Arguments):
    session: str
    exit_code: int | None = Field(default=None, ge=0, le=255)
    signal: str = Field(default="", pattern=r"^(SIG[A-Z0-9]+)?$")
    dod_result: str = ""
    artifacts: list[str] = Field(default_factory=list, max_length=10_000)
    error: str = ""


class Memory(Which):
    name: str


def _status(status: str) -> Any:
    async def handler(head: Head, caller: Caller, args: Which) -> dict[str, Any]:
        return await head.do(projects.set_status, args.project, args.path, status)

    return handler


async def move_project(head: Head, caller: Caller, args: Move) -> dict[str, Any]:
    order = await head.do(asking.order_survey, processes.machine_id(), args.path, "")
    survey = asking.refuse_problem(await ask(head, order, "survey", SURVEY_S))
    row = await head.do(projects.to_move, args.project, survey)
    inputs = AdoptInputs(
        path=survey["root"],
        project=row.id,
        installation=head.context.installation,
        base=row.base,
        targets=await head.do(projects.known_targets, row.id),
    )
    # once more, for the worktrees that are registered under the old path
    order = await head.do(asking.ask_adopt, f"machine:{row.machine}", inputs)
    adopted = asking.refuse_problem(await ask(head, order, "adopt", SURVEY_S))
    return await head.do(projects.move, row.id, survey["root"], adopted)


async def assign_agent(head: Head, caller: Caller, args: NewAssignment) -> dict[str, Any]:
    return await head.do(
        agents.set_assignment, args.agent, args.project, args.path, assigned=True, default=args.default
    )


async def unassign_agent(head: Head, caller: Caller, args: Assignment) -> dict[str, Any]:
    return await head.do(agents.set_assignment, args.agent, args.project, args.path, assigned=False)


def _enables(status: str) -> Any:
    async def handler(head: Head, caller: Caller, args: Assignment) -> dict[str, Any]:
        return await head.do(agents.set_status, args.agent, status, args.project, args.path)

    return handler


async def new_passkey(head: Head, caller: Caller, args: Agent) -> dict[str, Any]:
    passkey, stored = await head.aside(agents.fresh_passkey)
    return await head.do(agents.set_passkey, args.agent, passkey, stored)


async def remove_agent(head: Head, caller: Caller, args: Removal) -> dict[str, Any]:
    return await head.do(agents.remove_agent, args.agent, args.project, args.path, everywhere=args.everywhere)


async def sync_agents(head: Head, caller: Caller, args: Which) -> dict[str, Any]:
    machine, path, base = await head.do(syncing.place_of, args.project, args.path)
    order = await head.do(asking.order_survey, machine, path, base)
    survey = asking.refuse_problem(await ask(head, order, "survey", SURVEY_S))
    return await head.do(syncing.sync, args.project, args.path, survey)


async def update_task(head: Head, caller: Caller, args: Update) -> dict[str, Any]:
    """Wish, let the drain look at it, and tell what it is now."""
    seen = head.changes.version(EVENTS)
    said = args.model_dump()
    said |= {name: tuple(said[name]) for name in LISTS if said[name] is not None}
    wish = updating.Update(**said)
    task = await head.do(updating.update_task, wish)
    if args.status:
        await head.wait_for_change(task_topic(task), seen, EVALUATING_S)
    return await head.do(updating.evaluated, task)


async def worker_prompt(head: Head, caller: Caller, args: Worker) -> dict[str, Any]:
    return await head.do(claim_run.worker_prompt, args.task, args.agent)


async def start_session(head: Head, caller: Caller, args: StartSession) -> dict[str, Any]:
    run = await head.do(outside_runs.start_session, args.task, args.agent)

    def question(context: HeadContext) -> tuple[bool, dict[str, Any]]:
        return outside_runs.session_when_prepared(context, run)

    return await head.until((EVENTS,), PREPARING_S, question)


async def end_session(head: Head, caller: Caller, args: EndSession) -> dict[str, Any]:
    ended = outside_runs.Ended(args.exit_code, args.signal, args.dod_result, args.artifacts, args.error)
    told = await head.do(outside_runs.end_session, args.session, ended)
    now = await head.do(updating.evaluated, told["task"])
    return told | {"status": now["status"], "reason": now["reason"]}


async def list_memory(head: Head, caller: Caller, args: Which) -> dict[str, Any]:
    return await head.do(memory.list_memory, args.project, args.path)


async def show_memory(head: Head, caller: Caller, args: Memory) -> dict[str, Any]:
    return await head.do(memory.show_memory, args.project, args.path, args.name)


async def preview_memory(head: Head, caller: Caller, args: Which) -> dict[str, Any]:
    return await head.do(memory.preview_memory, args.project, args.path)


def _tool(name: str, arguments: type[Arguments], handler: Any, description: str) -> Tool:
    return Tool(name, PEOPLE, arguments, handler, description)


TOOLS = (
    _tool(
        "archive_project", Which, _status("archived"), "Start nothing new in a project; everything is kept."
    ),
    _tool("activate_project", Which, _status("active"), "Let a project be worked on again."),
    _tool("move_project", Move, move_project, "Say where a project's repository is now."),
    _tool("assign_agent", NewAssignment, assign_agent, "Let an agent work in a project, as its default too."),
    _tool("unassign_agent", Assignment, unassign_agent, "Take an agent off a project."),
    _tool("enable_agent", Assignment, _enables("active"), "Let an agent be started."),
    _tool(
        "disable_agent", Assignment, _enables("disabled"), "Start an agent no more; what it is doing goes on."
    ),
    _tool("new_passkey", Agent, new_passkey, "A new passkey for an agent, shown once; the old one is void."),
    _tool("remove_agent", Removal, remove_agent, "Take an agent out; refused while a task or run needs it."),
    _tool("sync_agents", Which, sync_agents, "Read .toryo/ again and bring its agents into the store."),
    _tool(
        "update_task",
        Update,
        update_task,
        "Change a task; `after` is all it waits for; done is only evaluated, and what is missing named.",
    ),
    _tool("worker_prompt", Worker, worker_prompt, "The prompt that a task's next run would get."),
    _tool(
        "start_session", StartSession, start_session, "Record that an outside orchestrator starts a worker."
    ),
    _tool("end_session", EndSession, end_session, "Record how that worker ended; `merged` is a claim."),
    _tool("list_memory", Which, list_memory, "The memory files in force."),
    _tool("show_memory", Memory, show_memory, "One memory file."),
    _tool("preview_memory", Which, preview_memory, "The memory section as prompts get it."),
)
