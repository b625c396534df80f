"""Where the targets stand is told after every move of ours, and also when the repository is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from crew import Crew, project

from repositories import commit_files, git
from toryo.place.listener import LONGEST_WAIT_S
from waiting import eventually

TIP = "refs/toryo/tips/main"


def serve(crew: Crew, repo: Path, **settings: float) -> str:
    """A coordinator that looks at `main` of the repository; the commit it saw."""
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "update-ref", TIP, first)
    crew.daemon.projects = [project("p1", repo, [], [{"name": "main", "published": first}])]
    crew.daemon.start()
    crew.start(**settings)
    eventually(lambda: crew.daemon.about("target_seen"))
    return first


def test_an_accept_that_changed_nothing_is_followed_by_a_sight_all_the_same(crew: Crew, repo: Path) -> None:
    first = serve(crew, repo)
    inputs = {"repo": str(repo), "target": "main", "old": "0" * 40, "new": "1" * 40, "evidence": "e1"}
    crew.daemon.give(crew.order("o1", "accept", inputs, project="p1"))
    eventually(lambda: crew.daemon.about("accepted", "o1"))
    again = eventually(lambda: crew.daemon.about("target_seen")[1:])[0]
    assert (again["commit"], again["relation"], again["tip"]) == (first, "same", first)


def test_a_refused_publication_is_followed_by_a_sight_all_the_same(crew: Crew, repo: Path) -> None:
    first = serve(crew, repo)
    git(repo, "checkout", "-q", "-b", "work")
    other = commit_files(repo, {"a.txt": "two\n"})
    git(repo, "checkout", "-q", "main")
    inputs = {"repo": str(repo), "target": "main", "old": other, "new": other}
    git(repo, "commit", "-q", "--allow-empty", "-m", "mine")
    eventually(lambda: len(crew.daemon.about("target_seen")) == 2)
    crew.daemon.give(crew.order("o1", "publish", inputs, project="p1"))
    eventually(lambda: crew.daemon.about("published", "o1"))
    again = eventually(lambda: crew.daemon.about("target_seen")[2:])[0]
    assert again == crew.daemon.about("target_seen")[1]
    assert again["commit"] not in (first, other)


def test_a_repository_that_is_gone_is_told_once_and_so_is_its_return(crew: Crew, repo: Path) -> None:
    first = serve(crew, repo)
    elsewhere = repo.with_name("elsewhere")
    repo.rename(elsewhere)
    gone = eventually(lambda: crew.daemon.about("target_seen")[1:])[0]
    assert (gone["relation"], gone["commit"], gone["tree"]) == ("gone", "", "")
    repo.mkdir()  # a folder is no repository
    cycles = len(crew.daemon.asked("health_check"))
    eventually(lambda: len(crew.daemon.asked("health_check")) > cycles + 2)
    assert len(crew.daemon.about("target_seen")) == 2
    repo.rmdir()
    elsewhere.rename(repo)
    back = eventually(lambda: crew.daemon.about("target_seen")[2:])[0]
    assert (back["relation"], back["commit"]) == ("same", first)


def test_another_repository_at_the_path_and_another_owner_are_told(crew: Crew, repo: Path) -> None:
    serve(crew, repo)
    marks = repo / ".git" / "toryo"
    (marks / "owner").write_text("someone-else\n")
    owned = eventually(lambda: crew.daemon.about("target_seen")[1:])[0]
    assert (owned["relation"], owned["owner"]) == ("same", "someone-else")
    repo.rename(repo.with_name("first"))
    git(repo.parent, "clone", "-q", "first", "repo")

    def others() -> list[dict[str, object]]:
        return [one for one in crew.daemon.about("target_seen") if one["relation"] == "other"]

    other = eventually(others)
    assert (other[0]["commit"], other[0]["owner"]) == ("", "")


def test_an_order_waits_for_a_repository_that_was_moved_and_is_done_where_it_is_now(
    crew: Crew, repo: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = serve(crew, repo)
    there = repo.with_name("elsewhere")
    repo.rename(there)
    inputs = {"repo": str(repo), "target": "main", "old": first, "new": first, "evidence": "e1"}
    order = crew.order("o1", "accept", inputs, project="p1")
    crew.daemon.give(order)
    eventually(lambda: "Order waits: There is no repository at" in caplog.text)
    assert crew.daemon.about("accepted") == []
    crew.daemon.give({**order, "inputs": {**inputs, "repo": str(there)}})
    assert eventually(lambda: crew.daemon.about("accepted", "o1"))[0]["moved"]


def test_orders_are_waited_for_no_longer_than_the_daemon_allows(crew: Crew) -> None:
    crew.daemon.start()
    crew.start(interval=120)
    eventually(lambda: crew.daemon.asked("next_orders"))
    assert crew.daemon.asked("next_orders")[0]["wait_s"] == LONGEST_WAIT_S == 30


def believing(repo: Path, seen: str) -> dict[str, object]:
    return {"repo": str(repo), "target": "main", "seen": seen, "published": seen}


def prepare_inputs(repo: Path, run: str, base: str) -> dict[str, object]:
    about = {"run": run, "task": "t1", "agent": "dev", "client": "command", "purpose": "implement"}
    return {**about, "name": "fix", "base": base, "prompt": "0" * 64, **believing(repo, base)}


def test_before_a_run_is_prepared_a_candidate_built_and_a_tip_accepted_the_target_is_read_again(
    crew: Crew, repo: Path
) -> None:
    first = serve(crew, repo)
    git(repo, "checkout", "-q", "-b", "work")
    head = commit_files(repo, {"work.txt": "w\n"})
    git(repo, "checkout", "-q", "main")
    believed = believing(repo, first)
    candidate = {"tip": first, "heads": [{"task": "t1", "branch": "work", "commit": head}]}
    candidate |= {"message": "Land work", "date": "2026-01-01T00:00:00+00:00"}
    accept = {"old": first, "new": head, "evidence": "e1"}
    mine = commit_files(repo, {"mine.txt": "m\n"})
    prepare = prepare_inputs(repo, "r1", first)
    crew.daemon.give(crew.order("o1", "prepare", prepare, project="p1", run="r1", generation=1))
    crew.daemon.give(crew.order("o2", "candidate", {**candidate, **believed}, project="p1"))
    crew.daemon.give(crew.order("o3", "accept", {**accept, **believed}, project="p1"))
    prepared = eventually(lambda: crew.daemon.about("prepared", "o1"))[0]
    built = eventually(lambda: crew.daemon.about("candidate_built", "o2"))[0]
    accepted = eventually(lambda: crew.daemon.about("accepted", "o3"))[0]
    for fact in (prepared, built, accepted):
        assert (fact["moved_to"]["commit"], fact["moved_to"]["relation"]) == (mine, "ahead")
    assert (prepared["problem"]["code"], prepared["worktree"]) == ("target_moved", "")
    assert (built["commit"], accepted["moved"], accepted["tip"]) == ("", False, first)
    assert git(repo, "rev-parse", TIP) == first
    assert not (repo / ".worktrees").exists()


def test_a_tip_that_was_accepted_before_its_target_moved_stays_accepted(crew: Crew, repo: Path) -> None:
    first = serve(crew, repo)
    git(repo, "checkout", "-q", "-b", "work")
    head = commit_files(repo, {"work.txt": "w\n"})
    git(repo, "checkout", "-q", "main")
    git(repo, "update-ref", TIP, head)
    commit_files(repo, {"mine.txt": "m\n"})
    inputs = {"old": first, "new": head, "evidence": "e1", **believing(repo, first)}
    crew.daemon.give(crew.order("o1", "accept", inputs, project="p1"))
    assert eventually(lambda: crew.daemon.about("accepted", "o1"))[0]["moved"]


def test_a_persons_move_is_reported_long_before_the_next_cycle(crew: Crew, repo: Path) -> None:
    serve(crew, repo, interval=60)
    commit_files(repo, {"mine.txt": "m\n"}, "by a person")
    here = git(repo, "rev-parse", "main")
    eventually(lambda: crew.daemon.about("target_seen")[-1]["commit"] == here, what="the move is reported")


def test_a_move_soon_after_a_landing_is_compared_with_what_is_published_now(crew: Crew, repo: Path) -> None:
    first = serve(crew, repo, interval=60)
    landed = commit_files(repo, {"landed.txt": "l\n"})
    git(repo, "update-ref", TIP, landed)
    eventually(lambda: crew.daemon.about("target_seen")[-1]["commit"] == landed, what="the landing is seen")
    crew.daemon.projects = [project("p1", repo, [], [{"name": "main", "published": landed}])]
    git(repo, "reset", "-q", "--hard", first)

    def newest() -> bool:
        seen = crew.daemon.about("target_seen")[-1]
        return (seen["commit"], seen["published"], seen["contains_published"]) == (first, landed, False)

    eventually(newest, what="the daemon is told that its published commit is gone")
