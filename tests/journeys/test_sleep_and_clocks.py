"""The machine sleeps past every deadline, or its clock is set: nothing ends by it, and work goes on."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from house import House

from repositories import commit_files
from toryo.protocol.wire import call
from toryo.settings import Home
from waiting import eventually

pytestmark = pytest.mark.long

MakeHouse = Callable[..., House]
HOURS = 3600
ENDED_BY_TIME = ("session_expired", "run_expired", "run_lost", "coordinator_unseen")


@dataclass
class Busy:
    """A connected agent at work, an outside agent with a session, and a clock that can be set."""

    house: House
    clock: Path
    go: Path
    mine: str
    visit: str
    visitor: dict[str, Any]

    def set_clock(self, seconds: int) -> None:
        half = self.clock.with_suffix(".new")
        half.write_text(str(seconds))
        half.replace(self.clock)

    def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        given = {"session_token": self.visitor["session_token"], **arguments}
        return call(Home(self.house.home).socket_in_use(), tool, given, "")

    def events(self) -> list[dict[str, Any]]:
        lines = self.house.ok("events", "--limit", "1000", "--json").splitlines()
        return [json.loads(line) for line in lines]

    def goes_on(self) -> None:
        """Both sessions are good, each run ends by its own record, and what was done lands."""
        assert self.house.state(self.mine) == "running implement"
        assert self.house.state(self.visit) == "running outside"
        place = Path(self.ask("get_my_task")["task"]["working_directory"])
        commit_files(place, {"visit.txt": "hello\n"})
        told = self.ask("report_completed", result="success", summary="done")
        assert not told.get("late"), told
        self.go.touch()
        assert self.house.rest(self.mine) == 0, self.house.story(self.mine)
        (run,) = self.house.task(self.mine)["runs"]
        assert run["outcome"] == "succeeded", run
        claims = [(one["result"], bool(one.get("late"))) for one in self.house.task(self.mine)["claims"]]
        assert claims == [("success", False)]
        assert self.house.started().count(run["id"]) == 1
        assert self.house.rest(self.visit) == 1
        assert self.house.state(self.visit) == "needs_review outside_run"
        assert self.house.recomputed() == []

    def ended_by_time(self) -> list[str]:
        return [one["kind"] for one in self.events() if one["kind"] in ENDED_BY_TIME]


@pytest.fixture
def busy(make_house: MakeHouse) -> Busy:
    house = make_house(init=False)
    clock, go, script = house.root / "clock", house.root / "go", house.root / "script.yaml"
    house.env["TORYO_CLOCK_FILE"] = str(clock)
    (house.home / "coordinators" / "main" / "coordinator.yaml").write_text("polling_interval: 10\n")
    house.ok("init", "--yes", "--base", "main")
    steps = [
        {"mcp": {"tool": "authenticate"}},
        {"run": f"echo $TORYO_RUN >> {house.starts}; while [ ! -e {go} ]; do sleep 0.05; done"},
        {"write": {"path": "work.txt", "text": "done\n"}},
        {"commit": "work"},
        {"claim": {"result": "success", "summary": "it works"}},
    ]
    script.write_text(json.dumps(steps))
    house.ok(
        *("agent", "add", "worker", "--client", "scripted", "--command", str(script), "--access", "connected")
    )
    passkey = house.read("agent", "add", "visitor", "--client", "outside")["passkey"]
    mine, visit = house.add("Work", "--agent", "worker"), house.add("Visit", "--agent", "visitor")
    who = {"agent_id": "visitor", "project_id": house.read("status")["projects"][0]["id"], "passkey": passkey}
    visitor = call(Home(house.home).socket_in_use(), "authenticate", who, "")
    found = Busy(house, clock, go, mine, visit, visitor)
    assert found.ask("get_my_task")["has_task"]
    eventually(lambda: house.state(mine) == "running implement" and house.starts.exists(), within_s=30)
    return found


@pytest.mark.parametrize("first", ["daemon", "coordinator"])
def test_the_machine_sleeps_past_every_deadline(busy: Busy, first: str) -> None:
    house = busy.house
    daemon, coordinator = house.pids()
    asleep = house._left()
    assert {daemon, coordinator} < set(asleep), "its agents and their shims sleep, too"
    for pid in asleep:
        os.kill(pid, signal.SIGSTOP)
    busy.set_clock(30 * HOURS)
    early = daemon if first == "daemon" else coordinator
    os.kill(early, signal.SIGCONT)
    if first == "daemon":
        eventually(lambda: house.state(busy.mine) == "running implement", what="the daemon is awake")
        assert busy.ended_by_time() == [], "nothing is decided before the others are awake"
    for pid in asleep:
        os.kill(pid, signal.SIGCONT)
    busy.goes_on()
    assert busy.ended_by_time() == []
    gaps = [one["body"]["gap_s"] for one in busy.events() if one["kind"] == "deadlines_extended"]
    assert sum(gaps) == pytest.approx(30 * HOURS, abs=60)


@pytest.mark.parametrize("hours", [(30, -30), (-30, 30)])
def test_the_clock_is_set_forward_and_back(busy: Busy, hours: tuple[int, int]) -> None:
    house = busy.house
    for number, by in enumerate(hours):
        busy.set_clock(by * HOURS)
        house.agent(f"echo {number} > n{number}.txt && git add -A && git commit -qm work", name=f"a{number}")
        task = house.add(f"After {by} hours", "--agent", f"a{number}")
        assert house.rest(task) == 0, house.story(task)
        daemon, coordinator = house.pids()
        house.kill(daemon)  # the next one knows from files when it was last alive
        house.kill(coordinator)
        house.ok("up")
    busy.goes_on()
    assert busy.ended_by_time() == []
    listed = busy.events()
    assert [one["seq"] for one in listed] == sorted({one["seq"] for one in listed})
