"""A person deletes Toryo's own refs while an accepted landing waits: told, and gone on with what is left."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from house import House

from repositories import git
from waiting import eventually

pytestmark = pytest.mark.long

MakeHouse = Callable[..., House]
WAYS = {"retry": ("task", "retry"), "init": ("init", "--yes")}
WORK = "echo new > a.txt && git add -A && git commit -qm work"


def waiting_for_checkout(make_house: MakeHouse) -> tuple[House, str]:
    house = make_house({"a.txt": "old\n", "Makefile": "test:\n\ttrue\n"}, branch="main")
    house.agent(WORK)
    (house.repo / "a.txt").write_text("unsaved thought\n")
    task = house.add("Change a")
    eventually(lambda: house.task(task)["reason"] == "waiting_for_checkout", within_s=60)
    return house, task


def delete_refs(house: House) -> None:
    for ref in git(house.repo, "for-each-ref", "--format=%(refname)", "refs/toryo").split():
        git(house.repo, "update-ref", "-d", ref)


def collect_garbage(house: House) -> None:
    git(house.repo, "reflog", "expire", "--expire=now", "--all")
    git(house.repo, "gc", "-q", "--prune=now")


def told(house: House, task: str) -> None:
    """A person hears of it, and is given the line to type."""
    eventually(lambda: house.state(task) == "needs_review tip_missing", within_s=30, what=house.story(task))
    (wish,) = house.read("status")["needs_you"]
    assert "refs/toryo/" in wish["why"]
    assert wish["type"] == "toryo target retry main --project repo"


def has_landed(house: House, task: str) -> None:
    git(house.repo, "checkout", "--", "a.txt")
    assert house.rest(task, limit_s=30) == 0, house.story(task)
    assert (house.repo / "a.txt").read_text() == "new\n"
    assert git(house.repo, "status", "--porcelain") == "?? .toryo/"
    assert house.recomputed() == []


@pytest.mark.parametrize("way", ["retry", "init"])
def test_a_retry_or_another_init_puts_the_tip_back_while_its_commit_is_there(
    make_house: MakeHouse, way: str
) -> None:
    house, task = waiting_for_checkout(make_house)
    tip = git(house.repo, "rev-parse", "refs/toryo/tips/main")
    delete_refs(house)
    told(house, task)
    house.ok(*WAYS[way], *([task] if way == "retry" else []))
    eventually(lambda: house.state(task) == "landing waiting_for_checkout", within_s=30)
    assert git(house.repo, "rev-parse", "refs/toryo/tips/main") == tip
    has_landed(house, task)
    assert git(house.repo, "rev-parse", "main") == tip


@pytest.mark.parametrize("way", ["retry", "init"])
def test_work_that_is_left_on_its_branch_lands_from_there(make_house: MakeHouse, way: str) -> None:
    house, task = waiting_for_checkout(make_house)
    tip = git(house.repo, "rev-parse", "refs/toryo/tips/main")
    delete_refs(house)
    collect_garbage(house)
    with pytest.raises(AssertionError):
        git(house.repo, "cat-file", "-e", tip)
    told(house, task)
    house.ok(*WAYS[way], *([task] if way == "retry" else []))
    eventually(lambda: house.state(task) == "landing waiting_for_checkout", within_s=30)
    assert (house.repo / "a.txt").read_text() == "unsaved thought\n"
    has_landed(house, task)
    assert len(house.started()) == 1


def test_a_checkout_that_is_free_again_changes_nothing_of_that(make_house: MakeHouse) -> None:
    house, task = waiting_for_checkout(make_house)
    delete_refs(house)
    collect_garbage(house)
    git(house.repo, "checkout", "--", "a.txt")
    told(house, task)
    house.ok("task", "retry", task)
    has_landed(house, task)
    assert len(house.started()) == 1


def test_work_that_is_nowhere_any_more_is_told_and_done_again_after_a_second_retry(
    make_house: MakeHouse,
) -> None:
    house, task = waiting_for_checkout(make_house)
    shown = house.task(task)
    delete_refs(house)
    git(house.repo, "worktree", "remove", "-f", "-f", shown["runs"][-1]["worktree"])
    git(house.repo, "branch", "-q", "-D", shown["branch"])
    collect_garbage(house)
    told(house, task)
    house.ok("task", "retry", task)
    eventually(
        lambda: house.state(task) == "needs_review worktree_missing", within_s=30, what=house.story(task)
    )
    (wish,) = house.read("status")["needs_you"]
    assert "its commits were deleted" in wish["why"]
    assert wish["type"] == f"toryo task retry {task}"
    house.ok("task", "retry", task)
    has_landed(house, task)
    assert len(house.started()) == 2


def test_without_anything_under_way_the_next_task_says_it(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main")
    house.agent(WORK)
    first = house.add("Wait", "--hold")
    eventually(lambda: git(house.repo, "for-each-ref", "refs/toryo/tips"), within_s=30)
    delete_refs(house)
    eventually(
        lambda: "tip_missing" in house.ok("events", "--json"), within_s=30, what="the queue has stopped"
    )
    house.ok("task", "approve", first)
    eventually(lambda: house.state(first) == "blocked tip_missing", within_s=30, what=house.story(first))
    house.ok("task", "retry", first)
    assert house.rest(first) == 0, house.story(first)
    assert (house.repo / "a.txt").read_text() == "new\n"
    assert house.recomputed() == []
