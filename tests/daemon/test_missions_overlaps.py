"""Overlaps of predicted writes: tasks that may write the same run one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mission_shop import PLAN, MissionShop
from whole_daemon import Body

from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.close()


def a_task(id: str, path: str, *needs: str) -> Body:
    return {"id": id, "title": id, "write": [path], "checks": ["true"], "depends_on": list(needs)}


def approved(shop: MissionShop, *tasks: Body) -> str:
    mission = shop.planned(plan={**PLAN, "parallelism": 9, "tasks": list(tasks)})
    shop.daemon.person("approve_mission", mission=mission)
    return mission


def replanned(shop: MissionShop, mission: str, *tasks: Body) -> None:
    shop.daemon.person("say_mission", mission=mission, text="otherwise")
    shop.planner.answer("impact", {"affected": [], "replan": True})
    shop.planner.answer("plan", {**PLAN, "parallelism": 9, "tasks": list(tasks)})
    shop.daemon.person("approve_mission", mission=mission)


def needs(shop: MissionShop, mission: str) -> dict[str, list[str]]:
    made = shop.mission_tasks(mission)
    names = {task: id for id, task in made.items()}
    return {
        id: sorted(names[one] for one in shop.task(task)["dependencies"] if one in names)
        for id, task in made.items()
    }


def test_a_predicted_task_waits_for_the_run_of_another_mission_that_may_write_the_same(
    shop: MissionShop,
) -> None:
    shop.setting(missions={"at_once": 2})
    first = approved(shop, a_task("T001", "src/a.py"))
    second = approved(shop, a_task("T001", "src/a.py"), a_task("T002", "src/b.py"))
    assert shop.hands.claim("dev", shop.project, request="first-request")["claimed"]
    running = shop.mission_tasks(first)["T001"]
    assert shop.task(running)["status"] == "running"
    waiting = shop.mission_tasks(second)["T001"]
    told = shop.daemon.person("get_task", task=waiting)["task"]["waits_for"]
    assert (told["code"], told["tasks"]) == ("write_scope", [running])
    assert shop.hands.claim("dev", shop.project, request="second-request")["claimed"]
    assert shop.task(shop.mission_tasks(second)["T002"])["status"] == "running", "what is free goes first"
    assert not shop.hands.should_start("dev", shop.project)


def test_a_kept_task_keeps_waiting_for_what_may_write_the_same(shop: MissionShop) -> None:
    old = (a_task("T001", "src/1.py"), a_task("T002", "src/2.py"), a_task("T003", "src/2.py"))
    mission = approved(shop, *old)
    assert needs(shop, mission) == {"T001": [], "T002": [], "T003": ["T002"]}
    replanned(shop, mission, old[0], old[1], {**old[2], "depends_on": ["T001"]})
    assert needs(shop, mission) == {"T001": [], "T002": [], "T003": ["T001", "T002"]}


def test_a_kept_task_waits_for_a_new_one_that_may_write_the_same(shop: MissionShop) -> None:
    old = (a_task("T001", "src/1.py"), a_task("T002", "src/2.py"))
    mission = approved(shop, *old)
    replanned(shop, mission, a_task("T003", "src/2.py"), *old)
    assert needs(shop, mission) == {"T003": [], "T001": [], "T002": ["T003"]}


def test_a_later_version_may_turn_the_order_of_two_tasks_round(shop: MissionShop) -> None:
    old = (a_task("T001", "src/1.py"), a_task("T002", "src/1.py"))
    mission = approved(shop, *old)
    assert needs(shop, mission) == {"T001": [], "T002": ["T001"]}
    replanned(shop, mission, old[1], old[0])
    assert needs(shop, mission) == {"T002": [], "T001": ["T002"]}
