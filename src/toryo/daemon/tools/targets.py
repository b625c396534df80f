"""The tools about target branches: what waits to land on each, and a person's word about one."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.head import Head
from toryo.daemon.tools.registry import Arguments, people_tool
from toryo.domain.words import Verb
from toryo.engine.context import Caller
from toryo.protocol.views import targets as views
from toryo.usecases.targets import targets, verbs


class Where(Arguments):
    project: str = ""
    path: str = ""


class Target(Where):
    target: str = Field(min_length=1)


class Said(Target):
    note: str = ""


async def list_targets(head: Head, caller: Caller, args: Where) -> dict[str, Any]:
    return await head.read(targets.list_targets, args.project, args.path)


async def get_target(head: Head, caller: Caller, args: Target) -> dict[str, Any]:
    return await head.read(targets.get_target, args.target, args.project, args.path)


async def approve_target(head: Head, caller: Caller, args: Said) -> dict[str, Any]:
    return await head.do(verbs.say, Verb.APPROVE, args.target, args.project, args.path, args.note)


async def retry_target(head: Head, caller: Caller, args: Said) -> dict[str, Any]:
    return await head.do(verbs.say, Verb.RETRY, args.target, args.project, args.path, args.note)


TOOLS = (
    people_tool(
        "list_targets", Where, list_targets, views.TargetList, "Target branches, of one project or all."
    ),
    people_tool(
        "get_target",
        Target,
        get_target,
        views.OneTarget,
        "One target branch with its queue.",
    ),
    people_tool(
        "approve_target",
        Said,
        approve_target,
        views.SaidOfTarget,
        "Take a target as it is, or put its tip back.",
    ),
    people_tool(
        "retry_target", Said, retry_target, views.SaidOfTarget, "Check, follow or publish a target once more."
    ),
)
