"""`toryo do` and `toryo mission` as typed by a person, with the whole daemon and a planner of the test's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mission_shop import PLAN, MissionShop, PlannerHands
from test_missions import QUESTIONS, land

from fronts.typing_terminal import TypingTerminal
from toryo import processes
from toryo.protocol.kinds.files import Scanned
from toryo.settings import Home
from waiting import eventually

APPROVE = "Start the work?"
ONE_TASK = {**PLAN, "tasks": PLAN["tasks"][:1]}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    opened.planner = PlannerHands(opened)
    own = processes.own_pid()
    noted = {"coordinator": [own, processes.start_time(own)]}
    (tmp_path / "home" / "up.json").write_text(json.dumps(noted))
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def terminal(shop: MissionShop) -> Iterator[Callable[..., TypingTerminal]]:
    made: list[TypingTerminal] = []

    def begin(*words: str) -> TypingTerminal:
        made.append(TypingTerminal(shop.daemon.home.path, *words))
        return made[-1]

    yield begin
    for one in made:
        one.close()


BEGUN: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def nobody_left() -> Iterator[None]:
    """No command outlives its test."""
    yield
    while BEGUN:
        one = BEGUN.pop()
        if one.returncode is None:
            one.kill()
            one.communicate()


def begin(shop: MissionShop, *words: str) -> subprocess.Popen[str]:
    begun = subprocess.Popen(
        [sys.executable, "-m", "toryo", *words],
        env={**os.environ, "TORYO_HOME": str(shop.daemon.home.path)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    BEGUN.append(begun)
    return begun


def toryo(shop: MissionShop, *words: str) -> tuple[int, str]:
    """Exit code and output of a command that waits for nobody."""
    begun = begin(shop, *words)
    out, err = begun.communicate(timeout=60)
    return begun.returncode, out + err


def scan(shop: MissionShop) -> None:
    """The hands read the repository for the mission."""

    def order() -> object:
        shop.daemon.settle()
        orders = shop.hands.speak("next_orders", wait_s=0)["orders"]
        return next((one for one in orders if one["kind"] == "scan"), None)

    shop.hands.report(eventually(order, within_s=60, what="a scan"), "scanned", Scanned(has_tests=True))


def mission_of(shop: MissionShop) -> str:
    (one,) = shop.daemon.person("list_missions")["missions"]
    return str(one["id"])


def test_on_a_terminal_a_sentence_is_asked_about_planned_approved_and_let_go_of(shop, terminal):
    screen = terminal("do", "Limit requests, word xylophone", "--project", shop.project)
    scan(shop)
    shop.planner.answer("question", QUESTIONS)
    screen.see("How many a minute?")
    screen.type("2\n")
    screen.see("2> ")
    screen.type("\n")
    shop.planner.answer("plan", PLAN)
    screen.see(APPROVE)
    assert "└─ · T002  Refuse more" in screen.text
    assert "# Feature Specification: Limits" in screen.text
    screen.type("実行して\n")
    mission = mission_of(shop)
    eventually(lambda: shop.standing(mission) == "active", within_s=60)
    assert {one["id"]: one["answer"] for one in shop.mission(mission)["questions"]} == {
        "Q1": "address",
        "Q2": "60",
    }
    screen.type("\x03")
    assert screen.end() == 130
    assert f"toryo mission wait {mission}" in screen.text
    assert shop.standing(mission) == "active"


def test_a_reason_at_the_approval_has_it_planned_anew_and_shown_again(shop, terminal):
    screen = terminal("do", "Limit requests", "--project", shop.project)
    scan(shop)
    shop.planner.answer("question", {"title": "Limits", "size": "small"})
    shop.planner.answer("plan", PLAN)
    screen.see(APPROVE)
    screen.type("one task only\n")
    shop.planner.answer("plan", ONE_TASK)
    screen.see("One agent is enough")
    assert shop.mission(mission_of(shop))["plan"]["version"] == 2


def test_without_a_terminal_it_goes_to_the_end_with_defaults_and_yes(shop):
    begun = begin(shop, "do", "Limit requests", "--project", shop.project, "--defaults", "--yes")
    scan(shop)
    shop.planner.answer("question", QUESTIONS)
    shop.planner.answer("plan", ONE_TASK)
    mission = mission_of(shop)
    eventually(lambda: shop.standing(mission) == "active", within_s=60)
    land(shop)
    out, err = begun.communicate(timeout=60)
    assert (begun.returncode, shop.standing(mission)) == (0, "completed"), out + err
    task = shop.mission_tasks(mission)["T001"]
    assert f"T001 {task}  Count requests  done" in out


def test_without_a_terminal_it_stops_at_what_waits_for_a_person_with_the_line_to_type(shop):
    begun = begin(shop, "do", "Limit requests", "--project", shop.project)
    scan(shop)
    shop.planner.answer("question", QUESTIONS)
    out, _ = begun.communicate(timeout=60)
    mission = mission_of(shop)
    assert begun.returncode == 1
    assert f"→ toryo mission answer {mission} --defaults" in out
    assert toryo(shop, "mission", "answer", mission, "--defaults")[0] == 0
    shop.planner.answer("plan", PLAN)
    code, out = toryo(shop, "mission", "wait", mission)
    assert (code, f"→ toryo mission approve {mission}" in out) == (1, True)
    assert toryo(shop, "mission", "approve", mission[:4]) == (
        0,
        f"{mission} is approved: the work starts.\n",
    )
    assert shop.standing(mission) == "active"
    assert "somebody was first" in toryo(shop, "mission", "approve", mission)[1]


def test_a_mission_is_steered_by_its_verbs(shop):
    mission = shop.planned()
    assert toryo(shop, "mission", "reject", mission, "use Redis")[0] == 0
    assert shop.standing(mission) == "planning drafting"
    shop.planner.answer("plan", PLAN)
    for words in (
        ("say", mission, "run it"),
        ("set", mission, "--parallelism", "1"),
        ("budget", mission, "tokens=5000"),
        ("pause", mission),
    ):
        assert toryo(shop, "mission", *words)[0] == 0, words
    now = shop.mission(mission)
    assert (now["status"], now["parallelism"], now["budget"]["tokens"]) == ("paused", 1, 5000)
    code, out = toryo(shop, "mission", "wait", mission)
    assert (code, f"toryo mission resume {mission}" in out) == (1, True)
    assert toryo(shop, "mission", "resume", mission)[0] == 0
    assert "Count requests" in toryo(shop, "mission", "show", mission)[1]
    assert mission in toryo(shop, "mission", "list", "--all")[1]
    assert toryo(shop, "completion", "--names", "missions") == (0, f"{mission}\n")
    assert toryo(shop, "mission", "cancel", mission)[0] == 0
    assert shop.standing(mission).startswith("cancelled")


def test_only_the_plan_is_written_into_the_project_and_nothing_starts(shop, tmp_path):
    begun = begin(shop, "do", "Limit requests", "--project", shop.project, "--plan-only", "--json")
    scan(shop)
    shop.planner.answer("question", {"title": "Limits", "size": "small"})
    shop.planner.answer("plan", PLAN)
    out, err = begun.communicate(timeout=60)
    assert begun.returncode == 0, out + err
    said = json.loads(out)
    assert (said["status"], said["reason"]) == ("awaiting_approval", "plan_only")
    (spec,) = (tmp_path / "front").rglob("spec.md")
    assert spec.read_text().startswith("# Feature Specification: Limits")
    assert "T002" in (spec.parent / "tasks.md").read_text()
    assert shop.daemon.person("list_tasks")["tasks"] == []


def test_without_a_model_it_says_that_settings_are_required(shop):
    shop.daemon.pass_time(1000)  # the planner is not heard of any more
    code, out = toryo(shop, "do", "Limit requests", "--project", shop.project)
    assert code == 1
    assert "AI settings are required" in out
    assert "toryo planner use" in out


def test_planner_use_writes_settings_that_count_at_once(shop):
    code, out = toryo(shop, "planner", "use", "--url", "http://127.0.0.1:9/v1", "--model", "small")
    assert (code, "http://127.0.0.1:9/v1 plans, model small." in out) == (0, True), out
    assert toryo(shop, "planner", "use", "codex")[0] == 0
    found = {one["key"]: one["value"] for one in shop.daemon.person("list_config")["settings"]}
    assert (found["planner.via"], found["planner.base_url"], found["planner.model"]) == ("codex", "", "")


def test_who_waits_for_a_mission_hears_at_once_of_a_change_of_its_tasks(shop):
    mission = shop.planned()
    shop.daemon.person("approve_mission", mission=mission)
    now = shop.mission(mission)
    seen = f"{now['status']}:{now['reason']}:{now['messages'][-1]['seq']}"
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(shop.daemon.person, "wait_mission", mission=mission, seen=seen, timeout_s=20)
        shop.hands.claim("dev", shop.project)
        shop.daemon.settle()
        begun = time.monotonic()
        answer = waiting.result(30)
        took = time.monotonic() - begun
    assert "running" in answer["mission"]["messages"][-1]["text"]
    assert took < 15
