"""The tools an agent calls, in a run or from outside. Every answer says what to do next."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.changes import EVENTS
from toryo.daemon.core.head import Head
from toryo.daemon.tools.registry import AGENTS, Arguments, Tool
from toryo.domain.words import ClaimResult
from toryo.engine.context import Caller, CallerKind, HeadContext
from toryo.usecases.credentials import check_passkey
from toryo.usecases.sessions import agent_calls

PREPARING_S = 20


class Authenticate(Arguments):
    agent_id: str
    project_id: str
    passkey: str = ""


class Session(Arguments):
    session_token: str


class Completed(Session):
    result: ClaimResult
    summary: str | None = None
    next_steps: str | None = None


class Progress(Session):
    summary: str = Field(min_length=1)


async def authenticate(head: Head, caller: Caller, args: Authenticate) -> dict[str, Any]:
    run = caller.run if caller.kind is CallerKind.RUN else ""
    run = run or await head.do(agent_calls.run_named_by, args.passkey)
    fits = False
    if not run:
        stored = await head.do(agent_calls.passkey_hash, args.agent_id, args.project_id)
        fits = await head.aside(check_passkey, args.passkey, stored)
    asked = agent_calls.Asked(args.agent_id, args.project_id, run, fits)
    return await head.do(agent_calls.authenticate, asked)


async def get_my_task(head: Head, caller: Caller, args: Session) -> dict[str, Any]:
    run, answer = await head.do(agent_calls.get_my_task, args.session_token, caller.run)
    if answer is not None:
        return answer

    def ask(context: HeadContext) -> tuple[bool, dict[str, Any] | None]:
        found = agent_calls.task_when_prepared(context, run)
        return found is not None, found

    return await head.until((EVENTS,), PREPARING_S, ask) or agent_calls.not_prepared_yet()


async def report_completed(head: Head, caller: Caller, args: Completed) -> dict[str, Any]:
    return await head.do(
        agent_calls.report_completed,
        args.session_token,
        caller.run,
        args.result,
        args.summary or "",
        args.next_steps or "",
    )


async def report_progress(head: Head, caller: Caller, args: Progress) -> dict[str, Any]:
    return await head.do(agent_calls.report_progress, args.session_token, caller.run, args.summary)


TOOLS = (
    Tool(
        "authenticate",
        AGENTS,
        Authenticate,
        authenticate,
        "Begin your session. Inside a run no passkey is needed; an outside agent gives its own.",
    ),
    Tool("get_my_task", AGENTS, Session, get_my_task, "Your task, with the directory to work in."),
    Tool(
        "report_completed",
        AGENTS,
        Completed,
        report_completed,
        "End your session: result is success, failed or blocked. A claim: Toryo verifies the work.",
    ),
    Tool("report_progress", AGENTS, Progress, report_progress, "Say how far you are."),
)
