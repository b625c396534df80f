"""Verdicts on a plan, from the level: what is offered is approved or rejected, also while it is paused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mission_shop import PLAN, MissionShop
from test_missions_steered import THREE, kinds

from toryo.settings import Home

OPEN = "# Feature Specification: X\n\n[NEEDS CLARIFICATION: which colour?]"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.close()


def limited(shop: MissionShop) -> str:
    mission = shop.begin(budget={"tokens": 100})
    shop.planner.answer("question", {"title": "X", "size": "small"})
    shop.planner.answer("plan", PLAN, input_tokens=200)
    assert shop.standing(mission).startswith("paused budget")
    return mission


def paused(shop: MissionShop) -> str:
    mission = shop.planned()
    shop.daemon.person("pause_mission", mission=mission)
    assert shop.standing(mission) == "paused paused"
    return mission


@pytest.mark.parametrize("how", [paused, limited])
def test_a_yes_while_it_is_paused_approves_the_plan_that_waits(shop: MissionShop, how: object) -> None:
    mission = how(shop)  # type: ignore[operator]
    assert shop.daemon.person("say_mission", mission=mission, text="yes")["said"] == "approve"
    assert shop.standing(mission).startswith("paused")
    assert shop.mission(mission)["plan"]["approved_at"]
    if how is paused:
        shop.daemon.person("resume_mission", mission=mission)
    else:
        shop.daemon.person("budget_mission", mission=mission, budget={"tokens": 0})
    assert shop.standing(mission) == "active"
    assert kinds(shop) == []


def test_other_words_while_it_is_paused_reject_the_plan_that_waits(shop: MissionShop) -> None:
    mission = paused(shop)
    assert shop.daemon.person("say_mission", mission=mission, text="no database")["said"] == "reject"
    assert shop.mission(mission)["plan"]["rejected"] == "no database"


def test_a_later_version_that_waits_is_approved_while_it_is_paused(shop: MissionShop) -> None:
    mission = shop.planned(plan={**PLAN, "tasks": THREE[:2]})
    shop.daemon.person("approve_mission", mission=mission)
    shop.daemon.person("say_mission", mission=mission, text="a third part")
    shop.planner.answer("impact", {"affected": [], "replan": True})
    shop.planner.answer("plan", {**PLAN, "tasks": THREE})
    shop.daemon.person("pause_mission", mission=mission)
    assert shop.daemon.person("say_mission", mission=mission, text="y")["said"] == "approve"
    shop.daemon.person("resume_mission", mission=mission)
    assert shop.mission_tasks(mission)["T003"]


def test_a_plan_whose_points_are_asked_is_not_approved(shop: MissionShop) -> None:
    mission = shop.planned(plan={**PLAN, "spec": OPEN})
    refused = shop.daemon.refused(shop.daemon.operator, "approve_mission", mission=mission)
    assert "not offered yet" in refused["error"]
    assert refused["hint"] == f"toryo mission answer {mission} --defaults"
    assert shop.mission(mission)["plan"]["approved_at"] is None


def test_the_points_of_a_plan_with_faults_are_asked_and_it_is_planned_anew_with_the_answers(
    shop: MissionShop,
) -> None:
    alone = [{**PLAN["tasks"][0], "depends_on": ["T009"]}]
    mission = shop.planned(plan={**PLAN, "spec": OPEN, "tasks": alone})
    for _ in range(2):
        shop.planner.answer("plan", {**PLAN, "spec": OPEN, "tasks": alone})
    assert shop.standing(mission) == "questioning questions"
    shop.daemon.person("answer_mission", mission=mission, defaults=False, answers={"V3P1": "red"})
    order = shop.planner.answer("plan", PLAN)
    assert (order["inputs"]["request"], order["inputs"]["n"]) == (2, 0)
    assert shop.standing(mission) == "awaiting_approval plan_ready"


def test_a_plan_that_is_analyzed_is_not_approved(shop: MissionShop) -> None:
    mission = shop.begin()
    shop.planner.answer("question", {"title": "L", "size": "normal"})
    shop.planner.answer("plan", PLAN)
    refused = shop.daemon.refused(shop.daemon.operator, "approve_mission", mission=mission)
    assert refused["hint"] == f"toryo mission wait {mission}"
    said = shop.daemon.refused(shop.daemon.operator, "say_mission", mission=mission, text="y")
    assert said["hint"] == f"toryo mission wait {mission}", "neither does a yes throw it away"
    shop.planner.answer("analyze", {"findings": []})
    assert not shop.daemon.person("approve_mission", mission=mission)["already"]
    assert shop.daemon.person("approve_mission", mission=mission)["already"]
