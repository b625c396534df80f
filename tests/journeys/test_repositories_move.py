"""The repository itself is moved, deleted, replaced, copied, or another installation takes it over."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest
from house import House

from repositories import git
from waiting import eventually

MakeHouse = Callable[..., House]

WAITS = "landing waiting_for_checkout"


def holding(house: House, work: str = "echo new > a.txt") -> None:
    """An agent that commits, leaves a file and waits for `go`."""
    go = house.root / "go"
    house.agent(
        f"{work}; git add -A; git commit -qm work; echo draft > draft.txt\n"
        f"touch {house.root}/works; while [ ! -e {go} ]; do sleep 0.05; done"
    )


def needs(house: House, task: str) -> tuple[str, list[str]]:
    """Why a task waits and what may be typed, as `toryo status` says it."""
    found = [one for one in house.read("status")["needs_you"] if one["task"] == task]
    return (found[0]["why"], found[0]["lines"]) if found else ("", [])


def test_a_moved_repository_pauses_the_project_and_goes_on_where_it_is_now(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main")
    holding(house)
    running = house.add("Change a")
    eventually((house.root / "works").exists, within_s=30)
    old, new = house.repo, house.root / "elsewhere" / "shop"
    waiting = house.add("Another", "--hold")
    new.parent.mkdir()
    old.rename(new)
    house.repo = new
    (house.root / "go").touch()
    eventually(lambda: house.state(running) == "blocked repository_missing", within_s=30)
    house.toryo("task", "approve", waiting, cwd=house.root)
    eventually(lambda: house.state(waiting) == "blocked repository_missing", within_s=30)
    why, lines = needs(house, running)  # one entry of all that wait for it
    assert "not where it was" in why
    assert lines[0].startswith("toryo project move repo ")
    assert str(new) in house.toryo("project", "move", "repo", str(new), cwd=house.root).stdout
    house.agent("echo $TORYO_RUN > other.txt; git add -A; git commit -qm more")
    assert house.rest(running, waiting) == 0, house.story(running, waiting)
    assert (new / "a.txt").read_text() == "new\n"
    assert not old.exists()
    assert house.recomputed() == []
    house.ok("restore", running, "--worktree")
    assert (
        new / ".worktrees" / house.task(running)["runs"][0]["worktree"].split("/")[-1] / "draft.txt"
    ).exists()


def test_a_deleted_repository_stops_everything_and_a_clone_in_its_place_is_another_project(
    make_house: MakeHouse,
) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main")
    house.agent("echo new > a.txt; git add -A; git commit -qm work")
    git(house.root, "clone", "-q", "--bare", str(house.repo), "backup.git")
    held = house.add("Wait", "--hold")
    repo, house.repo = house.repo, house.root
    shutil.rmtree(repo)
    house.ok("task", "approve", held)
    eventually(lambda: house.state(held) == "blocked repository_missing", within_s=30)
    git(house.root, "clone", "-q", "backup.git", "repo")
    eventually(lambda: house.state(held) == "blocked repository_replaced", within_s=30)
    house.repo = repo
    _, lines = needs(house, held)
    assert f"cd {house.repo} && toryo init" in lines
    refused = house.toryo("project", "move", "repo", str(house.repo))
    assert refused.returncode == 1
    assert "another repository" in refused.stderr
    assert house.started() == []
    assert "was here before: it is archived" in house.ok("init", "--yes")
    house.ok("agent", "assign", "worker")
    git(house.repo, "config", "user.name", "Some One")
    git(house.repo, "config", "user.email", "some.one@localhost")
    task = house.add("Change a")
    assert house.rest(task) == 0, house.story(task)
    assert (house.repo / "a.txt").read_text() == "new\n"


def test_a_copy_is_not_taken_for_the_repository_while_that_is_there(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main")
    house.agent("echo new > a.txt; git add -A; git commit -qm work")
    copy = house.root / "copy"
    shutil.copytree(house.repo, copy, symlinks=True)
    refused = house.toryo("init", "--yes", cwd=copy)
    assert refused.returncode == 1
    assert "is a copy of the repository of repo" in refused.stderr
    assert "rm -r" in refused.stderr
    assert house.read("project", "list")["projects"][0]["path"] == str(house.repo)
    shutil.rmtree(copy / ".git" / "toryo")
    assert house.toryo("init", "--yes", cwd=copy).returncode == 0
    task = house.add("Change a")
    assert house.rest(task) == 0, house.story(task)
    assert (house.repo / "a.txt").read_text() == "new\n"
    assert (copy / "a.txt").read_text() == "old\n"


def test_a_second_installation_may_not_land_until_it_takes_over_and_then_the_first_may_not(
    make_house: MakeHouse,
) -> None:
    first = make_house({"a.txt": "old\n"})
    second = make_house(init=False)
    second.repo = first.repo
    refused = second.toryo("init", "--yes", "--base", "main")
    assert refused.returncode == 1
    assert "Another installation of Toryo" in refused.stderr
    assert "toryo init --take-over" in refused.stderr
    holding(first)
    task = first.add("Change a")
    eventually((first.root / "works").exists, within_s=30)
    before = git(first.repo, "rev-parse", "main")
    second.ok("init", "--yes", "--base", "main", "--take-over")
    (first.root / "go").touch()
    eventually(lambda: "owned_elsewhere" in first.state(task), within_s=60, what=first.story(task))
    why, lines = needs(first, task)
    assert "another installation of Toryo lands" in why
    assert lines[0] == f"cd {first.repo} && toryo init --take-over"
    assert git(first.repo, "rev-parse", "main") == before
    second.agent("echo second > b.txt; git add -A; git commit -qm second")
    theirs = second.add("Theirs")
    assert second.rest(theirs) == 0, second.story(theirs)
    first.ok("init", "--yes", "--base", "main", "--take-over")
    eventually(lambda: first.task(task)["status"] == "done", within_s=60, what=first.story(task))
    assert (first.text_on("a.txt"), first.text_on("b.txt")) == ("new", "second")
    assert first.recomputed() == []


def test_what_the_first_accepted_and_could_not_publish_is_published_by_the_one_that_takes_over(
    make_house: MakeHouse,
) -> None:
    first = make_house({"a.txt": "old\n"}, branch="main")
    first.agent("echo new > a.txt; git add -A; git commit -qm work")
    (first.repo / "a.txt").write_text("mine\n")
    task = first.add("Change a")
    eventually(lambda: first.state(task) == WAITS, within_s=30, what="it waits for the checkout")
    second = make_house(init=False)
    second.repo = first.repo
    second.ok("init", "--yes", "--base", "main", "--take-over")
    second.agent("echo second > b.txt; git add -A; git commit -qm second")
    theirs = second.add("Theirs")
    eventually(lambda: second.state(theirs) == WAITS, within_s=20, what="so does the second one's work")
    eventually(lambda: first.state(task) == "needs_review owned_elsewhere", what="the first notices")
    git(first.repo, "checkout", "a.txt")
    assert second.rest(theirs) == 0, second.story(theirs)
    assert (first.text_on("a.txt"), first.text_on("b.txt")) == ("new", "second")
    first.ok("init", "--yes", "--base", "main", "--take-over")
    assert first.rest(task) == 0, first.story(task)
    assert (first.recomputed(), second.recomputed()) == ([], [])


@pytest.mark.long
def test_two_installations_in_turn_each_finish_what_they_accepted(make_house: MakeHouse) -> None:
    first = make_house({"a.txt": "old\n"}, branch="main")
    first.agent("echo first > b.txt; git add -A; git commit -qm first")
    second = make_house(init=False)
    second.repo = first.repo
    second.ok("init", "--yes", "--base", "main", "--take-over")
    second.agent("echo second > a.txt; git add -A; git commit -qm second")
    (first.repo / "a.txt").write_text("mine\n")
    theirs = second.add("Theirs")
    eventually(lambda: second.state(theirs) == WAITS, within_s=30, what="it waits for the checkout")
    first.ok("init", "--yes", "--base", "main", "--take-over")
    ours = first.add("Ours")
    assert first.rest(ours) == 0, first.story(ours)
    assert (first.text_on("a.txt"), first.text_on("b.txt")) == ("old", "first")
    git(first.repo, "checkout", "a.txt")
    second.ok("init", "--yes", "--base", "main", "--take-over")
    assert second.rest(theirs) == 0, second.story(theirs)
    assert (first.text_on("a.txt"), first.text_on("b.txt")) == ("second", "first")
    assert (first.recomputed(), second.recomputed()) == ([], [])
