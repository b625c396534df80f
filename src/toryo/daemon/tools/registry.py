"""The kinds of tools and the one way to call them: who may, with which arguments, and how it fails.

The table itself is `daemon.tools.table`; what a tool does is its use case.
"""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

from toryo import disks
from toryo.daemon.core.head import Head
from toryo.daemon.tools.answers import failure, failure_of, with_next_step
from toryo.domain.errors import ToryoError
from toryo.engine.context import Caller, CallerKind, HeadContext

log = structlog.get_logger("toryo.daemon.mcp")

PEOPLE = frozenset({CallerKind.OPERATOR})
ORCHESTRATORS = frozenset({CallerKind.OPERATOR, CallerKind.ORCHESTRATOR})
"""People, and an outside AI that works for one (`toryo mcp`)."""
COORDINATORS = frozenset({CallerKind.COORDINATOR})
PLANNERS = frozenset({CallerKind.PLANNER})
PLACES = COORDINATORS | PLANNERS
AGENTS = frozenset({CallerKind.RUN, CallerKind.OUTSIDE})
RUNS = frozenset({CallerKind.RUN})
"""Agents inside a run of ours."""
EVERYBODY = frozenset(CallerKind)

LARGEST = 2**62
"""Of a row's number: databases know no more."""

REPLACED = {
    "list_managed_agents": "list_active_projects_with_agents",
    "get_pending_tasks": "get_my_task",
    "report_execution_start": "get_my_task",
    "report_execution_complete": "report_completed",
}
"""Names of an older contract: no aliases, but an answer that names the new tool."""

NEEDED = {
    CallerKind.OPERATOR: "the operator key",
    CallerKind.ORCHESTRATOR: "an orchestrator's key",
    CallerKind.COORDINATOR: "a coordinator's key",
    CallerKind.PLANNER: "a planner's key",
    CallerKind.RUN: "a run's token",
    CallerKind.OUTSIDE: "no credential",
}

OWN_TOOLS = (
    "Go on with your own tools: authenticate, get_my_task, report_progress, report_completed; a unit's also: "
    "send_message, read_messages."
)

WAYS_IN = {
    CallerKind.ORCHESTRATOR: "`tools/list` has an orchestrator's tools; a person types the rest: `toryo`.",
    CallerKind.OPERATOR: "The operator key is for people's tools only: `tools/list` has them.",
    CallerKind.COORDINATOR: "A coordinator's key is for its own tools only: `tools/list` has them.",
    CallerKind.PLANNER: "A planner's key is for its own tools only: `tools/list` has them.",
    CallerKind.RUN: "Inside a run only the agent's own tools answer.",
    CallerKind.OUTSIDE: "Without a credential only an outside agent's tools answer; a person types `toryo`.",
}


class Arguments(BaseModel):
    """A tool's arguments: anything that is not named is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Nothing(Arguments):
    """No arguments."""


A = TypeVar("A", bound=Arguments)
Handler = Callable[[Head, Caller, A], Awaitable[Mapping[str, Any]]]
Verb = Callable[[HeadContext, Caller, A], dict[str, Any]]


@dataclass(frozen=True)
class Tool:
    name: str
    kinds: frozenset[CallerKind]
    arguments: type[Arguments]
    handler: Handler[Any]
    description: str
    view: type | None = None
    """The type of its answer; every tool of people has one."""


def people_tool(
    name: str, arguments: type[Arguments], handler: Handler[Any], view: type, description: str
) -> Tool:
    return Tool(name, PEOPLE, arguments, handler, description, view)


def through(verb: Verb[A]) -> Handler[A]:
    """The handler of a tool that is one use case."""

    async def handler(head: Head, caller: Caller, args: A) -> dict[str, Any]:
        return await head.do(verb, caller, args)

    return handler


class Registry:
    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self._tools or tool.name in REPLACED:
                raise ValueError(f"the name {tool.name} is taken")
            if tool.arguments.model_config.get("extra") != "forbid":
                raise ValueError(f"{tool.name} would swallow unknown arguments")
            self._tools[tool.name] = tool
        self._listings = {kind: [_listed(tool) for tool in self.allowed(kind)] for kind in CallerKind}

    def allowed(self, kind: CallerKind) -> list[Tool]:
        return [tool for tool in self._tools.values() if kind in tool.kinds]

    def listing(self, kind: CallerKind) -> list[dict[str, Any]]:
        """`tools/list` as that kind of caller sees it."""
        return self._listings[kind]

    async def call(
        self, head: Head, caller: Caller, name: str, arguments: dict[str, Any]
    ) -> Mapping[str, Any]:
        """The tool's body. Every failure is a body too."""
        tool = self._tools.get(name)
        body: Mapping[str, Any]
        if tool is None:
            body = self._unknown(name, caller)
        elif caller.kind not in tool.kinds:
            body = _not_allowed(tool, caller)
        else:
            body = await self._answer(head, caller, tool, arguments)
        return with_next_step(body) if caller.kind in AGENTS else body

    async def _answer(
        self, head: Head, caller: Caller, tool: Tool, arguments: dict[str, Any]
    ) -> Mapping[str, Any]:
        try:
            args = tool.arguments.model_validate(arguments)
        except ValidationError as bad:
            return _bad_arguments(tool, bad)
        try:
            return await tool.handler(head, caller, args)
        except ToryoError as error:
            return failure_of(error)
        except Exception as bug:  # the outermost edge of a call: the caller gets an answer
            if disks.is_about_space(bug):
                return failure_of(disks.full(head.context.home.path))
            log.exception("tool_failed", tool=tool.name, caller=caller.kind.value)
            return failure(
                f"{tool.name} failed by a bug in Toryo ({type(bug).__name__}).",
                f"See the newest `tool_failed` in {head.context.home.logs / 'daemon.jsonl'}.",
                bug=True,
            )

    def _unknown(self, name: str, caller: Caller) -> dict[str, Any]:
        if name in REPLACED:
            return failure(f"The tool {name} was replaced by {REPLACED[name]}.", f"Call {REPLACED[name]}.")
        names = [tool.name for tool in self.allowed(caller.kind)]
        near = difflib.get_close_matches(name, names, 1)
        return failure(
            f"There is no tool {name[:80]!r}.",
            f"Did you mean {near[0]}?" if near else f"There are: {', '.join(names)}.",
        )


def _not_allowed(tool: Tool, caller: Caller) -> dict[str, Any]:
    needed = " or ".join(NEEDED[kind] for kind in CallerKind if kind in tool.kinds)
    refused = failure(
        f"{tool.name} needs {needed}; this call came with {NEEDED[caller.kind]}.", WAYS_IN[caller.kind]
    )
    return refused | {"instruction": OWN_TOOLS} if caller.kind in AGENTS else refused


def _bad_arguments(tool: Tool, bad: ValidationError) -> dict[str, Any]:
    problems = []
    found = bad.errors(include_url=False, include_input=False, include_context=False)
    found.sort(key=lambda error: error["type"] != "extra_forbidden")  # a misspelt name explains a missing one
    for error in found[:5]:
        where = ".".join(str(part) for part in error["loc"]) or "arguments"
        text = "there is no such argument" if error["type"] == "extra_forbidden" else error["msg"]
        problems.append(f"{where}: {text}")
    fields = tool.arguments.model_fields
    named = ", ".join(name if field.is_required() else f"{name}?" for name, field in fields.items())
    takes = f"It takes: {named}." if named else "It takes no arguments."
    told = f"Bad arguments for {tool.name}: {'; '.join(problems)}."
    refused = failure(told, takes) | {"kind": "arguments"}
    if tool.kinds == AGENTS:
        return refused | {"instruction": f"Call {tool.name} again. {takes}"}
    return refused


def _listed(tool: Tool) -> dict[str, Any]:
    schema = _without_titles(tool.arguments.model_json_schema())
    schema.pop("description", None)
    return {"name": tool.name, "description": tool.description, "inputSchema": schema}


def _without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    """pydantic names every field twice; agents pay for each byte of it."""
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        if key in ("properties", "$defs"):
            kept[key] = {name: _without_titles(inner) for name, inner in value.items()}
        elif isinstance(value, dict):
            kept[key] = _without_titles(value)
        elif isinstance(value, list):
            kept[key] = [_without_titles(one) if isinstance(one, dict) else one for one in value]
        else:
            kept[key] = value
    return kept
