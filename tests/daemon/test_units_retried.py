"""Retries of units: below a parent that goes on, and of a root where no other tree of its project lives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tree_shop import REQUIREMENTS, Tree, fail_child, part

from toryo.protocol.kinds.units import TargetOpened
from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Tree]:
    opened = Tree(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.daemon.close()


def fail_root(shop: Tree) -> None:
    """Both its integrate runs end badly."""
    for number in range(2):
        shop.run("root", f"integrate-{number}")
        shop.end(3)
    shop.hands.report(shop.hands.order("open_target"), "target_opened", TargetOpened(closed=True))
    assert shop.units()["root"] == "failed exit:3"


def a_failed_tree(shop: Tree) -> str:
    """Its root and the only child of that have failed; the child's task."""
    (child,) = shop.spawn(shop.begin(), part("a"))["spawned"]
    shop.open()
    shop.end()
    fail_child(shop, "root-a")
    fail_root(shop)
    return str(child["task"])


RETRIES = [
    ("retry_task", {"task": "root-a"}),
    ("retry_unit", {"unit": "root-a"}),
    ("update_task", {"task": "root-a", "status": "open"}),
    ("submit_task", {"task": "root-a"}),
]


@pytest.mark.parametrize(("tool", "wish"), RETRIES)
def test_a_child_of_a_unit_that_has_ended_does_not_begin_anew(
    shop: Tree, tool: str, wish: dict[str, str]
) -> None:
    a_failed_tree(shop)
    told = shop.daemon.refused(shop.daemon.operator, tool, **wish)
    assert told["error"] == "root, of which it is a part, is failed."
    assert told["hint"] == "`toryo unit retry root` begins that one anew."
    assert (shop.units()["root"], shop.units()["root-a"]) == ("failed exit:3", "failed exit:7")


def test_a_child_of_an_earlier_attempt_does_not_begin_anew(shop: Tree) -> None:
    child = a_failed_tree(shop)
    shop.daemon.person("retry_unit", unit="root")
    told = shop.daemon.refused(shop.daemon.operator, "retry_task", task=child)
    assert told["error"] == "root, of which it is a part, began anew without it."


def test_of_a_failed_tree_a_person_is_offered_the_retry_of_its_root_alone(shop: Tree) -> None:
    child = a_failed_tree(shop)
    (wish,) = shop.daemon.person("get_status", project=shop.project)["needs_you"]
    line = f"toryo task retry {shop.begun['task']}"
    assert (wish["task"], wish["type"]) == (shop.begun["task"], line)
    assert shop.daemon.person("get_task", task=child)["task"]["next"][0] == line


def test_a_failed_child_is_offered_a_retry_while_its_parent_goes_on(shop: Tree) -> None:
    (one, _) = shop.spawn(shop.begin(), part("a"), part("b"))["spawned"]
    shop.open()
    shop.end()
    fail_child(shop, "root-a")
    (wish,) = shop.daemon.person("get_status", project=shop.project)["needs_you"]
    assert wish["type"] == f"toryo task retry {one['task']}"
    shop.retry(one["task"])
    assert shop.units()["root-a"] == "ready"


@pytest.mark.parametrize("tool", ["retry_task", "retry_unit"])
def test_a_root_does_not_begin_anew_while_another_tree_of_its_project_lives(shop: Tree, tool: str) -> None:
    a_failed_tree(shop)
    first = shop.begun["task"]
    shop.daemon.person("spawn_tree", project=shop.project, requirements=REQUIREMENTS)
    wish = {"task" if tool == "retry_task" else "unit": first}
    assert "lives in" in shop.daemon.refused(shop.daemon.operator, tool, **wish)["error"]
