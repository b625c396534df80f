"""The tools of people about sessions of outside orchestrators and agents: begin, end, release."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.changes import EVENTS
from toryo.daemon.core.head import Head
from toryo.daemon.tools.agents import AgentHere
from toryo.daemon.tools.arguments import Task, Which
from toryo.daemon.tools.registry import Arguments, people_tool
from toryo.engine.context import Caller, HeadContext
from toryo.protocol.views import sessions as views
from toryo.usecases.runs import claim
from toryo.usecases.sessions import ends, listing, outside_runs
from toryo.usecases.tasks import update

PREPARING_S = 30


class Worker(Task):
    agent: str = ""


class StartSession(Task):
    agent: str


class Release(AgentHere):
    session: str = Field(default="", pattern=r"^([0-9a-f]{12,64})?$", description="Only that one of its.")


class EndSession(Arguments):
    session: str
    exit_code: int | None = Field(default=None, ge=0, le=255)
    signal: str = Field(default="", pattern=r"^(SIG[A-Z0-9]+)?$")
    dod_result: str = Field(default="", description="`merged`: you merged it yourself; a claim.")
    artifacts: list[str] = Field(default_factory=list, max_length=10_000)
    error: str = ""


async def list_sessions(head: Head, caller: Caller, args: Which) -> views.ListedSessions:
    return await head.read(listing.list_sessions, args.project, args.path)


async def release_agent(head: Head, caller: Caller, args: Release) -> views.ReleasedAgent:
    return await head.do(ends.end_sessions, args.agent, args.project, args.path, args.session)


async def worker_prompt(head: Head, caller: Caller, args: Worker) -> views.WorkerPrompt:
    return await head.read(claim.worker_prompt, args.task, args.agent)


async def start_session(head: Head, caller: Caller, args: StartSession) -> dict[str, Any]:
    run = await head.do(outside_runs.start_session, args.task, args.agent)

    def question(context: HeadContext) -> tuple[bool, dict[str, Any]]:
        return outside_runs.session_when_prepared(context, run)

    return await head.until((EVENTS,), PREPARING_S, question)


async def end_session(head: Head, caller: Caller, args: EndSession) -> dict[str, Any]:
    ended = outside_runs.Ended(args.exit_code, args.signal, args.dod_result, args.artifacts, args.error)
    told = await head.do(outside_runs.end_session, args.session, ended)
    now = await head.do(update.evaluated, told["task"])
    return told | {"status": now["status"], "reason": now["reason"]}


TOOLS = (
    people_tool(
        "list_sessions",
        Which,
        list_sessions,
        views.ListedSessions,
        "Agents that somebody else started, with their tasks.",
    ),
    people_tool(
        "release_agent",
        Release,
        release_agent,
        views.ReleasedAgent,
        "End the session of an outside agent that has no run.",
    ),
    people_tool(
        "worker_prompt",
        Worker,
        worker_prompt,
        views.WorkerPrompt,
        "The prompt that a task's next run would get.",
    ),
    people_tool(
        "start_session",
        StartSession,
        start_session,
        views.StartedSession,
        "Record that an outside orchestrator starts a worker.",
    ),
    people_tool(
        "end_session",
        EndSession,
        end_session,
        views.EndedSession,
        "Record how that worker ended; `merged` is a claim.",
    ),
)
