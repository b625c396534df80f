"""Missions that a person steers: judgements, demands in the middle, approvals, limits, follow-ups."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mission_shop import PLAN, MissionShop
from test_missions import QUESTIONS, land
from whole_daemon import Body

from toryo.protocol.kinds.run import Said, Usage
from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.close()


THREE = [
    {"id": f"T00{n}", "title": f"Part {n}", "write": [f"src/{n}.py"], "checks": ["true"]} for n in (1, 2, 3)
]


def one_task(shop: MissionShop, **wishes: Any) -> tuple[str, str]:
    mission = shop.planned(plan={**PLAN, "tasks": PLAN["tasks"][:1]}, **wishes)
    shop.daemon.person("approve_mission", mission=mission)
    return mission, shop.mission_tasks(mission)["T001"]


def three_tasks(shop: MissionShop) -> str:
    mission = shop.planned(plan={**PLAN, "parallelism": 3, "tasks": THREE})
    shop.daemon.person("approve_mission", mission=mission)
    return mission


def fail(shop: MissionShop, code: int = 3, **said: Any) -> None:
    assert shop.hands.claim("dev", shop.project, request=f"a{shop.daemon.now()}")["claimed"]
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), code=code, **said)
    shop.hands.collect(commits=0)


def needs(shop: MissionShop) -> list[Body]:
    shop.daemon.settle()
    found: list[Body] = shop.daemon.person("get_status")["needs_you"]
    return found


def kinds(shop: MissionShop) -> list[str]:
    return [one["kind"] for one in shop.planner.orders()]


def test_the_plan_in_force_says_how_many_run_at_once_until_a_person_does(shop: MissionShop) -> None:
    mission = shop.planned(plan={**PLAN, "parallelism": 1, "tasks": THREE})
    shop.daemon.person("approve_mission", mission=mission)
    shop.hands.claim("dev", shop.project)
    assert not shop.hands.should_start("dev", shop.project)
    shop.daemon.person("say_mission", mission=mission, text="faster")
    shop.planner.answer("impact", {"affected": [], "note": "", "replan": True})
    shop.planner.answer("plan", {**PLAN, "parallelism": 3, "tasks": THREE})
    assert shop.mission(mission)["parallelism"] == 1, "not before it is approved"
    assert not shop.hands.should_start("dev", shop.project)
    shop.daemon.person("approve_mission", mission=mission)
    assert shop.mission(mission)["parallelism"] == 3
    assert shop.hands.should_start("dev", shop.project)
    shop.daemon.person("set_mission", mission=mission, parallelism=1)
    assert not shop.hands.should_start("dev", shop.project)


# judgements


def test_a_task_is_judged_twice_and_then_a_person_looks(shop: MissionShop) -> None:
    mission, task = one_task(shop)
    for n in (1, 2):
        fail(shop)
        order = shop.planner.answer("judge", {"action": "retry", "note": "other way"})
        assert order["inputs"]["n"] == n
    fail(shop)
    assert shop.state(task).startswith("failed")
    assert kinds(shop) == []
    assert shop.standing(mission) == "active needs_you"


@pytest.mark.parametrize("how", ["say", "retry", "answer"])
def test_what_the_judge_asks_is_in_attention_and_any_word_of_a_person_answers_it(
    shop: MissionShop, how: str
) -> None:
    mission, task = one_task(shop)
    fail(shop)
    shop.planner.answer("judge", {"action": "ask", "note": "", "question": "Which database?"})
    (asked,) = [one for one in needs(shop) if one["subject"] == f"mission:{mission}"]
    assert "Which database?" in asked["why"]
    assert shop.standing(mission) == "active needs_you"
    if how == "say":
        assert shop.daemon.person("say_mission", mission=mission, text="PostgreSQL")["said"] == "answer"
    elif how == "answer":
        (question,) = shop.mission(mission)["questions"]
        given = {question["id"]: "PostgreSQL"}
        shop.daemon.person("answer_mission", mission=mission, answers=given)
    else:
        shop.retry(task, note="PostgreSQL")
    assert shop.state(task) == "ready"
    assert "PostgreSQL" in shop.task(task)["verbs"][-1]["note"]
    assert [one for one in needs(shop) if one["subject"] == f"mission:{mission}"] == []
    assert [one["answer"] for one in shop.mission(mission)["questions"]] == ["PostgreSQL"]
    assert kinds(shop) == [], "an answer is no demand"


def test_what_is_asked_about_one_task_holds_up_no_other(shop: MissionShop) -> None:
    three_tasks(shop)
    fail(shop)
    shop.planner.answer("judge", {"action": "ask", "question": "Which one?"})
    assert shop.hands.should_start("dev", shop.project)


def test_without_a_model_a_stuck_task_is_a_persons(shop: MissionShop) -> None:
    mission, _ = one_task(shop)
    shop.daemon.pass_time(1000)  # the planner is not heard of any more
    fail(shop)
    assert shop.standing(mission) == "active needs_you"
    assert kinds(shop) == []


def test_given_up_by_the_judge_the_mission_has_failed(shop: MissionShop) -> None:
    mission, task = one_task(shop)
    fail(shop)
    shop.planner.answer("judge", {"action": "give_up", "note": "cannot be done"})
    assert (shop.standing(mission), shop.state(task)) == ("failed given_up", "failed exit:3")


def test_a_task_that_a_demand_holds_is_not_judged(shop: MissionShop) -> None:
    mission = three_tasks(shop)
    shop.daemon.person("say_mission", mission=mission, text="part 1 in blue")
    shop.hands.claim("dev", shop.project)
    shop.planner.answer("impact", {"affected": ["T001"], "note": "", "replan": True})
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start(), code=3)
    shop.hands.collect(commits=0)
    assert kinds(shop) == ["plan"], "the next plan says what becomes of it"


# demands in the middle


def test_a_demand_while_paused_is_weighed_when_it_goes_on(shop: MissionShop) -> None:
    mission = three_tasks(shop)
    shop.daemon.person("pause_mission", mission=mission)
    shop.daemon.person("say_mission", mission=mission, text="part 2 in blue")
    assert (shop.standing(mission), kinds(shop)) == ("paused paused", [])
    shop.daemon.person("resume_mission", mission=mission)
    assert shop.planner.brief(shop.planner.order("impact")).demand == "part 2 in blue"


def test_a_demand_while_queued_is_weighed_meanwhile(shop: MissionShop) -> None:
    first = three_tasks(shop)
    second = shop.planned("Second")
    shop.daemon.person("approve_mission", mission=second)
    assert shop.standing(second) == "queued other_missions"
    shop.daemon.person("say_mission", mission=second, text="in blue")
    order = shop.planner.order("impact")
    assert order["inputs"]["mission"] == second
    assert shop.standing(first) == "active"


def test_a_second_demand_before_the_first_is_weighed_is_weighed_with_it(shop: MissionShop) -> None:
    mission = three_tasks(shop)
    shop.daemon.person("say_mission", mission=mission, text="part 2 in blue")
    old = shop.planner.order("impact")
    shop.daemon.person("say_mission", mission=mission, text="and part 3 in red")
    orders = [one for one in shop.planner.orders() if one["inputs"]["request"] == 3]
    (newest,) = orders
    assert shop.planner.brief(newest).demand == "part 2 in blue\nand part 3 in red"
    shop.planner.report("weighed", old["id"], {"problem": {"code": "refused", "message": "late"}})
    shop.planner.answer("impact", {"affected": ["T002", "T003"], "replan": True})
    states = {id: shop.state(task) for id, task in shop.mission_tasks(mission).items()}
    assert states == {"T001": "ready", "T002": "blocked replanning", "T003": "blocked replanning"}


def test_a_second_demand_while_planned_anew_keeps_what_the_first_one_stopped(shop: MissionShop) -> None:
    mission = three_tasks(shop)
    tasks = shop.mission_tasks(mission)
    shop.daemon.person("say_mission", mission=mission, text="part 2 in blue")
    shop.planner.answer("impact", {"affected": ["T002"], "replan": True})
    shop.daemon.person("say_mission", mission=mission, text="hurry up with it")
    assert shop.state(tasks["T002"]) == "blocked replanning"
    order = next(one for one in shop.planner.orders() if one["kind"] == "impact")
    assert "part 2 in blue" in shop.planner.brief(order).demand
    shop.planner.answer("impact", {"affected": [], "replan": False})
    shop.daemon.settle()
    newest = [one for one in shop.planner.orders() if one["kind"] == "plan"][-1]
    assert "hurry up with it" in shop.planner.brief(newest).demand, "the first one still wants a plan"


def test_a_demand_that_affects_no_task_stops_none_and_needs_no_plan(shop: MissionShop) -> None:
    mission = three_tasks(shop)
    shop.daemon.person("say_mission", mission=mission, text="thank you")
    shop.planner.answer("impact", {"affected": [], "note": "nothing to do", "replan": False})
    assert shop.standing(mission) == "active"
    assert {shop.state(task) for task in shop.mission_tasks(mission).values()} == {"ready"}
    assert kinds(shop) == []


def test_words_at_the_approval_are_a_rejection_with_its_reason(shop: MissionShop) -> None:
    mission = shop.planned()
    assert shop.daemon.person("say_mission", mission=mission, text="no database")["said"] == "reject"
    brief = shop.planner.brief(shop.planner.order("plan"))
    assert (brief.rejected, brief.demand) == ("no database", "")


# approvals


def test_with_approval_each_a_yes_releases_one_task(shop: MissionShop) -> None:
    mission = shop.planned(approval="each", plan={**PLAN, "tasks": THREE[:2]})
    shop.daemon.person("approve_mission", mission=mission)
    tasks = shop.mission_tasks(mission)
    assert {shop.state(task) for task in tasks.values()} == {"open held"}
    shop.daemon.person("approve_task", task=tasks["T002"])
    assert {id: shop.state(task) for id, task in tasks.items()} == {"T001": "open held", "T002": "ready"}


def test_with_approval_auto_nobody_is_asked(shop: MissionShop) -> None:
    shop.daemon.person("set_config", key="approval", value="auto")
    assert shop.standing(shop.planned()) == "active"


@pytest.mark.parametrize(
    ("home", "project", "typed", "counts"),
    [
        ("auto", "each", "", "each"),
        ("plan", "auto", "", "plan"),
        ("auto", "", "each", "each"),
        ("each", "auto", "auto", "each"),
        ("auto", "auto", "auto", "auto"),
    ],
)
def test_the_strictest_of_home_project_and_what_was_typed_counts(
    shop: MissionShop, home: str, project: str, typed: str, counts: str
) -> None:
    shop.daemon.person("set_config", key="approval", value=home)
    shop.setting(approval=project)
    assert shop.mission(shop.begin(approval=typed))["approval"] == counts


# limits


@pytest.mark.parametrize(
    ("key", "limit", "usage"),
    [
        ("turns", 5, Usage(turns=9)),
        ("tokens", 100, Usage(input_tokens=90, output_tokens=20)),
        ("usd", 0.5, Usage(cost_usd=0.7)),
    ],
)
def test_each_limit_pauses_before_the_next_run_and_a_higher_one_lets_it_go_on(
    shop: MissionShop, key: str, limit: float, usage: Usage
) -> None:
    mission = shop.planned(budget={key: limit}, plan={**PLAN, "parallelism": 3, "tasks": THREE})
    shop.daemon.person("approve_mission", mission=mission)
    fail(shop, said=Said(result="error", usage=usage))
    assert shop.standing(mission).startswith(f"paused budget:{key}")
    assert not shop.hands.should_start("dev", shop.project)
    assert kinds(shop) == [], "neither is a model asked"
    line = next(one["lines"][0] for one in needs(shop) if one["subject"] == f"mission:{mission}")
    assert line.startswith(f"toryo mission budget {mission} {key}=")
    shop.daemon.person("budget_mission", mission=mission, budget={key: limit * 100})
    assert shop.hands.should_start("dev", shop.project)


@pytest.mark.parametrize("where", ["home", "project"])
def test_a_zero_takes_the_limit_of_home_and_project_away_at_the_start_and_later(
    shop: MissionShop, where: str
) -> None:
    if where == "home":
        shop.daemon.person("set_config", key="budget.tokens", value="5")
    else:
        shop.setting(budget={"tokens": 5})
    mission = shop.begin()
    shop.planner.answer("question", {"title": "X", "size": "small"}, input_tokens=90)
    assert shop.standing(mission).startswith("paused budget:tokens")
    shop.daemon.person("budget_mission", mission=mission, budget={"tokens": 0})
    assert (shop.standing(mission), shop.mission(mission)["budget"]) == ("planning drafting", {})
    assert shop.mission(shop.begin("Other", budget={"tokens": 0}))["budget"] == {}
    shop.daemon.person("budget_mission", mission=mission, budget={"tokens": 7})
    assert shop.mission(mission)["budget"] == {"tokens": 7.0}


def test_minutes_are_those_of_agents_and_a_living_run_is_never_ended(shop: MissionShop) -> None:
    mission = shop.planned(budget={"minutes": 1}, plan={**PLAN, "parallelism": 3, "tasks": THREE})
    shop.daemon.person("approve_mission", mission=mission)
    shop.hands.claim("dev", shop.project, request="first-request")
    shop.hands.prepare()
    first = shop.hands.start()
    shop.hands.claim("dev", shop.project, request="second-request")
    shop.hands.prepare()
    second = shop.hands.order("run")
    for _ in range(14):
        shop.daemon.pass_time(5)
        shop.hands.speak("heartbeat", live_runs=[first["run"], second["run"]])
    shop.hands.exit(first)
    shop.daemon.settle()
    assert shop.standing(mission).startswith("paused budget:minutes")
    open_kinds = [one["kind"] for one in shop.hands.speak("next_orders", wait_s=0)["orders"]]
    assert "stop" not in open_kinds
    assert not shop.hands.should_start("dev", shop.project)


@pytest.mark.parametrize(
    ("costs", "label"),
    [((0.1, 0.2), "observed"), ((0.1, None), "estimated"), ((None, None), "unknown")],
)
def test_cost_is_labelled_by_what_is_known_of_it(shop: MissionShop, costs: Any, label: str) -> None:
    mission = shop.begin()
    for kind, answer, cost in zip(("question", "plan"), (QUESTIONS, PLAN), costs, strict=True):
        known = {"cost_usd": cost, "cost": "observed"} if cost is not None else {}
        shop.planner.answer(kind, {**answer, "questions": []} if kind == "question" else answer, **known)
    assert shop.mission(mission)["usage"]["cost"] == label


def test_what_agents_took_is_told_beside_what_the_planner_took_and_never_in_it(shop: MissionShop) -> None:
    mission = shop.begin(budget={"usd": 5})
    cost = {"cost_usd": 0.5, "cost": "observed"}
    shop.planner.answer("question", {**QUESTIONS, "questions": []}, input_tokens=90, output_tokens=9, **cost)
    shop.planner.answer("plan", PLAN, input_tokens=10, output_tokens=1, **cost)
    told = {"calls": 2, "input_tokens": 100, "output_tokens": 10, "cost_usd": 1.0, "cost": "observed"}
    nothing = {"runs": 0, "turns": 0, "minutes": 0.0, "input_tokens": 0, "output_tokens": 0}
    now = shop.mission(mission)
    assert (now["usage"], now["usage_of_agents"]) == (told, {**nothing, "cost_usd": None, "cost": "unknown"})
    shop.daemon.person("approve_mission", mission=mission)
    spent = Usage(input_tokens=4000, output_tokens=70, turns=3, cost_usd=4.25)
    fail(shop, said=Said(result="error", usage=spent))
    now = shop.mission(mission)
    assert now["usage"] == told
    agents = {**now["usage_of_agents"], "minutes": 0.0}
    taken = {"runs": 1, "turns": 3, "input_tokens": 4000, "output_tokens": 70, "cost_usd": 4.25}
    assert agents == {**nothing, **taken, "cost": "observed"}
    assert now["reason"] == "budget:usd: 5.25 of 5", "a limit holds for both together"


# follow-ups


def finished(shop: MissionShop) -> str:
    shop.setting(specs={"write": "never"})
    mission, _ = one_task(shop)
    land(shop)
    assert shop.standing(mission) == "completed"
    return mission


def test_a_follow_up_that_was_named_goes_on_in_the_same_directory(shop: MissionShop) -> None:
    before = finished(shop)
    mission = shop.begin("More of it", follow=before)
    brief = shop.planner.brief(shop.planner.order("question"))
    assert brief.follows is not None
    assert brief.follows.mission == before
    shop.setting(specs={"write": "always", "naming": "numbered"})
    shop.planner.answer("question", {"title": "More", "size": "normal"})
    told = shop.mission(mission)
    assert (told["follows"], told["spec"]) == (before, shop.mission(before)["spec"])
    shop.setting(specs={"write": "never"})


def test_a_request_that_continues_a_finished_one_is_seen_by_the_model(shop: MissionShop) -> None:
    before = finished(shop)
    mission = shop.begin("Limits for DELETE, too")
    brief = shop.planner.brief(shop.planner.order("question"))
    assert [one.mission for one in brief.finished] == [before]
    shop.setting(specs={"write": "always"})
    shop.planner.answer("question", {"title": "More", "size": "small", "continues": before})
    told = shop.mission(mission)
    assert (told["follows"], told["spec"]) == (before, shop.mission(before)["spec"])
    shop.setting(specs={"write": "never"})


def test_new_says_that_it_continues_nothing_whatever_a_model_believes(shop: MissionShop) -> None:
    before = finished(shop)
    mission = shop.begin("Something else", new=True)
    assert shop.planner.brief(shop.planner.order("question")).finished == ()
    shop.planner.answer("question", {"title": "Other", "size": "small", "continues": before})
    assert shop.mission(mission)["follows"] is None
