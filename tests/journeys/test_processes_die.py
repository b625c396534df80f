"""kill -9 of daemon or coordinator while an agent runs, and two coordinators: one start, one final state."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from house import House

from waiting import eventually

MakeHouse = Callable[..., House]


def waiting_agent(house: House) -> Path:
    """Works, then waits for a file before it ends."""
    go = house.root / "go"
    house.agent(
        "echo x > x.txt && git add -A && git commit -qm work\n"
        f"touch {house.root}/works; n=0\n"
        f"while [ ! -e {go} ]; do n=$((n+1)); [ $n -gt 1200 ] && exit 7; sleep 0.05; done"
    )
    return go


def landed_once(house: House, task: str) -> None:
    assert house.rest(task) == 0, house.story(task)
    runs = house.task(task)["runs"]
    assert [(run["outcome"], run["generation"]) for run in runs] == [("succeeded", 1)]
    assert house.started() == [runs[0]["id"]]
    assert house.text_on("x.txt") == "x"
    assert house.recomputed() == []


@pytest.mark.parametrize("victim", ["coordinator", "daemon", "both"])
def test_killed_during_a_run(make_house: MakeHouse, victim: str) -> None:
    house = make_house()
    go = waiting_agent(house)
    task = house.add("Survive")
    eventually((house.root / "works").exists, within_s=30)
    daemon, coordinator = house.pids()
    if victim in ("coordinator", "both"):
        house.kill(coordinator)
    if victim in ("daemon", "both"):
        house.kill(daemon)
    house.ok("up")
    assert house.started() == [house.task(task)["runs"][0]["id"]]
    go.touch()
    landed_once(house, task)


def test_the_agent_ends_while_nobody_watches(make_house: MakeHouse) -> None:
    house = make_house()
    go = waiting_agent(house)
    task = house.add("End unseen")
    eventually((house.root / "works").exists, within_s=30)
    for pid in house.pids():
        house.kill(pid)
    go.touch()
    eventually(lambda: list(house.home.glob("coordinators/main/runs/*/exit.json")), within_s=30)
    house.ok("up")
    landed_once(house, task)


@pytest.mark.parametrize("name", ["main", "second"])
def test_a_second_coordinator_at_once_starts_nothing_twice(make_house: MakeHouse, name: str) -> None:
    """Another name is another place; the same name supersedes."""
    house = make_house()
    go = waiting_agent(house)
    argv = [sys.executable, "-m", "toryo", "coordinator", "--name", name]
    with (
        (house.root / "second.out").open("w") as output,
        subprocess.Popen(argv, env=house.env, cwd=house.repo, stdout=output, stderr=output) as second,
    ):
        try:
            task = house.add("Only once")
            eventually((house.root / "works").exists, within_s=30)
            assert len(house.started()) == 1
            go.touch()
            landed_once(house, task)
        finally:
            second.terminate()
