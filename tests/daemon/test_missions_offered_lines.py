"""From every reason for which a mission waits for a person, the first line that is offered moves it on."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mission_shop import PLAN, MissionShop, PlannerHands
from test_landings_of_files import WORK, write
from test_missions import QUESTIONS, land
from test_missions_steered import fail, one_task
from test_missions_typed import toryo

from toryo import processes
from toryo.domain.reasons import MEANINGS, About, Reason, Turn
from toryo.protocol.kinds.landing import Accepted, Published
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


@pytest.mark.parametrize("end", ["completed", "cancelled", "failed"])
def test_what_an_ended_mission_hints_at_goes_on_from_it(shop: MissionShop, end: str) -> None:
    shop.setting(specs={"write": "never"})
    mission, _ = one_task(shop)
    if end == "completed":
        land(shop)
    elif end == "cancelled":
        shop.daemon.person("cancel_mission", mission=mission)
    else:
        fail(shop)
        shop.planner.answer("judge", {"action": "give_up", "note": "cannot be done"})
    assert shop.standing(mission).startswith(end)
    for verb, given in (("say", {"text": "more"}), ("pause", {}), ("budget", {"budget": {"tokens": 1}})):
        refused = shop.daemon.refused(shop.daemon.operator, f"{verb}_mission", mission=mission, **given)
        assert f"toryo do --follow {mission}" in refused["hint"]
    later = shop.begin("More of it", follow=mission)
    assert shop.mission(later)["follows"] == mission
    brief = shop.planner.brief(shop.planner.order("question"))
    assert brief.follows is not None
    assert brief.follows.mission == mission


def test_a_mission_under_way_is_not_followed_and_the_line_that_changes_it_does(shop: MissionShop) -> None:
    mission = shop.planned()
    wish = {"text": "x", "project": shop.project, "follow": mission}
    refused = shop.daemon.refused(shop.daemon.operator, "start_mission", **wish)
    assert f"toryo mission say {mission}" in refused["hint"]
    assert shop.daemon.person("say_mission", mission=mission, text="x")["said"] == "reject"


def test_the_spec_of_a_mission_is_continued_only_where_it_landed(shop: MissionShop) -> None:
    mission = shop.planned()
    shop.daemon.person("cancel_mission", mission=mission)
    later = shop.begin("Again", follow=mission)
    shop.setting(specs={"write": "always"})
    shop.planner.answer("question", {"title": "Again", "size": "normal"})
    told = shop.mission(later)
    assert told["spec"] is not None
    assert told["spec"] != shop.mission(mission)["spec"]
    shop.setting(specs={"write": "never"})


def test_the_spec_of_a_cancelled_mission_that_landed_is_continued(shop: MissionShop) -> None:
    shop.setting(specs={"write": "always"})
    mission, _ = one_task(shop)
    write(shop)
    shop.hands.build(WORK)
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=WORK))
    shop.hands.report(shop.hands.order("publish"), "published", Published(published=True, commit=WORK))
    shop.daemon.person("cancel_mission", mission=mission)
    later = shop.begin("Again", follow=mission)
    shop.planner.answer("question", {"title": "Again", "size": "normal"})
    assert shop.mission(later)["spec"] == shop.mission(mission)["spec"]
    shop.setting(specs={"write": "never"})
