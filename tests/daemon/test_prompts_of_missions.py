"""What a prompt says of its mission: every answer of the person, what the task builds on, no more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mission_shop import PLAN, MissionShop
from test_missions import QUESTIONS

from toryo.domain.words import CheckResult
from toryo.protocol.kinds.gate import Checked
from toryo.protocol.kinds.run import Said
from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.close()


WORDS = {"T001": "marmalade", "T002": "xylophone", "T003": "turpentine"}
TITLES = {"T001": "Count requests", "T002": "Write the manual", "T003": "Refuse more"}


def tasks(**fields: dict[str, Any]) -> list[dict[str, Any]]:
    """Two that need nothing of each other, and one that needs the first; each has a word of its own."""
    return [
        {
            "id": id,
            "title": TITLES[id],
            "description": f"Mind the {word}.",
            "depends_on": ["T001"] if id == "T003" else [],
            "checks": ["true"],
            **fields.get(id, {}),
        }
        for id, word in WORDS.items()
    ]


def prompts(shop: MissionShop, mission: str) -> dict[str, str]:
    """Plan id → the prompt that its task's next run gets."""
    made = shop.mission_tasks(mission)
    return {id: shop.daemon.person("worker_prompt", task=task)["prompt"] for id, task in made.items()}


def test_every_prompt_has_every_answer_and_only_its_own_description(shop: MissionShop) -> None:
    mission = shop.begin()
    shop.planner.answer("question", QUESTIONS)
    shop.daemon.person("answer_mission", mission=mission, answers={"Q1": "address"}, defaults=True)
    shop.planner.answer("plan", {**PLAN, "tasks": tasks()})
    shop.daemon.person("approve_mission", mission=mission)
    for id, text in prompts(shop, mission).items():
        assert "- Per user or per address?\n  → address\n- How many a minute?\n  → 60\n" in text
        assert {word for word in WORDS.values() if word in text} == {WORDS[id]}
        assert "This task is one part of: Rate limits" in text


def test_a_task_that_needs_another_is_told_what_that_ones_agent_said_and_its_neighbours_titles(
    shop: MissionShop,
) -> None:
    mission = shop.planned(plan={**PLAN, "tasks": tasks()})
    shop.daemon.person("approve_mission", mission=mission)
    land_first(shop, mission, "The counter is in src/a.py.")
    text = prompts(shop, mission)["T003"]
    before, _, beside = text.partition("## What has landed before it")[2].partition("## Other parts")
    assert "- Count requests: The counter is in src/a.py.\n" in before
    assert "- Write the manual\n" in beside
    assert "- Count requests" not in beside, "it stands above"
    assert "- Refuse more" not in beside, "that is itself"


@pytest.mark.parametrize(("length", "is_rich"), [(800, False), (801, True)])
def test_without_answers_or_predecessors_a_long_description_alone_brings_the_neighbours(
    shop: MissionShop, length: int, is_rich: bool
) -> None:
    wanted = tasks(T002={"description": "x" * length})
    mission = shop.planned(plan={**PLAN, "tasks": wanted})
    shop.daemon.person("approve_mission", mission=mission)
    text = prompts(shop, mission)["T002"]
    assert ("- Refuse more\n" in text, "## Other parts of the mission" in text) == (is_rich, is_rich)
    assert "This task is one part of: Limits" in text


def land_first(shop: MissionShop, mission: str, words: str) -> None:
    """Its first task lands; these are its agent's last words."""
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    order = shop.hands.start()
    assert order["inputs"]["task"] == shop.mission_tasks(mission)["T001"]
    shop.hands.exit(order, said=Said(result="success", words=words))
    shop.hands.collect()
    shop.hands.build()
    shop.hands.report(shop.hands.order("check"), "checked", Checked(result=CheckResult.PASSED, exit_code=0))
    shop.hands.land()
