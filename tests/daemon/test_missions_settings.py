"""What a project's settings make of a mission: names of spec directories, scopes, approvals, its model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mission_shop import PLAN, MissionShop
from test_missions import land
from whole_daemon import MERGED, WORK

from toryo.domain.words import CheckResult
from toryo.protocol.kinds.files import Scanned
from toryo.protocol.kinds.gate import Checked
from toryo.protocol.kinds.work import Collected
from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.close()


def test_tests_that_a_set_up_task_brought_are_found_and_offered_once(shop: MissionShop) -> None:
    mission = shop.planned(plan={**PLAN, "tasks": PLAN["tasks"][:1]}, tests=False)
    assert "T001" not in str(shop.mission(mission)["plan"]["faults"])
    shop.daemon.person("approve_mission", mission=mission)
    land(shop)
    order = shop.hands.order("scan")
    assert order["inputs"]["commit"] == MERGED, "the tip that its work has landed on"
    shop.hands.report(order, "scanned", Scanned(has_tests=True, tests=("make test",)))
    offered = [one["text"] for one in shop.mission(mission)["messages"] if "has tests now" in one["text"]]
    assert offered == [
        "The repository has tests now: make test. They check every task once .toryo/config.yaml on main "
        "says `dod: {checks: [{type: tests_pass, command: 'make test'}]}`."
    ]
    assert shop.standing(mission) == "completed"


def test_where_tests_were_found_at_the_beginning_nothing_is_read_again(shop: MissionShop) -> None:
    mission = shop.planned(plan={**PLAN, "tasks": PLAN["tasks"][:1]})
    shop.daemon.person("approve_mission", mission=mission)
    land(shop)
    assert [one["kind"] for one in shop.hands.speak("next_orders", wait_s=0)["orders"]] == []


NORMAL = {"title": "Rate limits for all", "size": "normal"}


def test_numbered_directories_go_on_behind_what_the_repository_and_other_missions_have(
    shop: MissionShop,
) -> None:
    shop.setting(specs={"naming": "numbered"})
    first = shop.begin(paths=("specs/", "specs/007-old/", "specs/SPEC-1A/"))
    shop.planner.answer("question", NORMAL)
    assert shop.mission(first)["spec"] == "specs/008-rate-limits-for-all/"
    second = shop.begin("Second")
    shop.planner.answer("question", {"title": "制限", "size": "normal"})
    assert shop.mission(second)["spec"] == "specs/009-mission/"


def test_without_a_setting_the_directory_is_named_by_the_missions_id(shop: MissionShop) -> None:
    mission = shop.begin()
    shop.planner.answer("question", NORMAL)
    assert shop.mission(mission)["spec"].startswith("specs/SPEC-")


@pytest.mark.parametrize(("strict", "bound"), [(True, ["src/a.py"]), (False, None)])
def test_what_a_plan_predicts_binds_a_run_only_where_the_scope_is_strict(
    shop: MissionShop, strict: bool, bound: Any
) -> None:
    shop.setting(scope={"strict": strict})
    mission = shop.planned()
    shop.daemon.person("approve_mission", mission=mission)
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    assert shop.hands.order("collect")["inputs"]["scope"]["write"] == bound


def test_what_a_landing_touched_stands_beside_what_was_predicted(shop: MissionShop) -> None:
    mission = shop.planned(plan={**PLAN, "tasks": PLAN["tasks"][:1]})
    shop.daemon.person("approve_mission", mission=mission)
    shop.hands.claim("dev", shop.project)
    shop.hands.prepare()
    shop.hands.exit(shop.hands.start())
    touched = ("src/a.py", "src/c.py")
    fact = Collected(head=WORK, commits=1, new_commits=1, changed_count=2, changed_files=touched)
    shop.hands.report(shop.hands.order("collect"), "collected", fact)
    assert shop.mission(mission)["plan"]["tasks"][0]["touched"] == [], "it has not landed"
    shop.hands.build()
    shop.hands.report(shop.hands.order("check"), "checked", Checked(result=CheckResult.PASSED, exit_code=0))
    shop.hands.land()
    (task,) = shop.mission(mission)["plan"]["tasks"]
    assert (task["write"], task["touched"]) == (["src/a.py"], list(touched))


PROPOSED = {"base_url": "http://models.invalid/v1", "model": "tea", "api_key_env": "THEIR_KEY"}


def test_an_endpoint_that_a_project_proposes_is_named_and_never_used(shop: MissionShop) -> None:
    shop.setting(planner=PROPOSED)
    refused = shop.daemon.refused(shop.daemon.operator, "start_mission", text="x", project=shop.project)
    assert "AI settings are required" in refused["error"]
    line = "toryo planner use --url http://models.invalid/v1 --model tea --key-env THEIR_KEY"
    assert line in refused["hint"]
    shop.setting(planner={"via": "codex"})
    refused = shop.daemon.refused(shop.daemon.operator, "start_mission", text="x", project=shop.project)
    assert "`toryo planner use codex`" in refused["hint"]


def test_model_window_and_language_of_a_project_travel_with_the_request_and_addresses_do_not(
    shop: MissionShop,
) -> None:
    shop.setting(planner={**PROPOSED, "window": 9000, "language": "Japanese"})
    shop.begin()
    brief = shop.planner.brief(shop.planner.order("question"))
    assert (brief.model, brief.window, brief.language) == ("tea", 9000, "Japanese")
    assert "models.invalid" not in brief.model_dump_json()


def test_a_shared_task_is_its_predecessors_agents_after_it_has_landed_from_the_accepted_tip(
    shop: MissionShop,
) -> None:
    shop.add_agent("painter")
    shop.daemon.person("assign_agent", agent="painter", project=shop.project)
    goes_on = {**PLAN["tasks"][1], "worktree": "shared", "agent": "painter"}
    first = {**PLAN["tasks"][0], "agent": "painter"}
    mission = shop.planned(plan={**PLAN, "tasks": [first, goes_on]})
    shop.daemon.person("approve_mission", mission=mission)
    made = shop.mission_tasks(mission)
    told = shop.task(made["T002"])
    assert (told["agent"], told["dependencies"]) == ("painter", [made["T001"]])
    land(shop, "painter")
    shop.hands.claim("painter", shop.project, request="another-request")
    inputs = shop.hands.order("prepare")["inputs"]
    assert (inputs["base"], inputs["name"]) == (MERGED, f"refuse-more-{made['T002']}"), "a place of its own"
