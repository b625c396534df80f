"""`toryo why` of units: named by their place in the tree, with the children that they wait for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tree_shop import Tree, part
from whole_daemon import Body

from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Tree]:
    opened = Tree(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.daemon.close()


def why(shop: Tree, name: str) -> Body:
    shop.daemon.settle()
    return shop.daemon.person("why", id=name, project=shop.project)


def task_of(shop: Tree, unit: str) -> str:
    found = shop.daemon.person("unit_tree", project=shop.project)["units"]
    return next(str(one["id"]) for one in found if one["unit"] == unit)


def test_a_unit_is_meant_by_its_name_although_ids_of_runs_begin_alike(shop: Tree) -> None:
    shop.spawn(shop.begin(), part("a"))
    for name in ("root", "root-a"):
        told = why(shop, name)
        assert told["subject"] == {**told["subject"], "kind": "task", "id": task_of(shop, name)}
    assert why(shop, f"root@{shop.project}")["subject"]["id"] == task_of(shop, "root")


def divided(shop: Tree, *parts: Body) -> None:
    """The root has ended and waits for its children."""
    shop.spawn(shop.begin(), *parts)
    shop.open()
    shop.end()


def lines(told: Body) -> list[str]:
    return [str(one["line"]) for one in told["actions"]]


def test_a_paused_unit_says_who_is_paused_and_resuming_it_lets_it_go_on(shop: Tree) -> None:
    divided(shop, part("a"), part("b", depends_on=["a"]))
    paused = task_of(shop, "root-a")
    shop.daemon.person("pause_unit", unit="root-a")
    told = why(shop, "root-a")
    assert (told["turn"], lines(told)) == ("person", [f"toryo unit resume {paused}"])
    assert told["sentence"] == "ready (paused): it waits for root-a, which a person paused"
    for name in ("root-b", "root"):  # what stands behind it names the same line
        behind = why(shop, name)
        assert (behind["turn"], lines(behind)) == ("person", [f"toryo unit resume {paused}"])
        assert f"task:{paused}" in [one["subject"] for one in behind["waits_for"]]
    assert shop.task(paused)["waits_for"]["code"] == "paused"
    shop.daemon.person("resume_unit", unit=paused)
    assert why(shop, "root-a")["turn"] == "toryo"
    assert shop.task(paused)["waits_for"]["code"] == "turn"


def test_a_unit_under_a_paused_one_names_the_uppermost_whose_resume_frees_it(shop: Tree) -> None:
    divided(shop, part("a"))
    for unit in ("root", "root-a"):
        shop.daemon.person("pause_unit", unit=unit)
    told = why(shop, "root-a")
    assert lines(told) == [f"toryo unit resume {task_of(shop, 'root')}"]


def test_a_task_of_a_paused_mission_names_the_mission_and_the_line_that_resumes_it(shop: Tree) -> None:
    divided(shop, part("a"))
    mission = shop.begun["mission"]
    shop.daemon.person("pause_mission", mission=mission)
    told = why(shop, "root-a")
    assert (told["turn"], lines(told)[0]) == ("person", f"toryo mission resume {mission}")
    assert f"mission:{mission}" in [one["subject"] for one in told["waits_for"]]
    assert why(shop, "root")["actions"] == told["actions"]
    shop.daemon.person("resume_mission", mission=mission)
    assert why(shop, "root-a")["turn"] == "toryo"


def test_a_task_waits_for_a_place_in_its_mission_and_names_those_at_work(shop: Tree) -> None:
    divided(shop, part("a"), part("b", write=["b/**"]))
    shop.daemon.person("set_mission", mission=shop.begun["mission"], parallelism=1)
    assert shop.hands.claim("dev", shop.project, "request-one")["claimed"]
    units = {unit: state for unit, state in shop.units().items() if unit != "root"}
    ready = next(unit for unit, state in units.items() if state == "ready")
    (busy,) = [task_of(shop, unit) for unit in units if unit != ready]
    waits = shop.task(task_of(shop, ready))["waits_for"]
    assert (waits["code"], waits["tasks"]) == ("parallelism", [busy])
    assert not shop.hands.claim("dev", shop.project, "request-two")["claimed"]
    assert f"task:{busy}" in [one["subject"] for one in why(shop, ready)["waits_for"]]


def test_a_unit_whose_children_cannot_start_is_a_persons_turn(shop: Tree) -> None:
    divided(shop, part("a"), part("b"))
    shop.daemon.person("disable_agent", agent="dev")
    assert shop.units()["root"] == "blocked waiting_for_children"
    told = why(shop, "root")
    children = [f"task:{task_of(shop, unit)}" for unit in ("root-a", "root-b")]
    assert [one["subject"] for one in told["waits_for"]] == children
    assert (told["turn"], lines(told)) == ("person", ["toryo agent enable dev"])
    needs = {one["task"]: one["unblocks"] for one in shop.daemon.person("get_status")["needs_you"]}
    assert [needs[one.removeprefix("task:")] for one in children] == [1, 1]
