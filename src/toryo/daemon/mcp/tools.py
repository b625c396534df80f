"""The table of tools: name, who may call it, its arguments, its handler, and what a reader is told.

Each handler is thin; the work is the use case's.
"""

from __future__ import annotations

from typing import Any

from toryo.daemon.head import Head
from toryo.daemon.mcp import (
    agent_tools,
    coordinator_tools,
    hand_tools,
    people_tools,
    project_tools,
    running_tools,
    settings_tools,
)
from toryo.daemon.mcp.registry import AGENTS, EVERYBODY, PEOPLE, Nothing, Registry, Tool
from toryo.domain.times import iso
from toryo.usecases.context import Caller


async def health_check(head: Head, caller: Caller, args: Nothing) -> dict[str, Any]:
    body = {
        "success": True,
        "status": "ok",
        "version": head.context.version,
        "timestamp": iso(head.context.clock()),
        "pid": head.context.pid,
    }
    return body | {"instruction": "Call get_my_task."} if caller.kind in AGENTS else body


async def shutdown(head: Head, caller: Caller, args: Nothing) -> dict[str, Any]:
    head.stop()
    return {"success": True, "pid": head.context.pid}


OWN = (
    Tool("health_check", EVERYBODY, Nothing, health_check, "Whether the daemon works."),
    Tool(
        "shutdown", PEOPLE, Nothing, shutdown, "End the daemon; runs go on and are met again by the next one."
    ),
)


def table() -> Registry:
    return Registry(
        (
            *OWN,
            *coordinator_tools.TOOLS,
            *agent_tools.TOOLS,
            *people_tools.TOOLS,
            *hand_tools.TOOLS,
            *project_tools.TOOLS,
            *running_tools.TOOLS,
            *settings_tools.TOOLS,
        )
    )
