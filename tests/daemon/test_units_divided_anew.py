"""Units that divide their work anew: after a retry, behind a child that failed, under ids that clash."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tree_shop import REQUIREMENTS, Tree, fail_child, land_child, part

from toryo.protocol.kinds.run import Stopped
from toryo.protocol.kinds.units import TargetOpened
from toryo.settings import Home


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Tree]:
    opened = Tree(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.daemon.close()


LONG = "x" * 64


@pytest.mark.parametrize(
    ("one", "other", "unit"),
    [
        ("log-in", "log_in", "root-log_in"),
        ("日本", "中国", "root-task"),
        (f"{LONG}-a", f"{LONG}-b", f"root-{LONG}"),
    ],
)
def test_two_ids_that_name_one_unit_are_refused_with_both_of_them(
    shop: Tree, one: str, other: str, unit: str
) -> None:
    token = shop.begin()
    told = shop.refused(token, part(one), part(other))
    assert all(word in told for word in (one, other, unit))
    shop.spawn(token, part(one))
    later = shop.refused(token, part(other))
    assert all(word in later for word in (one, other, unit))
    assert set(shop.units()) == {"root", unit}


def test_a_number_is_an_id_zero_too_and_a_long_one_is_waited_for_by_its_whole_name(shop: Tree) -> None:
    token = shop.begin()
    text = f"tasks:\n  - {{id: 0, description: x}}\n  - {{id: {LONG}-a, depends_on: [0]}}\n"
    text += f"  - {{id: last, depends_on: ['{LONG}-a']}}\n"
    found = shop.spawn(token, breakdown=text)
    assert [one["unit"] for one in found["spawned"]] == ["root-0", f"root-{LONG}", "root-last"]
    assert found["warnings"] == []


def test_a_retried_unit_spawns_anew_also_those_whose_work_landed_on_its_old_branch(shop: Tree) -> None:
    token = shop.begin()
    first = shop.spawn(token, part("a"), part("b"))["spawned"]
    shop.open()
    shop.end()
    land_child(shop, "root-a")
    land_child(shop, "root-b", "5" * 40)
    for number in range(2):
        shop.run("root", f"integrate-{number}")
        shop.end(3)
    assert shop.units()["root"] == "failed exit:3"
    shop.hands.report(shop.hands.order("open_target"), "target_opened", TargetOpened(closed=True))
    shop.daemon.person("retry_unit", unit="root")
    again = shop.run("root", "request-anew")
    second = shop.spawn(again, part("a"), part("b"))
    assert ([one["unit"] for one in second["spawned"]], second["known"]) == (["root-a", "root-b"], [])
    assert {one["task"] for one in second["spawned"]}.isdisjoint(one["task"] for one in first)
    shop.open()
    shop.end()
    assert shop.units()["root"] == "blocked waiting_for_children"
    land_child(shop, "root-a", "6" * 40)
    assert shop.task("root")["detail"] == "1 of 2 landed; waits for root-b"


@pytest.mark.parametrize("again", ["a2", "a"])
def test_a_child_behind_one_that_failed_waits_for_the_one_in_its_place(shop: Tree, again: str) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"), part("b", depends_on=["a"]))
    shop.open()
    shop.end()
    fail_child(shop, "root-a")
    assert shop.units()["root-b"].startswith("blocked dependency_failed")
    token = shop.run("root", "integrate")
    found = shop.spawn(token, part(again), part("b", depends_on=[again]))
    assert [one["unit"] for one in found["spawned"]] == [f"root-{again}"]
    assert [one["unit"] for one in found["changed"]] == ["root-b"]
    assert shop.units()["root-b"] == "blocked dependency"
    shop.end()
    assert shop.units()["root"] == "blocked waiting_for_children"
    land_child(shop, f"root-{again}")
    assert shop.units()["root-b"] == "ready"


def test_a_child_that_has_begun_keeps_what_it_waited_for(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    shop.run("root-a")
    assert shop.spawn(token, part("a", depends_on=["z"]), part("z"))["changed"] == []
    assert shop.units()["root-a"] == "running decompose"


def test_a_child_waits_for_nothing_any_more_where_its_parent_says_so(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"), part("b", depends_on=["a"]))
    shop.open()
    again = shop.spawn(token, part("a"), part("b"))
    assert (again["spawned"], [one["unit"] for one in again["changed"]]) == ([], ["root-b"])
    assert shop.units()["root-b"] == "ready"
    assert shop.spawn(token, part("a"), part("b"))["changed"] == []


def test_a_quick_agent_that_spawns_before_its_worktree_was_told_waits_for_that(shop: Tree) -> None:
    wish = {"project": shop.project, "requirements": REQUIREMENTS, "at_once": True}
    shop.begun = shop.daemon.person("spawn_tree", **wish)
    claimed = shop.hands.claim("dev", shop.project, "request-root")
    token = shop.run_token(claimed["then"])
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(shop.daemon.by, token, "spawn_children", tasks=[part("a")])
        with pytest.raises(TimeoutError):
            asked.result(0.5)
        shop.hands.prepare(claimed["order"])
        found = asked.result(20)
    assert [one["unit"] for one in found["spawned"]] == ["root-a"]
    assert shop.task("root-a")["target_branch"] == shop.begun["branch"]


def test_a_tree_shows_each_unit_once_and_nothing_below_one_that_was_spawned_anew(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    shop.end()
    inner = shop.run("root-a")
    shop.spawn(inner, part("x"))
    shop.daemon.person("stop_unit", unit="root-a")
    shop.hands.report(shop.hands.order("stop"), "stopped", Stopped(asked=True, gone=True))
    shop.end(1)
    again = shop.run("root", "request-again")
    (new,) = shop.spawn(again, part("a"))["spawned"]
    shown = shop.daemon.person("unit_tree", project=shop.project)["units"]
    assert [(one["unit"], one["id"]) for one in shown] == [
        ("root", shop.begun["task"]),
        ("root-a", new["task"]),
    ]
    assert shown[0]["children"] == ["root-a"]


def test_what_a_unit_committed_before_it_spawned_is_no_difference_of_its_target(shop: Tree) -> None:
    shop.spawn(shop.begin(), part("a"))
    order = shop.hands.order("open_target")
    shop.hands.report(order, "target_opened", TargetOpened(commit="9" * 40, tree="8" * 40))
    shop.daemon.settle()
    assert shop.daemon.person("recompute")["differences"] == []
