"""The table of tools: name, who may call it, its arguments, its handler, and what a reader is told.

Each handler is thin; the work is the use case's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toryo.daemon.core.head import Head
from toryo.daemon.tools import (
    accounts,
    agents,
    coordinators,
    evidence,
    memory,
    projects,
    runs,
    sessions,
    settings,
    status,
    targets,
    tasks,
    units,
    why,
)
from toryo.daemon.tools.branches import calls as branches
from toryo.daemon.tools.branches import summary as branch_summary
from toryo.daemon.tools.bus import calls as bus
from toryo.daemon.tools.missions import calls as missions
from toryo.daemon.tools.programs import agent_calls, coordinator_calls
from toryo.daemon.tools.reads import logs, repositories
from toryo.daemon.tools.registry import (
    AGENTS,
    EVERYBODY,
    ORCHESTRATORS,
    PEOPLE,
    Nothing,
    Registry,
    Tool,
)
from toryo.daemon.tools.reviews import calls as reviews
from toryo.domain.times import iso
from toryo.engine.context import Caller
from toryo.protocol.views import status as views


async def health_check(head: Head, caller: Caller, args: Nothing) -> dict[str, Any]:
    body = {
        "success": True,
        "status": "ok",
        "version": head.context.version,
        "timestamp": iso(head.context.clock()),
        "pid": head.context.pid,
    }
    return body | {"instruction": "Call get_my_task."} if caller.kind in AGENTS else body


async def shutdown(head: Head, caller: Caller, args: Nothing) -> views.ShutDown:
    head.stop()
    return {"success": True, "pid": head.context.pid}


OWN = (
    Tool("health_check", EVERYBODY, Nothing, health_check, "Whether the daemon works.", views.Health),
    Tool(
        "shutdown",
        PEOPLE,
        Nothing,
        shutdown,
        "End the daemon; runs go on and are met again by the next one.",
        views.ShutDown,
    ),
)


OF_ORCHESTRATORS = frozenset(
    {
        "list_projects",
        "get_project",
        "get_status",
        "list_events",
        "doctor",
        "why",
        "list_agents",
        "get_agent",
        "assign_agent",
        "unassign_agent",
        "enable_agent",
        "disable_agent",
        "add_task",
        "list_tasks",
        "get_task",
        "wait_task",
        "wait_tasks",
        "update_task",
        "cancel_task",
        "approve_task",
        "reject_task",
        "dismiss_task",
        "retry_task",
        "submit_task",
        "revert_task",
        "get_hand_work",
        "list_runs",
        "get_run",
        "stop_run",
        "say",
        "read_log",
        "get_evidence",
        "read_diff",
        "read_check",
        "worker_prompt",
        "start_mission",
        "list_missions",
        "show_mission",
        "wait_mission",
        "answer_mission",
        "approve_mission",
        "reject_mission",
        "say_mission",
        "set_mission",
        "pause_mission",
        "resume_mission",
        "cancel_mission",
        "budget_mission",
        "export_mission",
        "start_session",
        "end_session",
        "send_to_unit",
        "list_messages",
        "clear_messages",
        "list_memory",
        "show_memory",
        "list_targets",
        "get_target",
        "approve_target",
        "retry_target",
        "list_accounts",
        "release_account",
    }
)
"""The tools of people that an outside AI has, too. A new one is a person's only until it is named here.

Not here: what shows or makes secrets, what runs a program that the caller names, what ends or moves an
installation or a project, what swears that a process is dead, and what takes longer than one call may."""


def _of_whom(tool: Tool) -> Tool:
    return replace(tool, kinds=ORCHESTRATORS) if tool.name in OF_ORCHESTRATORS else tool


def table() -> Registry:
    return Registry(
        _of_whom(tool)
        for tool in (
            *OWN,
            *coordinator_calls.TOOLS,
            *agent_calls.TOOLS,
            *projects.TOOLS,
            *agents.TOOLS,
            *tasks.TOOLS,
            *runs.TOOLS,
            *logs.TOOLS,
            *repositories.TOOLS,
            *branches.TOOLS,
            *branch_summary.TOOLS,
            *evidence.TOOLS,
            *status.TOOLS,
            *sessions.TOOLS,
            *memory.TOOLS,
            *missions.TOOLS,
            *bus.TOOLS,
            *units.TOOLS,
            *reviews.TOOLS,
            *coordinators.TOOLS,
            *settings.TOOLS,
            *why.TOOLS,
            *targets.TOOLS,
            *accounts.TOOLS,
        )
    )
