"""Two coordinators and more on one task, each interrupted in the middle of every order: one final state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from house import House
from many_hands import Hands

from repositories import git
from waiting import eventually

pytestmark = pytest.mark.long

MakeHouse = Callable[..., House]
CHECKED = {"README.md": "hello\n", "Makefile": "test:\n\ttrue\n"}
LANDING = ("collect", "candidate", "check", "accept", "publish", "clean")
"""The orders after a run, in their order: any coordinator of the machine may do them."""
MIDST = (
    *("prepare.before", "prepare.after", "run.before", "launch.written", "run.after", "exit.before"),
    *(f"{kind}.{when}" for kind in LANDING for when in ("before", "after")),
)


@pytest.fixture
def make_hands(make_house: MakeHouse) -> Iterator[Callable[..., Hands]]:
    made: list[Hands] = []

    def make(**given: str) -> Hands:
        made.append(Hands(make_house(CHECKED, init=False, **given)))
        made[-1].begin()
        return made[-1]

    yield make
    for hands in made:
        hands.end()


def work(house: House) -> tuple[str, Path]:
    """An agent that commits one file, leaves another one uncommitted, and ends once a third is there."""
    go = house.root / "go"
    house.agent(
        "echo x > x.txt && git add x.txt && git commit -qm work && echo draft > notes.txt\n"
        f"while [ ! -e {go} ]; do sleep 0.05; done"
    )
    return house.add("Only once"), go


def landed_once(hands: Hands, task: str) -> None:
    """One start, one run, one landing; what was left is kept, and nothing else is left anywhere."""
    house = hands.house
    assert house.rest(task) == 0, house.story(task)
    run = house.task(task)["runs"][0]["id"]
    assert [(one["outcome"], one["generation"]) for one in house.task(task)["runs"]] == [("succeeded", 1)]
    assert house.started() == [run]
    assert house.files_on() == {"README.md", "Makefile", "x.txt"}
    assert int(git(house.repo, "rev-list", "--count", "main")) == 3, "one merge of one commit"
    eventually(lambda: not git(house.repo, "branch", "--list", "agent/*"), what="its branch is tidied away")
    assert len(git(house.repo, "worktree", "list").splitlines()) == 1
    assert house.evidence(task)["verdict"] == "green"
    house.ok("restore", task, "--to", str(house.root / "back"))
    assert (house.root / "back" / "notes.txt").read_text() == "draft\n"
    assert house.recomputed() == []
    assert git(house.repo, "fsck", "--connectivity-only", "--no-dangling") == ""


def test_each_order_of_a_task_has_its_coordinator_superseded_in_the_middle(
    make_hands: Callable[..., Hands],
) -> None:
    """Each is stopped at a step, the next one of the same name goes on; at the end all older ones wake up."""
    hands = make_hands(branch="main")
    hands.start_and_wait()
    hands.arm(f"{MIDST[0]} stop")
    task, go = work(hands.house)
    for step in (*MIDST[1:], ""):
        hands.stopped()
        hands.arm(f"{step} stop" if step else "")
        if step == "exit.before":
            go.touch()
        hands.start()
    landed_once(hands, task)
    moved = git(hands.house.repo, "for-each-ref")
    for one in hands.aside:
        one.go_on()
    # one that had not registered yet does so now and is the newest; all others are superseded
    eventually(lambda: len(hands.living()) == 1, within_s=30, what="superseded ones end by themselves")
    assert {one.process.returncode for one in hands.all} == {0, None}
    assert git(hands.house.repo, "for-each-ref") == moved
    assert hands.events("fact_late"), "what they had to tell came too late, and is kept"
    assert not hands.events("fact_orphan")
    landed_once_still(hands, task)


def landed_once_still(hands: Hands, task: str) -> None:
    house = hands.house
    assert house.state(task) == "done"
    assert house.started() == [house.task(task)["runs"][0]["id"]]
    assert len(git(house.repo, "worktree", "list").splitlines()) == 1
    assert house.recomputed() == []
    assert git(house.repo, "status", "--porcelain") == "?? .toryo/"


def test_a_stopped_coordinator_keeps_its_run_and_the_other_one_lands_what_it_cannot(
    make_hands: Callable[..., Hands],
) -> None:
    """Two places of one machine. What was begun at a place is its own; landing is the machine's."""
    hands = make_hands()
    hands.start_and_wait("main")
    hands.start_and_wait("second")
    house = hands.house
    hands.arm("prepare.before stop")
    task, go = work(house)
    owner = hands.stopped()
    for step in ("run.before", "run.after"):
        eventually(lambda: house.state(task) == "running unknown", within_s=30, what="nobody knows")
        assert "toryo run release" in house.ok("status"), "the way out is shown"
        hands.arm(f"{step} stop")
        hands.go_on(owner)
        assert hands.stopped() is owner
    eventually(house.starts.exists, within_s=30, what="the agent works on alone")
    eventually(lambda: house.state(task) == "running unknown", within_s=30, what="nobody knows")
    (run,) = house.task(task)["runs"]
    assert run["ended_at"] is None, "no word, no end"
    kept = {one["id"]: one["runs"] for one in house.read("status")["agents"]}
    assert kept["worker"] == [run["id"]], "its slot is taken"
    assert len(git(house.repo, "worktree", "list").splitlines()) == 2, "and so is its worktree"
    hands.arm("collect.before stop")
    go.touch()
    hands.go_on(owner)
    gone = hands.stopped()
    for step in (f"{kind}.before" for kind in LANDING[1:]):
        hands.arm(f"{step} stop")
        other = hands.stopped()  # the other one came so far alone
        hands.go_on(gone)
        gone = other
    hands.arm("")
    hands.go_on(gone)
    landed_once(hands, task)


def test_of_two_coordinators_one_is_killed_in_the_middle_of_each_order(
    make_hands: Callable[..., Hands],
) -> None:
    hands = make_hands()
    hands.start_and_wait("main")
    hands.start_and_wait("second")
    hands.arm("prepare.after")
    task, go = work(hands.house)
    go.touch()
    for step in ("run.before", "launch.written", "run.after", "collect.after"):
        gone = hands.died()
        hands.arm(step)
        hands.start(gone.name)
    for step in (*(f"{kind}.after" for kind in LANDING[1:]), ""):
        gone = hands.died()
        hands.arm(step)
        if step:
            assert hands.died().name != gone.name, "the other one came so far alone"
            hands.aside.pop()
        hands.start(gone.name)
    eventually(lambda: set(hands.pids()) == {"main", "second"}, what="both are back")
    landed_once(hands, task)


def test_a_run_is_stopped_once_though_each_who_was_asked_was_superseded(
    make_hands: Callable[..., Hands],
) -> None:
    hands = make_hands()
    hands.start_and_wait()
    house = hands.house
    house.agent("trap 'echo told >> $STARTS.told; exit 3' TERM; while :; do sleep 0.05; done")
    task = house.add("Too long")
    eventually(house.starts.exists, within_s=30, what="the agent works")
    hands.arm("stop.before stop")
    house.ok("task", "cancel", task)
    for step in ("stop.after", ""):
        hands.stopped()
        hands.arm(f"{step} stop" if step else "")
        hands.start()
    eventually(lambda: house.task(task)["runs"][0]["ended_at"], within_s=30, what="the run has ended")
    for one in hands.aside:
        one.go_on()
    eventually(lambda: len(hands.living()) == 1, within_s=30, what="superseded ones end by themselves")
    assert house.state(task) == "cancelled cancelled"
    assert house.starts.with_suffix(".told").read_text() == "told\n"
    assert len(house.started()) == 1
    assert house.recomputed() == []
