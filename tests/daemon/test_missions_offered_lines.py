"""From every reason for which a mission waits for a person, the first line that is offered moves it on."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mission_shop import PLAN, MissionShop, PlannerHands
from test_missions import QUESTIONS
from test_missions_typed import toryo

from toryo import processes
from toryo.domain.reasons import MEANINGS, About, Reason, Turn
from toryo.settings import Home

ELSEWHERE = {Reason.NEEDS_YOU, Reason.FILES_STUCK, Reason.TREE_STOPPED, Reason.PLANNER_AWAY}
"""Answered at its tasks (tests/store/test_offered_lines.py), in test_stuck_files.py, at its units, and in
tests/fronts/test_planner_started.py, where `toryo up` starts a planner."""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    opened.planner = PlannerHands(opened)
    own = processes.own_pid()  # the hands of the test are the coordinator: no command starts another
    noted = {"coordinator": [own, processes.start_time(own)]}
    (tmp_path / "home" / "up.json").write_text(json.dumps(noted))
    try:
        yield opened
    finally:
        opened.close()


def questions(shop: MissionShop) -> str:
    mission = shop.begin()
    shop.planner.answer("question", QUESTIONS)
    return mission


def failed(shop: MissionShop) -> str:
    mission = shop.begin()
    shop.planner.fail("question", "questioned")
    return mission


def faulty(shop: MissionShop) -> str:
    alone = [{**PLAN["tasks"][0], "depends_on": ["T009"]}]
    mission = shop.planned(plan={**PLAN, "tasks": alone})
    for _ in range(2):
        shop.planner.answer("plan", {**PLAN, "tasks": alone})
    return mission


def findings(shop: MissionShop) -> str:
    shop.daemon.person("set_config", key="approval", value="auto")
    mission = shop.begin()
    shop.planner.answer("question", {"title": "Limits", "size": "normal"})
    shop.planner.answer("plan", PLAN)
    shop.planner.answer("analyze", {"findings": [{"where": "plan", "text": "no", "fatal": True}]})
    return mission


def paused(shop: MissionShop) -> str:
    mission = shop.planned()
    shop.daemon.person("pause_mission", mission=mission)
    return mission


def limited(shop: MissionShop) -> str:
    mission = shop.begin(budget={"tokens": 10})
    shop.planner.answer("question", {"title": "X", "size": "small"}, input_tokens=90)
    return mission


def no_planner(shop: MissionShop) -> str:
    mission = shop.begin()
    shop.daemon.pass_time(1000)
    return mission


MADE: dict[Reason, Callable[[MissionShop], str]] = {
    Reason.QUESTIONS: questions,
    Reason.PLANNER_FAILED: failed,
    Reason.NO_PLANNER: no_planner,
    Reason.PLAN_READY: lambda shop: shop.planned(),
    Reason.PLAN_ONLY: lambda shop: shop.planned(plan_only=True),
    Reason.PLAN_FAULTY: faulty,
    Reason.FINDINGS: findings,
    Reason.PAUSED: paused,
    Reason.BUDGET: limited,
}


def test_every_reason_of_a_mission_that_waits_for_a_person_is_walked() -> None:
    of_people = {
        one for one, row in MEANINGS.items() if row.about is About.MISSION and row.turn is Turn.PERSON
    }
    assert set(MADE) | ELSEWHERE >= of_people
    assert Reason.PAUSED in MADE


@pytest.mark.parametrize("reason", MADE)
def test_the_first_line_that_is_offered_moves_it_on(shop: MissionShop, reason: Reason) -> None:
    mission = MADE[reason](shop)
    before = shop.standing(mission)
    assert before.split()[-1].startswith(reason.value) or reason.value in before, before
    told = shop.daemon.person("why", id=mission)
    assert told["turn"] == "person"
    line = told["actions"][0]["line"]
    words = shlex.split(line.replace("…", "once more, please"))
    code, out = toryo(shop, *words[1:])
    assert code == 0, f"{line}: {out}"
    assert shop.standing(mission) != before, line
