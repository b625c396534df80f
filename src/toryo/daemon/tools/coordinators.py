"""Tools of people about coordinators and planners: a key for one."""

from __future__ import annotations

from pydantic import Field

from toryo.daemon.core.head import Head
from toryo.daemon.tools.registry import Arguments, people_tool
from toryo.domain.words import PlaceKind
from toryo.engine.context import Caller
from toryo.protocol.views import coordinators as views
from toryo.usecases.coordinators import coordinators


class Named(Arguments):
    machine: str
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")


async def issue_key(head: Head, caller: Caller, args: Named) -> views.CoordinatorKey:
    return await head.do(coordinators.issue_key, PlaceKind.COORDINATOR, args.machine, args.name)


async def issue_planner_key(head: Head, caller: Caller, args: Named) -> views.CoordinatorKey:
    return await head.do(coordinators.issue_key, PlaceKind.PLANNER, args.machine, args.name)


TOOLS = (
    people_tool(
        "issue_coordinator_key", Named, issue_key, views.CoordinatorKey, "A new key for a coordinator."
    ),
    people_tool(
        "issue_planner_key", Named, issue_planner_key, views.CoordinatorKey, "A new key for a planner."
    ),
)
