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
