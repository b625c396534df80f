"""The tools of an outside AI: which there are, how each is described, and how the wait for one task ends."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from whole_daemon import Body, Shop

from toryo.daemon.tools.table import OF_ORCHESTRATORS, table
from toryo.engine.context import CallerKind
from toryo.fronts.bridge import Asked
from toryo.fronts.mcp_server import READS, shorten_wait
from toryo.protocol.orchestrator import ANSWER_WITHIN_S, LONGEST_WAIT_S, key_from
from toryo.settings import Home
from waiting import eventually

PAGE = Path(__file__).parents[2] / "docs/howto/outside-orchestrators.md"
LISTED = table().listing(CallerKind.ORCHESTRATOR)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    opened = Shop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.daemon.close()


def wait(shop: Shop, task: str, timeout_s: float = 0) -> Body:
    return shop.daemon.by(key_from(shop.daemon.operator), "wait_task", task=task, timeout_s=timeout_s)


def test_the_page_shows_the_tools_exactly_as_an_outside_ai_sees_them() -> None:
    shown = re.findall(r"^```json\n(\[.*?\])\n```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in LISTED)
    assert shown == [f"[\n{lines}\n]"], f"the newest list:\n[\n{lines}\n]"


def test_an_outside_ai_has_the_named_tools_of_people_and_no_others() -> None:
    of_people = {tool.name for tool in table().allowed(CallerKind.OPERATOR)}
    assert of_people >= OF_ORCHESTRATORS
    assert {one["name"] for one in LISTED} == OF_ORCHESTRATORS | {"health_check"}


def test_each_tool_is_described_and_takes_an_object_without_other_arguments() -> None:
    for one in LISTED:
        assert len(one["description"]) > 8, one
        schema = one["inputSchema"]
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)


@pytest.mark.parametrize("tool", LISTED, ids=lambda one: one["name"])
def test_no_tool_can_be_asked_to_wait_longer_than_one_call_may(tool: Body) -> None:
    given = tool["inputSchema"].get("properties", {})
    names = {"wait_s"} | ({"timeout_s"} if tool["name"].startswith("wait_") else set())
    limits = [given[name]["maximum"] for name in names & given.keys()]
    assert all(limit <= LONGEST_WAIT_S < ANSWER_WITHIN_S < 50 for limit in limits)
    assert limits or not tool["name"].startswith("wait_")


def test_what_is_asked_again_after_a_restart_only_reads() -> None:
    again = {one["name"] for one in LISTED if one["name"].startswith(READS)}
    changing = {
        "add_",
        "cancel_",
        "approve_",
        "reject_",
        "retry_",
        "submit_",
        "revert_",
        "say",
        "stop_",
        "end_",
    }
    assert not [name for name in again if name.startswith(tuple(changing))]
    assert {"wait_task", "get_evidence", "why"} <= again


@pytest.mark.parametrize(
    ("tool", "left_s", "given", "asked"),
    [
        ("wait_task", 12, {"task": "t1"}, {"task": "t1", "timeout_s": 12}),
        ("wait_task", 12, {"task": "t1", "timeout_s": 40}, {"task": "t1", "timeout_s": 12}),
        ("wait_task", 12, {"task": "t1", "timeout_s": 5}, {"task": "t1", "timeout_s": 5}),
        ("wait_task", 44, {"task": "t1"}, {"task": "t1"}),
        ("wait_tasks", -3, {"tasks": ["t1"]}, {"tasks": ["t1"], "timeout_s": 0}),
        ("list_events", -3, {"wait_s": 30}, {"wait_s": 0}),
        ("list_events", 1, {"after": 3}, {"after": 3}),
        ("add_task", 1, {"title": "x", "timeout_s": 60}, {"title": "x", "timeout_s": 60}),
    ],
)
def test_a_call_that_comes_late_to_the_daemon_waits_only_for_the_rest_of_its_time(
    tool: str, left_s: float, given: Body, asked: Body
) -> None:
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": given},
    }
    one = Asked(json.dumps(message).encode() + b"\n", message, time.monotonic(), READS)
    shorten_wait(one, left_s)
    assert json.loads(one.line)["params"]["arguments"] == asked


def test_a_wait_ends_with_what_is_when_its_time_is_up(shop: Shop) -> None:
    task = shop.add_task()
    found = wait(shop, task, timeout_s=0.2)
    assert (found["id"], found["status"], found["at_rest"], found["needs_you"]) == (
        task,
        "ready",
        False,
        None,
    )


def test_a_wait_goes_on_through_steps_and_ends_at_rest(shop: Shop) -> None:
    shop.add_agent("coder", project=shop.project)
    task = shop.add_task(agent="coder")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait, shop, task, 30)
        eventually(lambda: f"task:{task}" in shop.daemon.head.changes._waiting, what="it waits")
        assert shop.hands.claim("coder", shop.project)["claimed"]
        eventually(lambda: shop.state(task).startswith("running"), what="it runs")
        assert not waiting.done(), "an answer for each step would only cost"
        shop.daemon.person("cancel_task", task=task)
        shop.hands.prepare()
        found: dict[str, Any] = waiting.result(20)
    assert (found["status"], found["at_rest"]) == ("cancelled", True)


def test_a_wait_ends_when_the_task_comes_to_need_a_person_and_not_again_for_the_same(shop: Shop) -> None:
    shop.add_agent("coder", client="codex", project=shop.project)
    shop.hands.speak("tell_clients", clients={"codex": "/bin/codex"})
    task = shop.add_task(agent="coder")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait, shop, task, 30)
        eventually(lambda: f"task:{task}" in shop.daemon.head.changes._waiting, what="it waits")
        shop.hands.speak("tell_clients", clients={"codex": ""})
        found = waiting.result(20)
    assert (found["status"], found["reason"], found["at_rest"]) == ("blocked", "no_program", False)
    assert found["needs_you"]["lines"][0] == "npm install -g @openai/codex"
    begun = time.monotonic()
    assert wait(shop, task, timeout_s=0.3)["needs_you"] is not None
    assert time.monotonic() - begun >= 0.3
