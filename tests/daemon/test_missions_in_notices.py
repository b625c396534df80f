"""A mission is told of like a task: once when it needs its person, has failed or is done; and in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mission_shop import PLAN, MissionShop
from test_being_told import told
from test_missions import QUESTIONS, land

from toryo.fronts.cli.look.event_words import sentence
from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    opened.daemon.person("set_config", key="notify", value="true")
    opened.daemon.person("set_config", key="notify_on", value="needs_you,failed,done")
    opened.daemon.settle()
    try:
        yield opened
    finally:
        opened.close()


def test_questions_a_plan_and_the_end_are_told_once_each_with_the_line_to_type(shop: MissionShop) -> None:
    mission = shop.begin()
    shop.planner.answer("question", QUESTIONS)
    (line,) = told(shop)
    assert (line["event"], line["mission"], line["title"]) == ("needs_you", mission, "Rate limits")
    assert line["type"] == f"toryo mission answer {mission} --defaults"
    assert "task" not in line
    assert told(shop) == []
    shop.daemon.person("answer_mission", mission=mission, defaults=True)
    shop.planner.answer("plan", {**PLAN, "tasks": PLAN["tasks"][:1]})
    (line,) = told(shop)
    assert line["type"] == f"toryo mission approve {mission}"
    shop.daemon.person("approve_mission", mission=mission)
    land(shop)
    lines = {str(one.get("mission") or one["task"]): one["event"] for one in told(shop)}
    assert lines == {mission: "done", shop.mission_tasks(mission)["T001"]: "done"}


def test_what_the_model_asks_about_a_stuck_task_is_told(shop: MissionShop) -> None:
    mission = shop.planned(plan={**PLAN, "tasks": PLAN["tasks"][:1]})
    shop.daemon.person("approve_mission", mission=mission)
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), code=3)
    shop.hands.collect(commits=0)
    told(shop)
    shop.planner.answer("judge", {"action": "ask", "question": "Which database?"})
    (line,) = told(shop)
    assert (line["event"], line["mission"]) == ("needs_you", mission)
    assert "Which database?" in line["why"]


def test_what_a_person_did_themselves_is_not_told(shop: MissionShop) -> None:
    mission = shop.planned()
    told(shop)
    shop.daemon.person("approve_mission", mission=mission)
    shop.daemon.person("pause_mission", mission=mission)
    assert told(shop) == []
    shop.daemon.person("cancel_mission", mission=mission)
    assert told(shop) == []


def test_every_event_of_a_mission_has_a_sentence(shop: MissionShop) -> None:
    mission = shop.begin()
    shop.planner.answer("question", QUESTIONS)
    shop.daemon.person("answer_mission", mission=mission, defaults=True)
    shop.planner.answer("plan", PLAN)
    shop.daemon.person("reject_mission", mission=mission, reason="no")
    shop.planner.answer("plan", PLAN)
    shop.daemon.person("approve_mission", mission=mission)
    shop.daemon.person("say_mission", mission=mission, text="in blue")
    shop.planner.answer("impact", {"affected": ["T001"], "replan": True})
    shop.daemon.person("set_mission", mission=mission, parallelism=1)
    shop.daemon.person("budget_mission", mission=mission, budget={"tokens": 9})
    for verb in ("pause", "resume", "cancel"):
        shop.daemon.person(f"{verb}_mission", mission=mission)
    shop.daemon.settle()
    events = shop.daemon.person("list_events", subject=f"mission:{mission}", limit=1000)["events"]
    words = {one["kind"]: sentence(one) for one in events}
    assert len(words) > 12
    plain = {kind for kind, told in words.items() if told.startswith(kind.replace("_", " ")) or not told}
    assert plain == set()
    assert words["mission_planned"] == "version 2 of its plan has 2 tasks"
