"""One account serves planner and workers: a limit that either of them meets parks it for both."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from mission_shop import PLAN, MissionShop
from whole_daemon import Body

from toryo.domain.times import iso
from toryo.protocol.kinds.run import Limited, Said
from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    """Claude plans, and drives the agent `second`; `other` is driven by codex."""
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    opened.daemon.person("set_config", key="planner.via", value="claude")
    for name, client in (("second", "claude"), ("other", "codex")):
        opened.add_agent(name, client=client, project=opened.project)
    try:
        yield opened
    finally:
        opened.close()


def account(shop: MissionShop, client: str = "claude") -> Body:
    found = shop.daemon.person("list_accounts")["accounts"]
    return next(one for one in found if one["client"] == client)


def limit_the_planner(shop: MissionShop, seconds: float = 3600) -> str:
    """When it ends."""
    until = str(iso(shop.daemon.now() + seconds))
    order = shop.planner.order("question")
    told = {"why": "usage_limit", "message": "5-hour limit", "until": until, "via": "claude"}
    shop.planner.report("model_waiting", order["id"], told)
    return until


def test_a_limit_of_the_planners_cli_parks_the_agents_of_that_cli_and_no_others(shop: MissionShop) -> None:
    mission = shop.begin()
    waiting, free = shop.add_task(agent="second"), shop.add_task(agent="other")
    assert shop.hands.should_start("second", shop.project)
    until = limit_the_planner(shop)
    assert not shop.hands.should_start("second", shop.project)
    assert shop.hands.should_start("other", shop.project)
    assert shop.task(free)["waits_for"]["code"] != "account"
    assert "usage limit of claude until" in shop.task(waiting)["waits_for"]["what"]
    assert shop.standing(mission) == "questioning planner_waits:usage_limit"
    one = account(shop)
    assert (one["parked"], one["why"], one["message"], one["until"]) == (
        True,
        "usage_limit",
        "5-hour limit",
        until,
    )
    assert one["tasks"] == [waiting]
    assert [one["client"] for one in shop.daemon.person("get_status")["parked"]] == ["claude"]
    shop.daemon.pass_time(3601)
    assert shop.hands.should_start("second", shop.project)


def test_released_both_go_on_and_the_planner_is_asked_anew(shop: MissionShop) -> None:
    shop.begin()
    shop.add_task(agent="second")
    limit_the_planner(shop)
    before = shop.planner.order("question")["id"]
    shop.daemon.person("release_account", client="claude")
    assert shop.hands.should_start("second", shop.project)
    again = shop.planner.order("question")
    assert again["id"] != before
    assert account(shop)["parked"] is False


def test_an_answer_of_the_model_ends_the_wait_of_its_agents(shop: MissionShop) -> None:
    shop.begin()
    shop.add_task(agent="second")
    limit_the_planner(shop)
    shop.planner.answer("question", {"title": "Limits", "size": "small"})
    assert shop.hands.should_start("second", shop.project)


def test_a_limit_that_an_agent_met_holds_new_calls_of_the_planner_until_it_ends(shop: MissionShop) -> None:
    shop.add_task(agent="second")
    assert shop.hands.claim("second", shop.project)["claimed"]
    shop.hands.prepare()
    limited = Limited(why="usage_limit", message="5-hour limit", resets_at=str(iso(shop.daemon.now() + 600)))
    shop.hands.exit(shop.hands.start(), 1, Said(result="error", limited=limited))
    shop.hands.collect(0)
    mission = shop.begin()
    assert shop.standing(mission) == "questioning planner_waits:usage_limit"
    assert shop.planner.orders() == [], "no call is made for nothing"
    shop.daemon.pass_time(601)
    shop.planner.answer("question", {"title": "Limits", "size": "small"})
    shop.planner.answer("plan", PLAN)
    assert shop.standing(mission) == "awaiting_approval plan_ready"


def test_an_endpoint_at_its_limit_parks_no_agent(shop: MissionShop) -> None:
    shop.begin()
    shop.add_task(agent="second")
    told = {"why": "usage_limit", "message": "429", "until": "", "via": "http"}
    shop.planner.report("model_waiting", shop.planner.order("question")["id"], told)
    assert shop.hands.should_start("second", shop.project)
    assert json.dumps(shop.daemon.person("get_status")["parked"]) == "[]"
