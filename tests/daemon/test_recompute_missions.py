"""`doctor --recompute` decides missions anew: a cached column that no fact stands behind is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mission_shop import MissionShop

from toryo.settings import Home
from toryo.store.tables import missions


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.daemon.close()


@pytest.mark.parametrize(
    ("column", "value", "what"),
    [
        ("status", "completed", "status"),
        ("reason", "drafting", "status"),
        ("hold", "paused", "hold"),
        ("stop", True, "stop"),
        ("hold_tasks", ["T001"], "hold_tasks"),
    ],
)
def test_each_cached_column_of_a_mission_is_compared(
    shop: MissionShop, column: str, value: Any, what: str
) -> None:
    mission = shop.planned()
    assert shop.daemon.person("recompute")["differences"] == []
    shop.daemon.change(missions.update, mission, **{column: value})
    (found,) = shop.daemon.person("recompute")["differences"]
    assert found["what"] == f"mission {mission} {what}"


def test_a_planner_that_is_not_heard_of_any_more_is_seen_by_its_missions(shop: MissionShop) -> None:
    mission = shop.begin()
    shop.daemon.pass_time(1000)
    assert shop.standing(mission) == "questioning no_planner"
    assert shop.daemon.person("recompute")["differences"] == []
