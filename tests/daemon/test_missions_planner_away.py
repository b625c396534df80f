"""Planners that are dead or were never started: whoever waits for one is told, with the line to type."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mission_shop import MissionShop, PlannerHands
from test_missions_steered import fail, one_task
from whole_daemon import Body

from toryo.protocol.kinds.files import Scanned
from toryo.settings import Home
from toryo.usecases.status.doctor import doctor


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    opened.daemon.person("set_config", key="planner.base_url", value="http://127.0.0.1:9/v1")
    opened.daemon.person("set_config", key="planner.model", value="x")
    try:
        yield opened
    finally:
        opened.close()


def needs(shop: MissionShop, mission: str) -> list[Body]:
    shop.daemon.settle()
    asked = shop.daemon.person("get_status")["needs_you"]
    return [one for one in asked if one["subject"] == f"mission:{mission}"]


def found(shop: MissionShop) -> list[tuple[str, str]]:
    listed = shop.daemon.do(doctor, {})["findings"]
    return [(one["level"], one["hint"]) for one in listed if "planner" in one["what"]]


def test_a_mission_whose_planner_was_never_started_says_so_after_a_while(shop: MissionShop) -> None:
    begun = shop.daemon.person("start_mission", text="Limit requests", project=shop.project)
    mission = begun["mission"]
    shop.daemon.settle()
    shop.hands.report(shop.hands.order("scan"), "scanned", Scanned(has_tests=True, paths=()))
    assert shop.standing(mission) == "questioning asking", "it may be about to start"
    assert found(shop) == [("note", "toryo up")]
    shop.daemon.pass_time(31)
    assert shop.standing(mission) == "questioning planner_away"
    (asked,) = needs(shop, mission)
    assert asked["lines"][0] == "toryo up"
    assert shop.daemon.person("why", id=mission)["turn"] == "person"
    assert found(shop) == [("error", "toryo up")]
    shop.planner = PlannerHands(shop)
    assert shop.standing(mission) == "questioning asking"
    assert (needs(shop, mission), found(shop)) == ([], [])
    shop.planner.answer("question", {"title": "Limits", "size": "small"})
    assert shop.standing(mission) == "planning drafting"


def test_one_that_died_is_missed_and_its_return_is_seen(shop: MissionShop) -> None:
    mission = shop.begin()
    assert shop.planner.order("question")
    shop.daemon.pass_time(60)
    assert shop.standing(mission) == "questioning planner_away"
    shop.planner.order("question")
    shop.planner.speak("heartbeat", live_runs=[])
    assert shop.standing(mission) == "questioning asking"


def test_nobody_is_told_of_a_planner_that_nothing_waits_for(shop: MissionShop) -> None:
    mission = shop.planned()
    shop.daemon.pass_time(60)
    assert shop.standing(mission) == "awaiting_approval plan_ready"
    assert found(shop) == [("note", "toryo up")]


def test_a_judgement_waits_for_a_planner_too(shop: MissionShop) -> None:
    mission, _ = one_task(shop)
    fail(shop)
    assert shop.standing(mission) == "active judging"
    for _ in range(12):
        shop.daemon.pass_time(5)
        shop.hands.speak("heartbeat", live_runs=[])
    assert shop.standing(mission) == "active planner_away"
