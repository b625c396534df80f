"""The tools of people about agents: add, assign, enable, remove, and read their files again."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from toryo.daemon.core.head import Head
from toryo.daemon.tools.arguments import Which
from toryo.daemon.tools.projects import SURVEY_S
from toryo.daemon.tools.registry import Arguments, people_tool
from toryo.daemon.tools.remote_reads import until_reported
from toryo.domain.words import Access, Style, Terminal
from toryo.engine.context import Caller
from toryo.protocol.views import agents as views
from toryo.usecases.agents import agents
from toryo.usecases.projects import sync
from toryo.usecases.runs import remote_reads


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
    slots: int | None = Field(default=None, ge=0, le=1000)
    access: Access | None = None
    style: Style | None = None
    terminal: Terminal | None = None
    start_in: Literal["context", "worktree"] | None = None
    skills: dict[str, str] | None = None


class Agent(Arguments):
    agent: str


class AgentHere(Which):
    agent: str


class Assignment(Which):
    agent: str


class NewAssignment(Assignment):
    default: bool = False


class Removal(Assignment):
    everywhere: bool = False


async def add_agent(head: Head, caller: Caller, args: NewAgent) -> views.AddedAgent:
    passkey, stored = await head.aside(agents.fresh_passkey)
    said = args.model_dump(exclude_none=True, exclude={"name", "project", "path"})
    if args.scope is not None:
        said["scope"] = dict(args.scope)  # `write: null` means something there: not restricted
    return await head.do(agents.add_agent, args.name, said, args.project, args.path, passkey, stored)


async def list_agents(head: Head, caller: Caller, args: Which) -> views.ListedAgents:
    return await head.read(agents.list_agents, args.project, args.path)


async def get_agent(head: Head, caller: Caller, args: AgentHere) -> views.OneAgent:
    return await head.read(agents.get_agent, args.agent, args.project, args.path)


async def assign_agent(head: Head, caller: Caller, args: NewAssignment) -> views.Assignment:
    return await head.do(
        agents.set_assignment, args.agent, args.project, args.path, assigned=True, default=args.default
    )


async def unassign_agent(head: Head, caller: Caller, args: Assignment) -> views.Assignment:
    return await head.do(agents.set_assignment, args.agent, args.project, args.path, assigned=False)


def _enables(status: str) -> Any:
    async def handler(head: Head, caller: Caller, args: Assignment) -> views.EnabledAgent:
        return await head.do(agents.set_status, args.agent, status, args.project, args.path)

    return handler


async def new_passkey(head: Head, caller: Caller, args: Agent) -> views.NewPasskey:
    passkey, stored = await head.aside(agents.fresh_passkey)
    return await head.do(agents.set_passkey, args.agent, passkey, stored)


async def remove_agent(head: Head, caller: Caller, args: Removal) -> views.RemovedAgent:
    return await head.do(agents.remove_agent, args.agent, args.project, args.path, everywhere=args.everywhere)


async def sync_agents(head: Head, caller: Caller, args: Which) -> dict[str, Any]:
    machine, path, base = await head.do(sync.place_of, args.project, args.path)
    order = await head.do(remote_reads.order_survey, machine, path, base)
    survey = remote_reads.refuse_problem(await until_reported(head, order, "survey", SURVEY_S))
    return await head.do(sync.sync, args.project, args.path, survey)


TOOLS = (
    people_tool(
        "add_agent",
        NewAgent,
        add_agent,
        views.AddedAgent,
        "Add or change an agent; its passkey is shown once.",
    ),
    people_tool("list_agents", Which, list_agents, views.ListedAgents, "Agents, of one project or all."),
    people_tool("get_agent", AgentHere, get_agent, views.OneAgent, "One agent, with where it works."),
    people_tool(
        "assign_agent",
        NewAssignment,
        assign_agent,
        views.Assignment,
        "Let an agent work in a project, as its default too.",
    ),
    people_tool(
        "unassign_agent", Assignment, unassign_agent, views.Assignment, "Take an agent off a project."
    ),
    people_tool(
        "enable_agent", Assignment, _enables("active"), views.EnabledAgent, "Let an agent be started."
    ),
    people_tool(
        "disable_agent",
        Assignment,
        _enables("disabled"),
        views.EnabledAgent,
        "Start an agent no more; what it is doing goes on.",
    ),
    people_tool(
        "new_passkey",
        Agent,
        new_passkey,
        views.NewPasskey,
        "A new passkey for an agent, shown once; the old one is void.",
    ),
    people_tool(
        "remove_agent",
        Removal,
        remove_agent,
        views.RemovedAgent,
        "Take an agent out; refused while a task or run needs it.",
    ),
    people_tool(
        "sync_agents",
        Which,
        sync_agents,
        views.SyncedAgents,
        "Read .toryo/ again and bring its agents into the store.",
    ),
)
