"""Landing where the user works: their files are never touched, and only what overlaps is waited for."""

from __future__ import annotations

import json
from collections.abc import Callable

from house import House

from repositories import commit_files, git
from waiting import eventually

MakeHouse = Callable[..., House]
WORK = "echo new > a.txt && git add -A && git commit -qm work"


def test_a_landing_appears_in_the_users_own_checkout(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n", "b.txt": "b\n"}, branch="main")
    house.agent(WORK)
    (house.repo / "b.txt").write_text("the user's own edit\n")
    (house.repo / "untracked.txt").write_text("mine\n")
    task = house.add("Change a")
    assert house.rest(task) == 0, house.story(task)
    assert (house.repo / "a.txt").read_text() == "new\n"
    assert (house.repo / "b.txt").read_text() == "the user's own edit\n"
    assert (house.repo / "untracked.txt").read_text() == "mine\n"
    assert git(house.repo, "symbolic-ref", "--short", "HEAD") == "main"
    assert [line[3:] for line in git(house.repo, "status", "--porcelain").splitlines()] == [
        "b.txt",
        ".toryo/",
        "untracked.txt",
    ]


def test_it_waits_for_an_overlapping_edit_and_the_queue_goes_on(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main")
    house.agent(
        "if [ -e follow ]; then echo 2 > second.txt; else echo new > a.txt; touch follow; fi\n"
        "git add -A && git commit -qm work"
    )
    (house.repo / "a.txt").write_text("unsaved thought\n")
    first = house.add("Change a")
    second = house.add("Follow", "--after", first)
    eventually(lambda: house.task(second)["status"] == "landing", within_s=60, what="both accepted")
    # what is published is another commit now: until it has met the edit, too, it is only `publishing`
    eventually(
        lambda: house.task(first)["reason"] == "waiting_for_checkout", within_s=60, what="it waits again"
    )
    shown = house.task(first)
    assert shown["status"] == "landing"
    assert "a.txt" in shown["detail"]
    assert (house.repo / "a.txt").read_text() == "unsaved thought\n"
    assert any("a.txt" in one["why"] for one in house.read("status")["needs_you"])
    git(house.repo, "checkout", "--", "a.txt")
    assert house.rest(first, second) == 0, house.story(first, second)
    assert (house.repo / "a.txt").read_text() == "new\n"
    assert (house.repo / "second.txt").read_text() == "2\n"
    assert house.recomputed() == []


def test_a_person_who_commits_meanwhile_keeps_their_commit(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main")
    go = house.root / "go"
    house.agent(WORK + f"\ntouch {house.root}/works; while [ ! -e {go} ]; do sleep 0.05; done")
    task = house.add("Change a")
    eventually((house.root / "works").exists, within_s=30)
    (house.repo / "mine.txt").write_text("mine\n")
    git(house.repo, "add", "mine.txt")
    git(house.repo, "commit", "-q", "-m", "my own")
    mine = git(house.repo, "rev-parse", "HEAD")
    go.touch()
    assert house.rest(task) == 0, house.story(task)
    assert git(house.repo, "merge-base", "--is-ancestor", mine, "main") == ""
    assert (house.repo / "a.txt").read_text() == "new\n"
    assert (house.repo / "mine.txt").read_text() == "mine\n"
    assert house.recomputed() == []


def test_a_commit_while_a_publish_waits_is_joined_with_what_was_accepted(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main")
    house.agent(WORK)
    (house.repo / "a.txt").write_text("unsaved thought\n")
    task = house.add("Change a")
    eventually(lambda: house.task(task)["reason"] == "waiting_for_checkout", within_s=60)
    (house.repo / "mine.txt").write_text("mine\n")
    git(house.repo, "add", "mine.txt")
    git(house.repo, "commit", "-q", "-m", "my own")
    mine = git(house.repo, "rev-parse", "HEAD")
    git(house.repo, "checkout", "--", "a.txt")
    assert house.rest(task) == 0, house.story(task)
    assert git(house.repo, "merge-base", "--is-ancestor", mine, "main") == ""
    assert (house.repo / "a.txt").read_text() == "new\n"
    assert house.recomputed() == []


def test_a_rewound_target_stops_the_queue_and_is_never_forced(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"})
    house.agent("echo $TORYO_RUN > b.txt; git add -A; git commit -qm more")
    first = house.add("Change a")
    assert house.rest(first) == 0, house.story(first)
    git(house.repo, "branch", "-f", "main", "main~1")
    rewound = git(house.repo, "rev-parse", "main")
    second = house.add("Another")
    eventually(lambda: "target_rewound" in house.state(second), within_s=60, what=house.state(second))
    assert git(house.repo, "rev-parse", "main") == rewound
    house.ok("task", "approve", second)
    assert house.rest(second) == 0, house.story(second)
    assert git(house.repo, "merge-base", "--is-ancestor", rewound, "main") == ""
    assert house.recomputed() == []


def test_a_red_base_is_its_own_state_and_heals_with_the_users_commit(make_house: MakeHouse) -> None:
    house = make_house({"Makefile": "test:\n\ttest ! -e broken\n", "broken": "x\n"})
    house.agent(WORK)
    task = house.add("Change a")
    eventually(lambda: house.state(task) == "blocked base_red", within_s=60)
    assert house.started() == []
    (wrong,) = [
        one
        for one in json.loads(house.toryo("doctor", "--json").stdout)["findings"]
        if "the checks fail on the base itself" in one["what"]
    ]
    assert "commit on the target" in wrong["what"]
    assert wrong["hint"].startswith("toryo target approve main --project ")
    git(house.repo, "checkout", "-q", "main")
    (house.repo / "broken").unlink()
    commit_files(house.repo, {}, "mend the base")
    git(house.repo, "checkout", "-q", "side")
    assert house.rest(task) == 0, house.story(task)
    assert house.recomputed() == []
