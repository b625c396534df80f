"""Missions through the daemon: from a sentence by questions and a plan to tasks; every word is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mission_shop import PLAN, MissionShop
from test_landings_of_files import WORK, write

from toryo.domain.words import CheckResult
from toryo.protocol.kinds.gate import Checked
from toryo.protocol.kinds.landing import Accepted
from toryo.protocol.kinds.run import Exited, Signs, Stopped
from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.close()


QUESTIONS = {
    "title": "Rate limits",
    "size": "small",
    "questions": [
        {"id": "Q1", "text": "Per user or per address?", "options": ["user", "address"], "default": "user"},
        {"id": "Q2", "text": "How many a minute?", "default": "60"},
    ],
}


def test_a_sentence_becomes_questions_then_a_plan_then_tasks_by_one_approval(shop: MissionShop) -> None:
    mission = shop.begin("Limit requests, word xylophone")
    brief = shop.planner.brief(shop.planner.order("question"))
    assert "xylophone" in brief.text
    shop.planner.answer("question", QUESTIONS)
    assert shop.standing(mission) == "questioning questions"
    assert shop.mission(mission)["title"] == "Rate limits"
    answered = shop.daemon.person("answer_mission", mission=mission, answers={"Q1": "2"}, defaults=True)
    assert (answered["said"], answered["already"]) == ("answer", False)
    brief = shop.planner.brief(shop.planner.order("plan"))
    assert {one.id: one.answer for one in brief.questions} == {"Q1": "address", "Q2": "60"}
    assert [one.name for one in brief.agents] == ["dev"]
    shop.planner.answer("plan", PLAN)
    assert shop.standing(mission) == "awaiting_approval plan_ready"
    assert shop.mission_tasks(mission) == {"T001": None, "T002": None}, "no task of an unapproved plan exists"
    assert shop.daemon.person("list_tasks")["tasks"] == []
    shop.daemon.person("approve_mission", mission=mission)
    assert shop.standing(mission) == "active"
    made = shop.mission_tasks(mission)
    second = shop.task(made["T002"])
    assert second["dependencies"] == [made["T001"]]
    assert (second["status"], second["checks"], second["write"]) == ("blocked", ["true"], ["src/b.py"])
    assert shop.planner.orders() == [], "agents work: no model is asked"


def test_the_first_valid_word_wins_and_a_later_one_is_told_so(shop: MissionShop) -> None:
    mission = shop.begin()
    shop.planner.answer("question", QUESTIONS)
    shop.daemon.person("answer_mission", mission=mission, defaults=True)
    again = shop.daemon.person("answer_mission", mission=mission, answers={"Q1": "address"})
    assert again["already"]
    assert "Q1: user" in again["by"]
    shop.planner.answer("plan", PLAN)
    shop.daemon.person("approve_mission", mission=mission, version=1)
    again = shop.daemon.person("approve_mission", mission=mission, version=1)
    assert again["already"]
    assert "version 1 was approved" in again["by"]


def test_a_rejected_plan_is_made_anew_with_the_reason(shop: MissionShop) -> None:
    mission = shop.planned()
    shop.daemon.person("reject_mission", mission=mission, reason="one task only")
    assert shop.standing(mission) == "planning drafting"
    brief = shop.planner.brief(shop.planner.order("plan"))
    assert brief.rejected == "one task only"
    assert brief.plan is not None
    shop.planner.answer("plan", {**PLAN, "tasks": PLAN["tasks"][:1]})
    found = shop.mission(mission)
    assert (found["plan"]["version"], len(found["plan"]["tasks"])) == (2, 1)
    shop.daemon.person("say_mission", mission=mission, text="実行して")
    assert shop.standing(mission) == "active"


def test_a_plan_with_faults_is_mended_at_most_twice_and_then_shown(shop: MissionShop) -> None:
    looped = [{**PLAN["tasks"][0], "depends_on": ["T002"]}, PLAN["tasks"][1]]
    mission = shop.planned(plan={**PLAN, "tasks": looped})
    for n in (1, 2):
        order = shop.planner.order("plan")
        assert order["inputs"]["n"] == n
        assert any("wait for each other" in fault for fault in shop.planner.brief(order).faults)
        shop.planner.answer("plan", {**PLAN, "tasks": looped})
    assert shop.standing(mission) == "awaiting_approval plan_faulty"
    refused = shop.daemon.refused(shop.daemon.operator, "approve_mission", mission=mission)
    assert "faults" in refused["error"]


POINT = "[NEEDS CLARIFICATION: which colour?]"
FIRST_TASK, *REST = PLAN["tasks"]


@pytest.mark.parametrize(
    "where",
    [
        {"spec": f"# Feature Specification: X\n\n{POINT}"},
        {"plan": f"# Implementation Plan: X\n\n{POINT}"},
        {"tasks": [{**FIRST_TASK, "title": f"Paint {POINT}"}, *REST]},
        {"tasks": [{**FIRST_TASK, "description": f"Paint\n{POINT}"}, *REST]},
    ],
    ids=["spec", "plan", "title", "description"],
)
def test_open_points_of_a_plan_are_asked_and_it_is_planned_anew_with_the_answers(
    shop: MissionShop, where: dict[str, Any]
) -> None:
    mission = shop.planned(plan={**PLAN, **where})
    assert shop.standing(mission) == "questioning questions"
    (question,) = shop.mission(mission)["questions"]
    assert "which colour?" in question["text"]
    shop.daemon.person("answer_mission", mission=mission, answers={question["id"]: "vermilion"})
    brief = shop.planner.brief(shop.planner.order("plan"))
    assert [one.answer for one in brief.questions] == ["vermilion"]
    shop.planner.answer("plan", PLAN)
    assert shop.standing(mission) == "awaiting_approval plan_ready"


def test_a_mission_is_completed_when_its_tasks_are_done_and_clean(shop: MissionShop) -> None:
    mission = shop.planned(plan={**PLAN, "tasks": PLAN["tasks"][:1]})
    shop.daemon.person("approve_mission", mission=mission)
    (task,) = shop.mission_tasks(mission).values()
    land(shop)
    assert shop.task(task)["status"] == "done"
    assert shop.standing(mission) == "completed"
    lines = [one["text"] for one in shop.mission(mission)["messages"] if one["who"] == "progress"]
    assert any("done" in line for line in lines)


def land(shop: MissionShop, agent: str = "dev") -> None:
    shop.hands.claim(agent, shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    shop.hands.collect()
    shop.hands.build()
    shop.hands.report(shop.hands.order("check"), "checked", Checked(result=CheckResult.PASSED, exit_code=0))
    shop.hands.land()


def test_paused_nothing_starts_and_resumed_it_goes_on(shop: MissionShop) -> None:
    mission = shop.planned()
    shop.daemon.person("approve_mission", mission=mission)
    shop.daemon.person("pause_mission", mission=mission)
    assert shop.standing(mission) == "paused paused"
    assert shop.state(shop.mission_tasks(mission)["T001"]) == "ready paused"
    assert not shop.hands.should_start("dev", shop.project)
    shop.daemon.person("resume_mission", mission=mission)
    assert shop.hands.should_start("dev", shop.project)


def test_paused_now_its_run_is_stopped_and_goes_on_in_the_same_worktree(shop: MissionShop) -> None:
    mission = shop.planned()
    shop.daemon.person("approve_mission", mission=mission)
    task = shop.mission_tasks(mission)["T001"]
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    order = shop.hands.start()
    shop.daemon.person("pause_mission", mission=mission, now=True)
    stop = shop.hands.order("stop")
    shop.hands.report(stop, "stopped", Stopped(asked=True, gone=False))
    shop.hands.report(order, "exited", Exited(exit_code=None, signal="SIGTERM", stopped=True))
    shop.hands.collect(commits=0)
    assert shop.state(task) == "ready paused"
    before = shop.task(task)
    shop.daemon.person("resume_mission", mission=mission)
    assert shop.state(task) == "ready resumed"
    shop.hands.claim("dev", shop.project, request="asked-again")
    again = shop.hands.order("prepare")
    assert again["inputs"]["existing"]
    assert again["inputs"]["name"] == before["branch"].removeprefix("agent/")


def test_a_second_mission_waits_for_the_slot_and_begins_when_the_first_rests(shop: MissionShop) -> None:
    first = shop.planned("First")
    shop.daemon.person("approve_mission", mission=first)
    second = shop.planned("Second")
    shop.daemon.person("approve_mission", mission=second)
    assert shop.standing(second) == "queued other_missions"
    assert shop.state(shop.mission_tasks(second)["T001"]) == "blocked other_missions"
    shop.daemon.person("pause_mission", mission=first)
    assert shop.standing(second) == "active"


def test_without_a_model_a_mission_is_refused_with_the_line_to_type(shop: MissionShop) -> None:
    refused = shop.daemon.refused(shop.daemon.operator, "start_mission", text="x", project=shop.project)
    assert "AI settings are required" in refused["error"]
    assert "toryo planner use" in refused["hint"]


def test_an_answer_that_cannot_be_used_is_shown_and_a_word_asks_anew(shop: MissionShop) -> None:
    mission = shop.begin()
    shop.planner.fail("question", "questioned", said="I would rather dance")
    assert shop.standing(mission) == "questioning planner_failed"
    assert any("rather dance" in one["text"] for one in shop.mission(mission)["messages"])
    assert [one["subject"] for one in shop.daemon.person("get_status")["needs_you"]] == [f"mission:{mission}"]
    shop.daemon.person("say_mission", mission=mission, text="once more please")
    assert shop.planner.order("question")["inputs"]["request"] == 2


def test_why_tells_what_a_mission_waits_for_and_whose_turn_it_is(shop: MissionShop) -> None:
    mission = shop.planned()
    told = shop.daemon.person("why", id=mission)
    assert (told["status"], told["turn"]) == ("awaiting_approval", "person")
    assert told["actions"][0]["line"] == f"toryo mission approve {mission}"


def test_a_demand_stops_only_affected_tasks_and_the_new_version_replaces_them(shop: MissionShop) -> None:
    three = [
        {"id": f"T00{n}", "title": f"Part {n}", "write": [f"src/{n}.py"], "checks": ["true"]}
        for n in (1, 2, 3)
    ]
    mission = shop.planned(plan={**PLAN, "parallelism": 3, "tasks": three})
    shop.daemon.person("approve_mission", mission=mission)
    old = shop.mission_tasks(mission)
    shop.daemon.person("say_mission", mission=mission, text="part 2 in blue")
    brief = shop.planner.brief(shop.planner.order("impact"))
    assert brief.demand == "part 2 in blue"
    shop.planner.answer("impact", {"affected": ["T002"], "note": "colour", "replan": True})
    assert shop.state(old["T002"]) == "blocked replanning"
    assert shop.state(old["T001"]) == "ready"
    changed = [three[0], {**three[1], "title": "Part 2, blue"}, three[2]]
    shop.planner.answer("plan", {**PLAN, "tasks": changed})
    assert shop.standing(mission) == "active plan_ready"
    shop.daemon.person("say_mission", mission=mission, text="run it")
    new = shop.mission_tasks(mission)
    assert (new["T001"], new["T003"]) == (old["T001"], old["T003"])
    assert new["T002"] != old["T002"]
    assert shop.task(old["T002"])["status"] == "cancelled"
    assert shop.task(new["T002"])["title"] == "Part 2, blue"


def test_a_stuck_task_is_judged_at_most_once_an_attempt_and_retried_with_the_planners_note(
    shop: MissionShop,
) -> None:
    mission = shop.planned(plan={**PLAN, "tasks": PLAN["tasks"][:1]})
    shop.daemon.person("approve_mission", mission=mission)
    (task,) = shop.mission_tasks(mission).values()
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), code=3)
    shop.hands.collect(commits=0)
    assert shop.task(task)["status"] == "failed"
    brief = shop.planner.brief(shop.planner.order("judge"))
    assert brief.task is not None
    assert (brief.task.task, brief.task.reason) == (task, "exit:3")
    shop.planner.answer("judge", {"action": "retry", "note": "use the other library"})
    assert shop.state(task) == "ready"
    assert "use the other library" in shop.task(task)["verbs"][-1]["note"]
    assert "judge" not in [one["kind"] for one in shop.planner.orders()]


def test_a_budget_that_is_reached_pauses_and_a_larger_one_lets_it_go_on(shop: MissionShop) -> None:
    mission = shop.begin(budget={"tokens": 100})
    shop.planner.answer("question", {"title": "X", "size": "small"}, input_tokens=90, output_tokens=20)
    assert shop.standing(mission).startswith("paused budget:tokens")
    assert shop.planner.orders() == []
    shop.daemon.person("budget_mission", mission=mission, budget={"tokens": 1000})
    assert shop.standing(mission) == "planning drafting"
    assert shop.mission(mission)["usage"]["input_tokens"] == 90


def test_cancelled_its_tasks_are_cancelled_and_it_is_over(shop: MissionShop) -> None:
    mission = shop.planned()
    shop.daemon.person("approve_mission", mission=mission)
    shop.daemon.person("cancel_mission", mission=mission)
    assert shop.standing(mission) == "cancelled cancelled"
    assert {shop.task(task)["status"] for task in shop.mission_tasks(mission).values() if task} <= {
        "cancelled"
    }


def test_a_mission_is_listed_awaited_set_and_exported(shop: MissionShop) -> None:
    mission = shop.planned()
    (line,) = shop.daemon.person("list_missions", project=shop.project)["missions"]
    assert line["id"] == mission
    told = shop.daemon.person("wait_mission", mission=mission, timeout_s=0)
    assert told["mission"]
    shop.daemon.person("set_mission", mission=mission, parallelism=1)
    assert shop.mission(mission)["parallelism"] == 1
    (spec, *_) = shop.daemon.person("export_mission", mission=mission)["files"]
    assert "Limits" in spec["text"]
    assert spec["hashes"] == [hashlib.sha256(spec["text"].encode()).hexdigest()]


def test_publishing_its_files_names_what_each_version_was_exported_as_by_hashes_alone(
    shop: MissionShop,
) -> None:
    shop.setting(specs={"write": "always"})
    mission = shop.planned(plan={**PLAN, "tasks": PLAN["tasks"][:1]}, plan_only=True)
    before = shop.daemon.person("export_mission", mission=mission)["files"]
    shop.daemon.person("reject_mission", mission=mission, reason="shorter")
    shop.planner.answer(
        "plan", {**PLAN, "spec": "# Feature Specification: Zebra", "tasks": PLAN["tasks"][:1]}
    )
    now = shop.daemon.person("export_mission", mission=mission)["files"]
    assert [set(one["hashes"]) < set(two["hashes"]) for one, two in zip(before, now, strict=True)] == [
        True,
        False,
        True,
    ], "its plan.md is the same in both"
    shop.daemon.person("approve_mission", mission=mission)
    write(shop)
    shop.hands.build(WORK)
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=WORK))
    inputs = shop.hands.order("publish")["inputs"]
    assert {one["path"]: one["hashes"] for one in inputs["exported"]} == {
        one["path"]: one["hashes"] for one in now
    }
    assert "Zebra" not in str(inputs)


def alive(shop: MissionShop, seconds: int) -> None:
    """Time passes, and the machine of the agents answers all the while."""
    for _ in range(0, seconds, 5):
        shop.daemon.pass_time(5)
        live = [one["id"] for one in shop.daemon.person("list_runs")["runs"] if one["outcome"] == "running"]
        shop.hands.speak("heartbeat", live_runs=live)


def test_every_two_minutes_a_line_says_what_each_agent_does_and_printed_last_without_a_model(
    shop: MissionShop,
) -> None:
    mission = shop.planned()
    shop.daemon.person("approve_mission", mission=mission)
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    order = shop.hands.start()
    before = shop.daemon.person("list_events", limit=500)["events"][-1]["seq"]
    shop.hands.report(order, "signs", Signs(n=1, line="compiling counter.c"))
    later = shop.daemon.person("list_events", after=before)["events"]
    assert later == [], "a line is no event"
    alive(shop, 125)
    told = [one["text"] for one in shop.mission(mission)["messages"] if one["who"] == "progress"]
    assert "T001 Count requests: implement, 2 min, “compiling counter.c”" in told[-1]
    count = len(told)
    alive(shop, 60)
    assert len([one for one in shop.mission(mission)["messages"] if one["who"] == "progress"]) == count
    assert shop.planner.orders() == []


def tables(shop: MissionShop, mission: str) -> list[str]:
    return [one["text"] for one in shop.mission(mission)["messages"] if one["text"].startswith("at work:")]


def test_other_lines_put_the_table_off_by_nothing_and_it_names_what_is_not_at_work(shop: MissionShop) -> None:
    mission = shop.planned()
    shop.daemon.person("approve_mission", mission=mission)
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.start()
    for number in range(3):
        alive(shop, 45)
        shop.daemon.person("set_mission", mission=mission, parallelism=number + 1)
        shop.daemon.person("pause_mission", mission=mission)
        shop.daemon.person("resume_mission", mission=mission)
    (told,) = tables(shop, mission)
    first, other = told.splitlines()[1:]
    assert first == "T001 Count requests: implement, 2 min"
    assert other == "not at work: T002 blocked (dependency)"


def test_a_run_of_a_paused_mission_is_still_told_of(shop: MissionShop) -> None:
    mission = shop.planned()
    shop.daemon.person("approve_mission", mission=mission)
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.start()
    shop.daemon.person("pause_mission", mission=mission)
    alive(shop, 125)
    assert shop.standing(mission) == "paused paused"
    (told,) = tables(shop, mission)
    assert "T001 Count requests: implement, 2 min" in told
