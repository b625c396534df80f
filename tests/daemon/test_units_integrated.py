"""Integrate runs: what a unit is told of its children, of its run before, and of what lay in its worktree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tree_shop import Tree, fail_child, land_child, part
from whole_daemon import MERGED, WORK, Body

from toryo.protocol.kinds.landing import Accepted, Published
from toryo.protocol.kinds.run import Exited, Lost, Said
from toryo.protocol.kinds.say import Spoken
from toryo.protocol.kinds.work import Collected, FileLines
from toryo.settings import Home
from toryo.store.tables import agents


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Tree]:
    opened = Tree(Home(tmp_path / "home"), tmp_path)
    try:
        yield opened
    finally:
        opened.daemon.close()


def integrate_prompt(shop: Tree) -> str:
    shop.daemon.settle()
    return str(shop.daemon.person("worker_prompt", task="root")["prompt"])


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        (Exited(exit_code=7), "Your last run ended badly: it exited with 7."),
        (Exited(exit_code=None, signal="SIGKILL"), "Your last run ended badly: SIGKILL ended it."),
        (Exited(exit_code=None, timed_out=True), "Your last run ended badly: its time was over."),
        (Exited(exit_code=0), ""),
    ],
)
def test_an_integrate_run_is_told_how_the_run_before_it_ended(shop: Tree, fact: Exited, told: str) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    shop.hands.report(shop.running, "exited", fact)
    shop.hands.collect(0)
    fail_child(shop, "root-a")
    text = integrate_prompt(shop)
    assert (told in text) if told else ("ended badly" not in text)


def test_an_integrate_run_is_told_that_the_run_before_it_was_lost(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    shop.hands.report(shop.running, "lost", Lost(reason="boot"))
    shop.hands.collect(0)
    fail_child(shop, "root-a")
    assert "Your last run ended badly: it was lost in the middle." in integrate_prompt(shop)


def test_an_integrate_run_hears_what_its_child_posted_and_how_much_it_changed(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    shop.end()
    child = shop.run("root-a")
    shop.daemon.by(child, "send_message", type="result", data={"is_error": False, "summary": "Users are in."})
    shop.hands.exit(shop.running, said=Said(result="success", words="something else"))
    order = shop.hands.order("collect")
    assert order["inputs"]["counted"] is True
    stat = (
        FileLines(path="a.py", added=12, removed=3),
        FileLines(path="b.png"),
        FileLines(path="c.py", added=1, removed=0),
    )
    fact = Collected(head=WORK, commits=1, new_commits=1, changed_count=3, stat=stat, stat_count=3)
    shop.hands.report(order, "collected", fact)
    shop.hands.build()
    shop.hands.land()
    text = integrate_prompt(shop)
    assert "`root-a`: completed; 3 files, +13 −3: a.py +12 −3, b.png, c.py +1 −0" in text
    assert "It says: Users are in." in text
    assert "something else" not in text


def test_an_integrate_run_is_told_where_what_lay_in_its_worktree_is_kept(shop: Tree) -> None:
    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    shop.end()
    shop.run("root-a")
    shop.hands.exit(shop.running)
    shop.hands.collect(1)
    shop.hands.build()
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip=MERGED))
    published = Published(published=True, commit=MERGED, snapshot="7" * 40)
    shop.hands.report(shop.hands.order("publish"), "published", published)
    text = integrate_prompt(shop)
    assert f"is kept in {'7' * 40}: `git show` or `git checkout COMMIT -- PATH` brings it back." in text


def watched(shop: Tree) -> list[str]:
    """The targets that a coordinator is to look at."""
    shop.daemon.settle()
    (project,) = shop.hands.call("list_active_projects_with_agents")["projects"]
    return [one["name"] for one in project["targets"]]


def test_coordinators_watch_a_units_branch_until_the_unit_has_ended(shop: Tree) -> None:
    token = shop.begin()
    assert watched(shop) == ["main"]
    shop.spawn(token, part("a"))
    shop.open()
    assert watched(shop) == [shop.begun["branch"], "main"]
    shop.end()
    shop.daemon.person("stop_unit", unit="root")
    assert watched(shop) == ["main"]


@pytest.mark.parametrize("style", ["interactive", "exec"])
def test_a_parent_that_was_typed_to_until_all_had_landed_has_nothing_to_integrate(
    shop: Tree, style: str
) -> None:
    shop.daemon.change(agents.update, "dev", style=style)
    token = shop.begin()
    mine = shop.running
    shop.spawn(token, part("a"))
    shop.open()
    land_child(shop, "root-a")
    assert shop.task("root-a")["status"] == "done"
    if style == "interactive":
        shop.hands.report(shop.hands.order("say", run=mine["run"]), "spoken", Spoken(delivered=True))
    shop.running = mine
    shop.end()
    expected = "verifying checking" if style == "interactive" else "ready children_at_rest"
    assert shop.units()["root"] == expected


def test_a_parent_on_a_screen_that_ended_before_it_heard_of_the_last_child_integrates_and_hears_it(
    shop: Tree,
) -> None:
    shop.daemon.change(agents.update, "dev", style="interactive")
    token = shop.begin()
    mine = shop.running
    shop.spawn(token, part("a"))
    shop.open()
    land_child(shop, "root-a")
    shop.running = mine
    shop.end()
    assert shop.units()["root"] == "ready children_at_rest"
    assert "[CHILD:root-a] Status: completed, Message: Part a" in integrate_prompt(shop)


def test_a_parent_on_a_screen_that_ended_before_the_last_child_integrates(shop: Tree) -> None:
    shop.daemon.change(agents.update, "dev", style="interactive")
    token = shop.begin()
    shop.spawn(token, part("a"))
    shop.open()
    shop.end()
    shop.daemon.pass_time(5)
    land_child(shop, "root-a")
    assert shop.units()["root"] == "ready children_at_rest"


def go_up(shop: Tree, unit: str, order: Body, style: str, commit: str) -> None:
    """Its child has landed: it hears so on its screen or is started once more, and its branch lands."""
    if style == "interactive":
        shop.hands.report(shop.hands.order("say", run=order["run"]), "spoken", Spoken(delivered=True))
    shop.hands.exit(order)
    shop.hands.collect(0)
    if style == "exec":
        assert shop.units()[unit] == "ready children_at_rest"
        shop.run(unit, f"integrate-{unit}")
        shop.hands.exit(shop.running)
        shop.hands.collect(0)
    shop.hands.build(commit)
    shop.hands.land(commit)
    assert shop.units()[unit] == "done"


@pytest.mark.parametrize("style", ["interactive", "exec"])
def test_three_levels_go_down_and_up_with_one_agent_of_one_slot(shop: Tree, style: str) -> None:
    shop.daemon.change(agents.update, "dev", style=style, slots=1)
    orders, token = {}, shop.begin()
    for unit, child in (("root", "a"), ("root-a", "x")):
        orders[unit] = shop.running
        assert not shop.hands.should_start("dev", shop.project)
        shop.spawn(token, part(child))
        shop.open()
        assert shop.hands.should_start("dev", shop.project), f"{unit} only waits"
        if child == "a":
            token = shop.run("root-a")
    listed = shop.hands.call("list_active_projects_with_agents")["projects"][0]
    assert len(listed["resting_runs"]) == 2
    land_child(shop, "root-a-x")
    for number, unit in enumerate(("root-a", "root"), 5):
        go_up(shop, unit, orders[unit], style, str(number) * 40)
    assert set(shop.units().values()) == {"done"}
    assert shop.daemon.person("unit_tree", project=shop.project)["status"] == "completed"
