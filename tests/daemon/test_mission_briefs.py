"""What a model is told of a long conversation: every word of the person's and of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mission_shop import MissionShop

from toryo.domain.words import Speaker
from toryo.engine.missions.conversation import say
from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.close()


def test_of_a_long_conversation_the_oldest_lines_of_toryo_itself_are_left_out_and_nobodys_words(
    shop: MissionShop,
) -> None:
    mission = shop.begin("Limit requests")
    shop.planner.order("question")

    def talk(tx: Any) -> None:
        for number in range(150):
            say(tx, mission, Speaker.PERSON, f"person {number}")
            say(tx, mission, Speaker.SYSTEM, f"system {number}")
            say(tx, mission, Speaker.PROGRESS, f"progress {number}")
            say(tx, mission, Speaker.PLANNER, f"planner {number}")

    shop.daemon.change(talk)
    shop.daemon.person("say_mission", mission=mission, text="and for PUT")
    told = [one.text for one in shop.planner.brief(shop.planner.order("question")).conversation]
    assert [one for one in told if one.startswith(("person", "planner"))] == [
        f"{who} {number}" for number in range(150) for who in ("person", "planner")
    ]
    assert [one for one in told if one.startswith(("system", "progress"))] == []


def test_lines_of_toryo_itself_stay_as_long_as_there_is_room(shop: MissionShop) -> None:
    mission = shop.begin("Limit requests")
    shop.planner.order("question")

    def talk(tx: Any) -> None:
        for number in range(110):
            say(tx, mission, Speaker.PERSON, f"person {number}")
            say(tx, mission, Speaker.SYSTEM, f"system {number}")

    shop.daemon.change(talk)
    shop.daemon.person("say_mission", mission=mission, text="and for PUT")
    told = [one.text for one in shop.planner.brief(shop.planner.order("question")).conversation]
    assert len(told) == 200
    assert [one for one in told if one.startswith("system")][-1] == "system 109"
    assert "person 0" in told
