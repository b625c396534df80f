"""The table of routes against the daemon's tools: tool, arguments, and the view of the answer."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from toryo.daemon.tools.registry import Tool
from toryo.daemon.tools.table import table
from toryo.engine.context import CallerKind
from toryo.fronts.web.routes import ROUTES, Route

TOOLS = {tool.name: tool for tool in table().allowed(CallerKind.OPERATOR)}
PAGE = Path(__file__).parents[2] / "web"
FROM_OUTSIDE = {"path"}
"""A page is in no directory."""
NOT_ON_THE_PAGE = {
    "shutdown": "`toryo down` ends the page with the daemon",
    "start_session": "of an outside orchestrator",
    "end_session": "of an outside orchestrator",
    "issue_coordinator_key": "a key is not for a browser",
    "issue_planner_key": "a key is not for a browser",
    "wait_tasks": "the event channel tells",
    "wait_task": "the event channel tells",
    "wait_mission": "the event channel tells",
    "look_at_settings": "the page's status tells what was read",
    "survey_path": "`toryo init` asks about each check in a terminal",
    "get_config": "`list_config` has it",
    "preview_memory": "a task's prompt has it",
}


@cache
def document() -> str:
    """By a process of its own: other tests make the views of this one stricter than they are."""
    command = [sys.executable, "-m", "toryo.fronts.web.openapi"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def names_in(route: Route) -> set[str]:
    return {part[1:-1] for part in route.path.split("/") if part.startswith("{")}


def tool_of(route: Route) -> Tool:
    return TOOLS[route.tool]


@pytest.mark.parametrize("route", ROUTES, ids=lambda one: f"{one.method} {one.path}")
def test_a_route_gives_its_tool_what_it_takes_and_nothing_else(route: Route) -> None:
    takes = tool_of(route).arguments.model_fields
    gives = names_in(route) | set(route.arguments.model_fields)
    assert gives - set(takes) == set()
    needed = {name for name, field in takes.items() if field.is_required()}
    assert needed - gives == set()


@pytest.mark.parametrize("route", ROUTES, ids=lambda one: f"{one.method} {one.path}")
def test_a_route_tells_the_view_of_its_tool(route: Route) -> None:
    assert route.view is tool_of(route).view


def test_every_tool_of_people_has_a_route_or_a_reason() -> None:
    assert set(TOOLS) - {one.tool for one in ROUTES} == set(NOT_ON_THE_PAGE)


def test_no_two_routes_have_one_address() -> None:
    assert len({(one.method, one.path) for one in ROUTES}) == len(ROUTES)


def test_what_changes_nothing_is_a_get_and_all_else_is_not() -> None:
    reads = ("get_", "list_", "read_", "show_", "why", "doctor", "recompute", "health_check", "export_")
    reads += ("worker_prompt", "attach_run", "search_", "unit_tree", "export_messages")
    assert [one.path for one in ROUTES if one.tool.startswith(reads) is not (one.method == "GET")] == []


def test_the_types_of_the_page_are_made_of_this_document() -> None:
    """Else `npm run types` in web/, and look at what changes for the pages."""
    assert (PAGE / "openapi.json").read_text() == document()


def test_every_failure_and_every_message_of_the_channel_is_in_the_document() -> None:
    told = json.loads(document())
    kinds = {one["$ref"].rpartition("/")[2] for one in told["components"]["schemas"]["Message"]["anyOf"]}
    assert kinds == {
        "TaskUpdate", "TaskAdded", "TaskChanged", "SubjectUpdate", "MissionUpdate", "AttentionUpdate",
        "Resync", "DaemonUpdate",
    }  # fmt: skip
    for path, methods in told["paths"].items():
        for operation in methods.values():
            assert {"200", "4XX", "5XX"} <= set(operation["responses"]), path
    assert not [name for name in told["components"]["schemas"] if "__" in name or "-" in name]
