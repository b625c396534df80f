"""Answers of a model that claim too much or come too late: no work is skipped, no question is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from mission_shop import PLAN, MissionShop
from test_missions import QUESTIONS
from test_missions_steered import fail, kinds, one_task, three_tasks
from whole_daemon import Body

from toryo.settings import Home
from toryo.store.database.blobs import blob_hash


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.close()


def answer_late(shop: MissionShop, order: Body, fact: str, answer: Body, **usage: int) -> None:
    """Of an order that somebody took before, whatever became of it."""
    text = json.dumps(answer)
    shop.planner.report(fact, order["id"], {"answer": blob_hash(text), "usage": {"calls": 1, **usage}}, text)


def test_a_model_that_says_done_has_done_nothing(shop: MissionShop) -> None:
    said = [{**one, "done": True} for one in PLAN["tasks"]]
    mission = shop.planned(plan={**PLAN, "tasks": said})
    shop.daemon.person("approve_mission", mission=mission)
    assert shop.standing(mission) == "active"
    assert None not in shop.mission_tasks(mission).values()


def test_neither_does_it_end_tasks_that_are_under_way_by_a_later_version(shop: MissionShop) -> None:
    mission = three_tasks(shop)
    tasks = [{**one, "done": True} for one in shop.mission(mission)["plan"]["tasks"]]
    before = shop.mission_tasks(mission)
    shop.daemon.person("say_mission", mission=mission, text="more")
    shop.planner.answer("impact", {"affected": [], "replan": True})
    known = [{key: one[key] for key in ("id", "title", "write", "checks", "done")} for one in tasks]
    fourth = {"id": "T004", "title": "Part 4", "checks": ["true"], "done": True}
    shop.planner.answer("plan", {**PLAN, "tasks": [*known, fourth]})
    shop.daemon.person("approve_mission", mission=mission)
    assert shop.standing(mission) == "active"
    after = shop.mission_tasks(mission)
    assert after.pop("T004")
    assert after == before


def test_a_word_during_the_first_question_skips_no_question(shop: MissionShop) -> None:
    mission = shop.begin("Limit requests")
    first = shop.planner.order("question")
    shop.daemon.person("say_mission", mission=mission, text="also for PUT")
    answer_late(shop, first, "questioned", QUESTIONS)
    assert kinds(shop) == ["question"], "what nobody was shown is asked anew"
    assert shop.mission(mission)["questions"] == []
    shop.planner.answer("question", QUESTIONS)
    assert shop.standing(mission) == "questioning questions"
    shop.daemon.person("answer_mission", mission=mission, defaults=True)
    brief = shop.planner.brief(shop.planner.order("plan"))
    assert [one.answer for one in brief.questions] == ["user", "60"]


def test_an_answer_that_comes_before_the_next_look_is_dropped_and_skips_no_question(
    shop: MissionShop,
) -> None:
    mission = shop.begin("Limit requests")
    order = shop.planner.order("question")
    text = json.dumps(QUESTIONS)
    told = {"answer": blob_hash(text), "usage": {"calls": 1}}
    fact = {"seq": 1, "kind": "questioned", "order": order["id"], "generation": 0, "body": told}
    shop.daemon.person("say_mission", mission=mission, text="also for PUT")
    shop.planner.speak("report_facts", facts=[fact], blobs={blob_hash(text): text})
    shop.planner._seq = 1
    assert kinds(shop) == ["question"]
    assert shop.standing(mission) == "questioning asking"


def test_an_answer_that_the_waiting_plan_did_not_know_has_it_planned_anew(shop: MissionShop) -> None:
    mission = shop.planned()

    def ask(tx: object) -> None:
        from toryo.engine.missions.questions import Wanted
        from toryo.engine.missions.questions import ask as ask_more
        from toryo.store.tables import missions

        row = missions.get(tx, mission)  # type: ignore[arg-type]
        assert row is not None
        ask_more(tx, row, [Wanted("Q7", "Which colour?", (), "red")])  # type: ignore[arg-type]
        missions.update(tx, mission, title="asked late")  # type: ignore[arg-type]

    shop.daemon.change(ask)
    shop.daemon.person("answer_mission", mission=mission, answers={"Q7": "blue"})
    brief = shop.planner.brief(shop.planner.order("plan"))
    assert [one.answer for one in brief.questions] == ["blue"]


@pytest.mark.parametrize("how", ["say", "reject", "cancel"])
def test_what_is_not_wanted_any_more_is_not_asked_and_a_call_in_flight_still_costs(
    shop: MissionShop, how: str
) -> None:
    mission = shop.begin()
    shop.planner.answer("question", {"title": "L", "size": "normal", "questions": []})
    if how == "reject":
        shop.planner.answer("plan", PLAN)
        old = shop.planner.order("analyze")
        shop.daemon.person("reject_mission", mission=mission, reason="smaller")
    else:
        old = shop.planner.order("plan")
        wish = {"text": "also for PUT"} if how == "say" else {}
        shop.daemon.person(f"{how}_mission", mission=mission, **wish)
    wanted = [(one["kind"], one["inputs"]["request"]) for one in shop.planner.orders()]
    assert wanted == ([] if how == "cancel" else [("plan", 2)])
    before = shop.mission(mission)["usage"]
    fact = "analyzed" if how == "reject" else "planned"
    answer_late(shop, old, fact, {"findings": []} if how == "reject" else PLAN, input_tokens=70)
    after = shop.mission(mission)["usage"]
    assert (after["calls"], after["input_tokens"]) == (before["calls"] + 1, before["input_tokens"] + 70)
    assert [(one["kind"], one["inputs"]["request"]) for one in shop.planner.orders()] == wanted


def test_a_judgement_of_an_earlier_attempt_is_told_and_does_nothing(shop: MissionShop) -> None:
    mission, task = one_task(shop)
    fail(shop)
    old = shop.planner.order("judge")
    shop.retry(task)
    fail(shop)
    assert [one["inputs"]["n"] for one in shop.planner.orders()] == [1, 2]
    answer_late(shop, old, "judged", {"action": "give_up", "note": "the first was hopeless"})
    assert shop.state(task) == "failed exit:3"
    assert shop.standing(mission) == "active judging"
    told = [one["text"] for one in shop.mission(mission)["messages"]]
    assert any("the first was hopeless" in one and "earlier attempt" in one for one in told)
