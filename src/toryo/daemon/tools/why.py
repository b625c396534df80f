"""The tool that says why a status is as it is."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from toryo.daemon.core.head import Head
from toryo.daemon.tools.registry import Arguments, people_tool
from toryo.engine.context import Caller
from toryo.protocol.views import why as views
from toryo.usecases.why import explain


class Why(Arguments):
    id: str = Field(min_length=1, max_length=500, description="A task, run, target branch or project.")
    project: str = ""
    path: str = ""


async def why(head: Head, caller: Caller, args: Why) -> dict[str, Any]:
    return await head.read(explain.why, args.id, args.project, args.path)


TOOLS = (
    people_tool(
        "why",
        Why,
        why,
        views.Why,
        "Why a task, run, target or project stands as it does: facts with their age, what it waits for, "
        "whose turn it is, and what would move it on.",
    ),
)
