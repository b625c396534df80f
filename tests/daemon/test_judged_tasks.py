"""Judgements of stuck tasks through the daemon: one for each attempt that really failed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mission_shop import PLAN, MissionShop

from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.daemon.close()


def fail(shop: MissionShop) -> None:
    shop.hands.claim("dev", shop.project, request=f"request {shop.planner._seq}")
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), code=3)
    shop.hands.collect(commits=0)


def test_a_task_that_is_tried_again_is_not_judged_before_it_failed_again(shop: MissionShop) -> None:
    mission = shop.planned(plan={**PLAN, "tasks": PLAN["tasks"][:1]})
    shop.daemon.person("approve_mission", mission=mission)
    for attempt in (1, 2):
        fail(shop)
        assert shop.planner.order("judge")["inputs"]["n"] == attempt
        shop.planner.answer("judge", {"action": "retry", "note": "once more"})
        assert shop.planner.orders() == [], "nothing is known of the next attempt yet"
    fail(shop)
    assert shop.planner.orders() == [], "twice a task, then a person looks"
    assert shop.standing(mission) == "active needs_you"
