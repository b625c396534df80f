"""Scans for a mission: the repository is read once, and nothing that lands has it read again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mission_shop import MissionShop
from test_missions import land
from test_missions_steered import fail, kinds, three_tasks

from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.close()


def scans(shop: MissionShop) -> list[str]:
    shop.daemon.settle()
    orders = shop.hands.speak("next_orders", wait_s=0)["orders"]
    return [one["id"] for one in orders if one["kind"] == "scan"]


def test_after_something_landed_it_is_judged_weighed_and_planned_without_another_scan(
    shop: MissionShop,
) -> None:
    mission = three_tasks(shop)
    land(shop)
    fail(shop)
    assert kinds(shop) == ["judge"]
    shop.planner.answer("judge", {"action": "give_up", "note": ""})
    shop.daemon.person("say_mission", mission=mission, text="in blue")
    shop.planner.answer("impact", {"affected": [], "replan": True})
    assert kinds(shop) == ["plan"]
    assert scans(shop) == []


def test_the_commit_that_was_read_first_stays_that_of_the_mission(shop: MissionShop) -> None:
    mission = shop.begin(paths=("src/a.py",))
    first = shop.planner.answer("question", {"title": "X", "size": "normal"})["inputs"]["scan"]
    assert first
    shop.daemon.person("add_task", project=shop.project, title="Beside", agent="dev", checks=["true"])
    land(shop)
    shop.daemon.person("say_mission", mission=mission, text="in blue")
    order = shop.planner.order("plan")
    assert order["inputs"]["scan"] == first
    assert scans(shop) == []
