"""An outside AI directs the work over `toryo mcp`, with a raw client of its stdio and the real parts."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from house import House

from fronts.stdio_client import StdioClient
from waiting import eventually

MakeHouse = Callable[..., House]
WORK = 'echo "$TORYO_PURPOSE" > made.txt && git add made.txt && git commit -qm made'


@pytest.fixture
def outside_ai() -> Iterator[Callable[[House], StdioClient]]:
    clients: list[StdioClient] = []

    def start(house: House) -> StdioClient:
        clients.append(StdioClient(sys.executable, "-m", "toryo", "mcp", env=house.env))
        return clients[-1]

    yield start
    for client in clients:
        client.close()


def at_rest(client: StdioClient, task: str) -> dict[str, Any]:
    """Called again until it is, as an AI does."""

    def found() -> dict[str, Any]:
        now = client.call("wait_task", task=task, timeout_s=20)
        return now if now["at_rest"] else {}

    return eventually(found, within_s=90, what="the task is at rest")


def test_it_adds_a_task_waits_for_it_and_reads_its_evidence(make_house: MakeHouse, outside_ai: Any) -> None:
    house = make_house({"README.md": "hello\n", "Makefile": "test:\n\ttest -e README.md\n"})
    house.agent(WORK)
    house.ok("agent", "assign", "worker", "--default")
    house.ok("down")
    client = outside_ai(house)  # the parts are started, as by any command of a person
    told = client.initialize()
    assert "wait_task" in told["instructions"]
    added = client.call("add_task", title="Make it", path=str(house.repo))
    ended = at_rest(client, added["id"])
    assert (ended["status"], ended["needs_you"]) == ("done", None), house.story(added["id"])
    evidence = client.call("get_evidence", task=added["id"])
    assert evidence["verdict"] == "green"
    assert "made.txt" in house.files_on("main")
    assert "+implement" in client.call("read_diff", task=added["id"])["text"]
    assert client.leave() == 0
    secret = (house.home / "operator.key").read_bytes().strip()
    assert secret not in client.seen
    assert b"orch_" not in client.seen


def test_a_daemon_that_was_killed_is_started_again_and_a_wait_goes_on(
    make_house: MakeHouse, outside_ai: Any
) -> None:
    house = make_house()
    house.agent(f"while ! test -e {house.root}/go; do sleep 0.05; done\n{WORK}")
    house.ok("agent", "assign", "worker", "--default")
    client = outside_ai(house)
    client.initialize()
    task = client.call("add_task", title="Go on", path=str(house.repo))["id"]
    asked = {"name": "wait_task", "arguments": {"task": task, "timeout_s": 40}}
    waiting = client.request("tools/call", asked)
    eventually(house.started, within_s=60, what="the agent works")
    house.kill(house.pids()[0])
    (house.root / "go").touch()
    now = client.answer(waiting)["result"]["structuredContent"]
    assert now["success"] is True, "it was asked again, of a new daemon"
    assert at_rest(client, task)["status"] == "done", house.story(task)


def test_a_daemon_that_a_person_took_down_stays_down_and_the_call_says_so(
    make_house: MakeHouse, outside_ai: Any
) -> None:
    house = make_house()
    client = outside_ai(house)
    client.initialize()
    assert client.call("list_tasks")["success"] is True
    house.ok("down")
    refused = client.call("list_tasks")
    assert "toryo up" in refused["hint"]
    assert not (house.home / "up.json").exists()
    house.ok("up")
    assert client.call("list_tasks")["success"] is True, "the pipe stayed open"


def test_a_daemon_that_says_nothing_holds_no_call_beyond_its_time(
    make_house: MakeHouse, outside_ai: Any
) -> None:
    house = make_house()
    client = outside_ai(house)
    client.initialize()
    client.call("health_check")
    daemon = house.pids()[0]
    os.kill(daemon, signal.SIGSTOP)
    try:
        number = client.request("tools/call", {"name": "get_status", "arguments": {}})
        late = client.next(limit_s=50)
    finally:
        os.kill(daemon, signal.SIGCONT)
    assert late["id"] == number
    assert late["result"]["isError"] is True
    assert "call again" in late["result"]["structuredContent"]["hint"]
    assert client.call("get_status")["success"] is True, "the late answer of the first call is nobody's"


def test_what_only_a_person_may_do_is_not_listed_and_refused(make_house: MakeHouse, outside_ai: Any) -> None:
    house = make_house()
    client = outside_ai(house)
    client.initialize()
    listed = {one["name"] for one in client.ask("tools/list")["tools"]}
    kept = {"shutdown", "add_agent", "new_passkey", "set_config", "issue_coordinator_key", "remove_project"}
    assert listed & (kept | {"claim_run", "report_facts", "authenticate"}) == set()
    for name in kept:
        refused = client.call(name)
        assert "operator key" in refused["error"]
        assert refused["hint"]
    assert "Did you mean add_task?" in client.call("add_tasks")["hint"]


@pytest.mark.parametrize("clean", [False, True])
def test_inside_a_run_it_is_refused_with_or_without_the_runs_environment(
    make_house: MakeHouse, clean: bool
) -> None:
    """Codex starts MCP servers in an environment of its own."""
    house = make_house()
    without = f'env -i PATH="$PATH" TORYO_HOME={house.home} ' if clean else ""
    said = house.root / "said"
    house.agent(
        f"{without}{sys.executable} -m toryo mcp < /dev/null > {said} 2>&1; echo $? >> {said}\n{WORK}"
    )
    house.ok("agent", "assign", "worker", "--default")
    task = house.add("Try to direct")
    assert house.rest(task) == 0, house.story(task)
    lines = said.read_text().splitlines()
    assert lines[-1] == "1"
    assert "This is inside the run" in lines[0]
    assert lines[1].startswith("Hint: ")
