"""Files about a unit's children, while the unit's own run lives: kept up to date by its coordinator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tree_shop import Tree, land_child, part
from whole_daemon import Body

from toryo.protocol.base import Problem
from toryo.protocol.kinds.units import Refreshed
from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Tree]:
    opened = Tree(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.daemon.close()


def refreshing(shop: Tree) -> list[Body]:
    shop.daemon.settle()
    found = shop.hands.speak("next_orders", wait_s=0)["orders"]
    return [one for one in found if one["kind"] == "refresh"]


def written(shop: Tree, fact: Refreshed | None = None) -> dict[str, Any]:
    """Status of each child by the files of the one order, which is reported."""
    (order,) = refreshing(shop)
    blobs = {one["path"]: one["blob"] for one in order["inputs"]["files"]}
    texts = {path: shop.hands.call("fetch_blob", hash=blob)["text"] for path, blob in blobs.items()}
    shop.hands.report(order, "refreshed", fact or Refreshed())
    children = yaml.safe_load(texts["children-status.yml"])["children"]
    tasks = yaml.safe_load(texts["task-breakdown.yml"])["tasks"]
    return {one["unit_id"]: one["status"] for one in children} | {one["id"]: one["status"] for one in tasks}


def test_a_living_parents_files_say_what_its_children_do_and_which_have_landed(shop: Tree) -> None:
    shop.spawn(shop.begin(), part("a"))
    mine = shop.running
    shop.open()
    for _ in ("its branch is no target yet", "it is ready"):
        assert written(shop) == {"root-a": "pending", "a": "pending"}
    assert refreshing(shop) == [], "nothing is new"
    land_child(shop, "root-a")
    order = refreshing(shop)[0]
    assert (order["run"], order["inputs"]["branch"]) == (mine["run"], shop.begun["branch"])
    assert written(shop) == {"root-a": "running", "a": "pending"}, "as it was asked for"
    assert written(shop) == {"root-a": "completed", "a": "completed"}, "what changed meanwhile comes next"
    assert refreshing(shop) == []


def test_files_that_could_not_be_written_are_not_asked_for_until_they_change(shop: Tree) -> None:
    shop.spawn(shop.begin(), part("a"))
    written(shop, Refreshed(problem=Problem(code="gone", message="no such worktree")))
    assert refreshing(shop) == []


def test_no_files_are_written_where_no_run_of_the_parent_lives(shop: Tree) -> None:
    shop.spawn(shop.begin(), part("a"))
    shop.open()
    written(shop)
    written(shop)
    shop.end()
    land_child(shop, "root-a")
    assert refreshing(shop) == []
