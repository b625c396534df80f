"""A task starts from the commit that a person has just made, and one cancelled in time never begins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from house import House

from repositories import git
from waiting import eventually

MakeHouse = Callable[..., House]


def test_a_task_added_right_after_a_commit_starts_from_that_commit(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main")
    house.agent("cp a.txt seen.txt && git add -A && git commit -qm work")
    first = house.add("Warm up")
    assert house.rest(first) == 0, house.story(first)
    for number in range(3):
        (house.repo / "a.txt").write_text(f"mine {number}\n")
        git(house.repo, "commit", "-qam", f"mine {number}")
        task = house.add(f"Copy a {number}")
        assert house.rest(task) == 0, house.story(task)
        assert (house.repo / "seen.txt").read_text() == f"mine {number}\n"


def test_a_task_that_is_cancelled_before_its_agent_begins_never_begins(make_house: MakeHouse) -> None:
    house = make_house(init=False)
    armed = house.root / "crash"
    armed.write_text("prepare.after\n")
    house.env["TORYO_CRASH_FILE"] = str(armed)
    house.ok("init", "--yes", "--base", "main")
    _, coordinator = house.pids()
    house.agent("git commit -q --allow-empty -m work")
    task = house.add("Never mind")
    eventually(lambda: not Path(f"/proc/{coordinator}").exists(), within_s=60, what="the coordinator died")
    armed.write_text("")
    house.ok("task", "cancel", task)
    house.ok("up")
    eventually(lambda: house.task(task)["runs"][0]["ended_at"], within_s=60, what="the run is over")
    assert house.started() == []
    assert house.task(task)["status"] == "cancelled"
