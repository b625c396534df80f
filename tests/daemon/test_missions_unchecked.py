"""A plan that no command checks: it says what settings it needs, and is judged again with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mission_shop import PLAN, MissionShop
from test_missions_taken_in import FILES, take_in
from test_what_prompts_name import settings
from whole_daemon import Body

from toryo.settings import Home

NONE, ONE = "base: main\n", "base: main\ndod: {checks: [{type: test, command: make test}]}\n"
WAY_OUT = "`dod: checks` in .toryo/config.yaml"
UNCHECKED: Body = {**PLAN, "tasks": [{**one, "checks": []} for one in PLAN["tasks"]]}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.close()


def test_a_folder_taken_in_where_nothing_checks_waits_for_settings_and_goes_on_with_them(
    shop: MissionShop,
) -> None:
    mission = take_in(shop, FILES)
    now = shop.mission(mission)
    assert (now["status"], now["reason"]) == ("awaiting_approval", "plan_faulty")
    (fault,) = now["plan"]["faults"]
    assert "T002, T003, T004" in fault, "one line, however many tasks there are"
    (need,) = shop.daemon.person("get_status")["needs_you"]
    refused = shop.daemon.refused(shop.daemon.operator, "approve_mission", mission=mission)
    for told in (fault, now["detail"], need["why"], refused["hint"]):
        assert WAY_OUT in told
    settings(shop, ONE)
    now = shop.mission(mission)
    assert (now["status"], now["reason"], now["detail"]) == ("awaiting_approval", "plan_ready", "")
    assert now["plan"]["faults"] == []
    shop.daemon.person("approve_mission", mission=mission)
    assert shop.standing(mission) == "active"


def test_what_is_started_at_once_is_told_at_once_that_nothing_checks_it(shop: MissionShop) -> None:
    begun = take_in(shop, FILES, whole=True)
    assert any(WAY_OUT in note for note in begun["notes"])


def test_checks_of_new_settings_end_the_mending_of_a_plan_that_had_none(shop: MissionShop) -> None:
    mission = shop.planned(plan=UNCHECKED)
    mend = shop.planner.order("plan")
    assert mend["inputs"]["n"] == 1
    settings(shop, ONE)
    assert shop.standing(mission) == "awaiting_approval plan_ready"
    assert shop.planner.orders() == [], "nobody waits for the mended plan"
    settings(shop, NONE)
    assert shop.standing(mission) == "planning mending", "without checks it cannot be started again"


def test_an_approved_plan_is_judged_no_more(shop: MissionShop) -> None:
    settings(shop, ONE)
    mission = shop.planned(plan=UNCHECKED)
    shop.daemon.person("approve_mission", mission=mission)
    settings(shop, NONE)
    assert shop.standing(mission) == "active"
    assert shop.mission(mission)["plan"]["faults"] == []


def test_an_agent_that_comes_to_the_project_ends_the_fault_that_it_was_missing(shop: MissionShop) -> None:
    wanted = [{**PLAN["tasks"][0], "agent": "painter"}]
    mission = shop.planned(plan={**PLAN, "tasks": wanted})
    assert shop.standing(mission) == "planning mending"
    shop.add_agent("painter")
    shop.daemon.person("assign_agent", agent="painter", project=shop.project)
    assert shop.standing(mission) == "awaiting_approval plan_ready"
