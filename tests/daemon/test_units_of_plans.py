"""Planned units: a task of a plan whose agent divides it, from the approval until the mission is complete."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mission_shop import PLAN, MissionShop
from tree_shop import Tree, part
from whole_daemon import MERGED, Body

from toryo.domain.words import CheckResult
from toryo.protocol.kinds.gate import Checked
from toryo.protocol.kinds.work import Cleaned
from toryo.settings import Home

UNIT = "t001_count_requests"
FIRST, SECOND = PLAN["tasks"]
DIVIDED = {**PLAN, "tasks": [{**FIRST, "description": "Count them by user.", "unit": True}, SECOND]}


class PlanShop(MissionShop, Tree):
    """A mission whose plan has a unit; its runs are claimed, ended and landed one by one."""

    def approved(self, plan: Body = DIVIDED, **wishes: Any) -> str:
        mission = self.planned(plan=plan, **wishes)
        self.daemon.person("approve_mission", mission=mission)
        self.daemon.settle()
        return mission

    def prompt(self) -> str:
        return str(self.hands.call("fetch_blob", hash=self.running["inputs"]["prompt"])["text"])

    def file(self, path: str) -> str:
        (found,) = [one for one in self.hands.order("prepare")["inputs"]["files"] if one["path"] == path]
        return str(self.hands.call("fetch_blob", hash=found["blob"])["text"])

    def lands(self, unit: str, commit: str = MERGED, commits: int = 1) -> None:
        """Its next run ends, and what it committed passes its checks and lands."""
        self.run(unit, f"request-{unit}-{commit[:2]}-{commits}")
        self.goes_up(commit, commits)

    def goes_up(self, commit: str, commits: int = 1) -> None:
        self.hands.exit(self.running)
        self.hands.collect(commits)
        self.hands.build(commit)
        passed = Checked(result=CheckResult.PASSED, exit_code=0)
        self.hands.report(self.hands.order("check"), "checked", passed)
        self.hands.land(commit)
        self.daemon.settle()

    def divides(self, *tasks: Body, request: str = "") -> None:
        """The unit runs, spawns these and ends."""
        self.spawn(self.run(UNIT, request), *(tasks or (part("a"), part("b"))))
        self.open()
        self.end()


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[PlanShop]:
    opened = PlanShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.close()


def test_a_unit_of_a_plan_divides_itself_and_lands_as_one_task_of_its_mission(shop: PlanShop) -> None:
    mission = shop.approved()
    shop.divides()
    assert shop.units() == {
        UNIT: "blocked waiting_for_children",
        f"{UNIT}-a": "ready",
        f"{UNIT}-b": "ready",
    }
    shop.lands(f"{UNIT}-a", "a1" * 20)
    shop.lands(f"{UNIT}-b", "b1" * 20)
    assert shop.units()[UNIT] == "ready children_at_rest"
    assert shop.state(shop.mission_tasks(mission)["T002"]) == "blocked dependency", "it waits for the whole"
    shop.run(UNIT, "integrates")
    assert f"[CHILD:{UNIT}-a] Status: completed, Message: Part a" in shop.prompt()
    shop.goes_up("c1" * 20)
    assert set(shop.units().values()) == {"done"}
    assert shop.standing(mission) == "active", "its other task is not done"
    shop.lands("T002", "d1" * 20)
    assert shop.standing(mission) == "completed"


def test_the_page_of_the_plan_says_what_is_a_unit_and_counts_no_children(shop: PlanShop) -> None:
    mission = shop.approved()
    shop.divides()
    listed = shop.mission(mission)["plan"]["tasks"]
    assert [(one["id"], one["unit"], one["status"]) for one in listed] == [
        ("T001", True, "blocked"),
        ("T002", False, "blocked"),
    ]
    assert f"{UNIT}-a Part a: ready" in [one["text"] for one in shop.mission(mission)["messages"]]


def test_its_requirements_are_the_planned_task_and_its_frame_lets_it_implement(shop: PlanShop) -> None:
    shop.approved()
    assert shop.hands.claim("dev", shop.project, "request-first")["claimed"]
    assert shop.file("requirements.yml") == "title: Count requests\ndescription: Count them by user.\n"
    assert f"unit: {UNIT}\n" in shop.file("scoped-requirements.yml")
    assert "checks:\n- 'true'\n" in shop.file("scoped-requirements.yml")
    shop.hands.prepare()
    shop.running = shop.hands.order("run")
    assert "First decide: divide it, or implement it." in shop.prompt()
    place = shop.running["inputs"]["unit"]
    assert (place["unit"], place["parent"], place["parent_branch"]) == (UNIT, "", "main")


def test_a_unit_of_a_plan_that_implements_its_part_lands_like_any_task(shop: PlanShop) -> None:
    mission = shop.approved()
    shop.lands(UNIT)
    assert shop.units() == {UNIT: "done"}
    assert shop.state(shop.mission_tasks(mission)["T002"]) == "ready"


def test_nobody_is_asked_about_the_breakdown_and_children_may_write_what_was_not_predicted(
    shop: PlanShop,
) -> None:
    mission = shop.approved()
    shop.divides(part("a", write=["elsewhere/**"]), part("b"))
    assert shop.mission(mission)["plan"]["version"] == 1
    tree = {one["unit"]: one["id"] for one in shop.daemon.person("unit_tree", unit=UNIT)["units"]}
    assert shop.task(tree[f"{UNIT}-a"])["write"] == ["elsewhere/**"]
    assert shop.hands.should_start("dev", shop.project)


def test_a_failed_child_is_its_parents_matter_and_no_planner_judges_it(shop: PlanShop) -> None:
    mission = shop.approved()
    shop.divides(part("a"))
    shop.run(f"{UNIT}-a")
    shop.end(7)
    assert shop.units()[f"{UNIT}-a"] == "failed exit:7"
    assert shop.planner.orders() == []
    assert shop.standing(mission) == "active"
    assert shop.units()[UNIT] == "ready children_at_rest"


def test_a_planned_unit_that_failed_is_judged_and_divides_itself_anew(shop: PlanShop) -> None:
    mission = shop.approved()
    shop.divides(part("a"))
    shop.run(f"{UNIT}-a")
    shop.end(7)
    shop.run(UNIT, "integrates")
    shop.end()
    assert shop.units()[UNIT] == "failed children_failed"
    shop.planner.answer("judge", {"action": "retry", "note": "in halves"})
    assert shop.state(shop.mission_tasks(mission)["T001"]) == "ready"
    shop.divides(part("a"), request="once-more")
    assert shop.units() == {UNIT: "blocked waiting_for_children", f"{UNIT}-a": "ready"}


def test_a_mission_needs_a_person_while_all_that_a_unit_waits_for_does(shop: PlanShop) -> None:
    mission = shop.approved()
    shop.divides(part("a"))
    assert shop.standing(mission) == "active"
    shop.daemon.person("disable_agent", agent="dev")
    assert shop.units()[f"{UNIT}-a"] == "blocked agent_disabled"
    assert shop.standing(mission) == "active needs_you"


def test_pause_stop_and_resume_of_a_planned_unit_leave_the_rest_of_its_mission_alone(
    shop: PlanShop,
) -> None:
    plan = {**DIVIDED, "tasks": [DIVIDED["tasks"][0], {**SECOND, "depends_on": []}]}
    mission = shop.approved(plan)
    shop.divides()
    shop.daemon.person("pause_unit", unit=UNIT)
    assert shop.units()[f"{UNIT}-a"] == "ready paused"
    assert shop.state(shop.mission_tasks(mission)["T002"]) == "ready"
    shop.daemon.person("pause_mission", mission=mission)
    shop.daemon.person("resume_unit", unit=UNIT)
    assert shop.standing(mission) == "paused paused", "a person paused it for itself"
    shop.daemon.person("resume_mission", mission=mission)
    assert shop.units()[f"{UNIT}-a"] == "ready"
    shop.daemon.person("stop_unit", unit=UNIT)
    assert set(shop.units().values()) == {"cancelled cancelled"}
    shop.hands.report(shop.hands.order("clean"), "cleaned", Cleaned(freed=True))
    shop.lands("T002")
    assert shop.standing(mission) == "completed"


def test_a_demand_that_affects_a_unit_stops_its_children_too(shop: PlanShop) -> None:
    mission = shop.approved()
    shop.divides()
    shop.daemon.person("say_mission", mission=mission, text="by address instead")
    shop.planner.answer("impact", {"affected": ["T001"], "note": "", "replan": True})
    assert shop.units()[f"{UNIT}-a"] == "blocked replanning"
    again = {**DIVIDED, "tasks": [{**DIVIDED["tasks"][0], "description": "By address."}, SECOND]}
    shop.planner.answer("plan", again)
    shop.daemon.person("approve_mission", mission=mission)
    assert shop.units() == {UNIT: "ready"}, "the new task is the same unit, without the children"


def test_a_unit_of_a_plan_that_turns_in_a_circle_stops_its_mission_with_the_reason(shop: PlanShop) -> None:
    mission = shop.approved()
    token = shop.run(UNIT)
    shop.spawn(token, part("a"))
    shop.open()
    shop.end()
    for time in ("second", "third"):
        shop.run(f"{UNIT}-a", f"child-{time}")
        shop.end(7)
        token = shop.run(UNIT, f"unit-{time}")
        if time == "second":
            shop.spawn(token, part("a"))
            shop.end()
    assert "3 times" in shop.refused(token, part("a"))
    assert shop.standing(mission) == "paused tree_stopped"
    (listed,) = [one for one in shop.daemon.person("get_status")["needs_you"] if one["task"] == mission]
    assert "the same breakdown was spawned 3 times" in listed["why"]
    shop.daemon.person("resume_unit", unit=UNIT)
    assert shop.standing(mission) == "active"


def test_two_missions_with_the_same_task_have_units_of_different_ids(shop: PlanShop) -> None:
    shop.setting(missions={"at_once": 2})
    alone = {**DIVIDED, "tasks": DIVIDED["tasks"][:1]}
    first, second = shop.approved(alone), shop.approved(alone, text="Limit them again")
    units = [one["unit"] for one in shop.daemon.person("list_tasks", project=shop.project)["tasks"]]
    assert sorted(units) == [UNIT, f"{UNIT}_2"]
    assert [one["unit"] for one in shop.daemon.person("unit_tree", unit=first)["units"]] == [UNIT]
    assert [one["unit"] for one in shop.daemon.person("unit_tree", unit=second)["units"]] == [f"{UNIT}_2"]
    assert shop.daemon.person("get_task", task=f"{UNIT}_2")["task"]["mission"] == second


def test_a_unit_of_a_plan_begins_anew_also_while_a_spawned_tree_lives(shop: PlanShop) -> None:
    shop.approved()
    shop.daemon.person("spawn_tree", project=shop.project, requirements="goal: x\n", at_once=True)
    shop.daemon.person("stop_unit", unit=UNIT)
    shop.daemon.settle()
    assert shop.daemon.person("retry_unit", unit=UNIT)["said"] == "retry"


def test_a_paused_unit_of_a_paused_mission_names_the_line_that_frees_it(shop: PlanShop) -> None:
    mission = shop.approved()
    shop.daemon.person("pause_unit", unit=UNIT)
    shop.daemon.person("pause_mission", mission=mission)
    shop.daemon.settle()
    task = shop.mission_tasks(mission)["T001"]
    assert shop.task(task)["waits_for"]["type"] == f"toryo unit resume {task}"
