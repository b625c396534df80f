"""Trees of units steered as missions: words, pauses, places at once, and what of them needs a person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from mission_shop import MissionShop
from tree_shop import REQUIREMENTS, Tree, part

from toryo.protocol.kinds.run import Stopped
from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Tree]:
    opened = Tree(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.daemon.close()


def test_words_to_a_running_tree_are_an_instruction_to_its_root(shop: Tree) -> None:
    shop.begin()
    mission = shop.begun["mission"]
    assert shop.daemon.person("say_mission", mission=mission, text="also for\nPUT")["said"] == "say"
    listed = shop.daemon.person("list_messages", unit="root")["messages"]
    line = '[PERSON] Type: instruct, Data: {"message": "also for\\nPUT"}'
    assert [(one["line"], one["state"]) for one in listed] == [(line, "waiting")]
    shop.daemon.settle()
    order = shop.hands.order("say")
    assert shop.hands.call("fetch_blob", hash=order["inputs"]["text"])["text"] == line
    told = shop.daemon.person("show_mission", mission=mission)["mission"]["messages"]
    assert [(one["who"], one["text"]) for one in told][-1] == ("person", "also for\nPUT")


def test_words_to_a_tree_whose_root_is_done_are_refused(shop: Tree) -> None:
    shop.begin()
    shop.hands.exit(shop.running)
    shop.hands.collect(1)
    shop.hands.build()
    shop.hands.land()
    assert shop.units()["root"] == "done"
    told = shop.daemon.refused(
        shop.daemon.operator, "say_mission", mission=shop.begun["mission"], text="also for PUT"
    )
    assert "done" in told["error"] or "completed" in told["error"]


def test_a_tree_takes_no_place_in_the_queue_of_missions(tmp_path: Path) -> None:
    shop = MissionShop(Home(tmp_path / "home"), tmp_path)
    try:
        shop.daemon.person("spawn_tree", project=shop.project, requirements=REQUIREMENTS, at_once=True)
        shop.daemon.settle()
        shop.hands.claim("dev", shop.project, "request-root")
        mission = shop.planned()
        shop.daemon.person("approve_mission", mission=mission)
        assert shop.standing(mission) == "active"
    finally:
        shop.close()


def test_a_parent_that_waits_for_its_children_takes_no_place_of_its_trees_parallelism(shop: Tree) -> None:
    token = shop.begin()
    mission = shop.begun["mission"]
    assert shop.daemon.person("show_mission", mission=mission)["mission"]["parallelism"] == 0
    shop.spawn(token, part("a"), part("b"))
    shop.open()
    shown = shop.daemon.person("show_mission", mission=mission)["mission"]
    assert (shown["parallelism"], shown["plan"]["parallelism"]) == (0, 0), "a tree has no such limit"
    shop.daemon.person("set_mission", mission=mission, parallelism=1)
    assert shop.hands.should_start("dev", shop.project), "the root only waits"
    shop.run("root-a")
    assert not shop.hands.should_start("dev", shop.project)
    waits = shop.daemon.person("get_task", task="root-b")["task"]["waits_for"]
    assert (waits["code"], waits["tasks"]) == ("parallelism", [shop.task("root-a")["id"]])


def test_a_tree_whose_plan_waits_needs_one_answer(shop: Tree) -> None:
    token = shop.begin(at_once=False)
    shop.spawn(token, part("a"), part("b"))
    shop.open()
    shop.end()
    assert shop.units()["root-a"] == "blocked plan_ready"
    mission = shop.begun["mission"]
    (wish,) = shop.daemon.person("get_status", project=shop.project)["needs_you"]
    assert (wish["subject"], wish["type"]) == (f"mission:{mission}", f"toryo mission approve {mission}")
    waited = shop.daemon.person("wait_tasks", tasks=["root-a"], timeout_s=0)["tasks"][0]
    assert waited["needs_you"]["type"] == f"toryo mission approve {mission}", "it is said where one waits"


def test_a_root_that_is_paused_pauses_its_tree_and_either_word_resumes_it(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    shop.end()

    def standing() -> tuple[str, str]:
        found = shop.daemon.person("unit_tree", project=shop.project)
        return found["status"], shop.units()["root-a"]

    shop.daemon.person("pause_unit", unit="root")
    assert standing() == ("paused", "ready paused")
    assert not shop.daemon.person("resume_mission", mission=shop.begun["mission"])["already"]
    assert standing() == ("active", "ready")
    shop.daemon.person("pause_unit", unit="root")
    shop.daemon.person("resume_unit", unit="root")
    assert standing() == ("active", "ready")


def test_a_root_that_is_paused_now_has_its_trees_runs_stopped_once(shop: Tree) -> None:
    shop.spawn(shop.begin(), part("a"))
    shop.open()
    shop.end()
    shop.run("root-a")
    shop.daemon.person("pause_unit", unit="root", now=True)
    shop.hands.report(shop.hands.order("stop"), "stopped", Stopped(asked=True, gone=True))
    assert shop.daemon.person("unit_tree", project=shop.project)["status"] == "paused"
    shop.daemon.settle()
    orders = shop.hands.speak("next_orders", wait_s=0)["orders"]
    assert "stop" not in [one["kind"] for one in orders]
