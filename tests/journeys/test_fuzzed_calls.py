"""Every tool with arguments from its own schema and bent ones, on real processes: each answer has a way out,
nothing is a bug, the store stays what the facts say, and nobody else is disturbed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fuzzed_values import arguments
from house import House
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from daemon.raw_client import RawClient
from daemon.real_daemon import Bystander
from toryo.daemon.tools.registry import (
    AGENTS,
    COORDINATORS,
    EVERYBODY,
    ORCHESTRATORS,
    PEOPLE,
    PLACES,
    PLANNERS,
    RUNS,
    Tool,
)
from toryo.daemon.tools.table import table
from toryo.engine.context import CallerKind
from toryo.fronts import bridge
from toryo.protocol.wire import Connection, RequestRefused, ToolFailed, call
from toryo.settings import Home
from waiting import eventually

pytestmark = pytest.mark.long

MakeHouse = Callable[..., House]

TOOLS = {tool.name: tool for kind in CallerKind for tool in table().allowed(kind)}
SCHEMAS = {one["name"]: one["inputSchema"] for kind in CallerKind for one in table().listing(kind)}
BUDGET = int(os.environ.get("TORYO_FUZZ", "250"))
"""Calls in each of the two campaigns; a longer one sets the variable."""
FUZZ = settings(
    max_examples=BUDGET,
    deadline=None,
    derandomize=BUDGET == 250,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
    database=None,
)
ANOTHER_MACHINE = "somewhere-else"
UNIT = """\
cp "$TORYO_RUN_FILE" {file}.copy && mv {file}.copy {file}
while [ ! -e {over} ]; do sleep 0.2; done
"""


class Target:
    """A house with a project, tasks and an outside agent, and a credential of each kind."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.home = Home(house.home)
        self.operator = self.home.operator_key.read_text().strip()
        self.passkey = self.person("add_agent", name="visitor", client="outside", path=str(house.repo))[
            "passkey"
        ]
        self.task = self.person("add_task", title="Mend it", path=str(house.repo), agent="visitor")["id"]
        later = self.person("add_task", title="Then this", path=str(house.repo), after=[self.task])["id"]
        self.key = self.person("issue_coordinator_key", machine=ANOTHER_MACHINE, name="second")["key"]
        self.planner = self.person("issue_planner_key", machine=ANOTHER_MACHINE, name="second")["key"]
        wish = {"machine": ANOTHER_MACHINE, "name": "second", "boot": "b", "pid": 1}
        call(self.home.address(), "register_coordinator", wish, self.key)
        call(self.home.address(), "register_planner", wish, self.planner)
        project = self.person("list_projects")["projects"][0]
        self.pid = self.person("health_check")["pid"]
        repo, root = str(house.repo), str(house.root)
        self.known = [self.task, later, "visitor", "main", project["id"], project["name"], repo, root]
        self.known += [
            ANOTHER_MACHINE,
            f"{ANOTHER_MACHINE}/second",
            "second",
            "0" * 64,
            "a-request",
            "t",
            "r",
        ]
        self.unit = self._live_unit()
        self.lines = {key: Connection(self.home.address(), key, timeout_s=60) for key in self.keys()}

    def _live_unit(self) -> str:
        """The token of a root unit whose run lives as long as this."""
        file = self.house.root / "credential"
        self.house.agent(UNIT.format(file=file, over=self.house.root / "over"), "divides")
        (self.house.repo / "requirements.yml").write_text("goal: a tree that lives\n")
        self.house.ok("spawn", "--agent", "divides", "--yes", "--onto", "main")
        eventually(file.exists, what="the unit's run", within_s=60)
        return bridge.credential_in(str(file), file.read_bytes())[1]

    def keys(self) -> list[str]:
        return [self.operator, self.key, self.planner, self.unit, ""]

    def person(self, tool: str, /, **given: Any) -> dict[str, Any]:
        return call(self.home.address(), tool, given, self.operator)

    def key_for(self, tool: Tool) -> str:
        return {
            PEOPLE: self.operator,
            ORCHESTRATORS: self.operator,
            COORDINATORS: self.key,
            PLANNERS: self.planner,
            PLACES: self.key,
            RUNS: self.unit,
            AGENTS: "",
            EVERYBODY: "",
        }[tool.kinds]

    def ask(self, tool: Tool, given: dict[str, Any]) -> None:
        try:
            body = self.lines[self.key_for(tool)].call(tool.name, given)
        except RequestRefused:
            return
        except ToolFailed as failed:
            body = failed.body
            assert body["success"] is False
            assert body["error"], (tool.name, given)
            assert body["hint"], (tool.name, body, given)
            assert "bug" not in body, (tool.name, body, given)
        json.dumps(body, allow_nan=False)

    def close(self) -> None:
        (self.house.root / "over").touch()
        for line in self.lines.values():
            line.close()

    def errors_logged(self) -> list[str]:
        lines = (self.home.logs / "daemon.jsonl").read_text().splitlines()
        return [line[:2000] for line in lines if json.loads(line)["level"] in ("error", "critical")]


@pytest.fixture
def target(make_house: MakeHouse) -> Iterator[Target]:
    made = Target(make_house())
    yield made
    made.close()


def bounded(tool: Tool, given: dict[str, Any]) -> dict[str, Any]:
    """A right waiting time, or none at all, is a short one here."""
    waits = [name for name in ("wait_s", "timeout_s") if name in tool.arguments.model_fields]
    long = [name for name in waits if given.get(name, 30) in range(31)]
    return {**given, **dict.fromkeys(long, 0.01)}


def is_harmless(name: str, given: dict[str, Any]) -> bool:
    """It would end the daemon, or wait for the machine that is none."""
    return name not in ("shutdown", "doctor") or bool(given)


def is_still_right(target: Target, other: Bystander) -> None:
    assert other.failed == []
    assert max(other.waited) < 10
    assert target.errors_logged() == []
    assert target.person("health_check")["pid"] == target.pid
    assert target.person("recompute")["differences"] == []


@pytest.mark.slow
def test_no_arguments_of_any_tool_are_more_than_a_failure_with_a_hint(target: Target) -> None:
    calls = st.sampled_from(sorted(TOOLS)).flatmap(
        lambda name: st.tuples(st.just(name), arguments(SCHEMAS[name], target.known))
    )

    @FUZZ
    @given(calls)
    def campaign(asked: tuple[str, dict[str, Any]]) -> None:
        name, given_ = asked
        if is_harmless(name, given_):
            target.ask(TOOLS[name], bounded(TOOLS[name], given_))

    with Bystander(target) as other:
        campaign()
    is_still_right(target, other)


def frames(target: Target) -> st.SearchStrategy[bytes]:
    """A right line with bytes changed, cut out or doubled; or any bytes at all."""
    client = RawClient(target.home.socket, target.operator)
    client.close()
    right = [
        client.request(1, "tools/call", {"name": "list_tasks", "arguments": {"limit": 2}}),
        client.request(2, "tools/list", {}),
        client.request(3, "initialize", {}, modern=False),
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n',
    ]
    splice = st.tuples(
        st.sampled_from(right), st.integers(0, 400), st.integers(0, 20), st.binary(max_size=8)
    ).map(lambda one: one[0][: one[1]] + one[3] + one[0][one[1] + one[2] :])
    return splice | st.binary(max_size=200) | st.sampled_from(right)


@pytest.mark.slow
def test_no_bytes_are_more_than_a_refusal(target: Target) -> None:
    @FUZZ
    @given(st.lists(frames(target), min_size=1, max_size=5))
    def campaign(lines: list[bytes]) -> None:
        with RawClient(target.home.socket, target.operator) as client:
            client.send(b"".join(lines) + b"\n")
            client.send(client.request(99, "tools/call", {"name": "health_check"}))
            while (answer := client.read()).get("id") != 99:
                if "error" in answer:
                    assert answer["error"]["code"] != -32603, answer
                    assert answer["error"].get("data"), answer
                elif answer["result"].get("isError"):
                    body = answer["result"]["structuredContent"]
                    assert body == json.loads(answer["result"]["content"][0]["text"])
                    assert body["hint"]
                    assert "bug" not in body

    with Bystander(target) as other:
        campaign()
    is_still_right(target, other)
