"""A person deletes a task's worktree or branch, or git cleans them away: nothing is lost, retry works."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from house import House

from repositories import git
from waiting import eventually

MakeHouse = Callable[..., House]


def worktree(house: House, task: str) -> Path:
    return Path(house.task(task)["runs"][-1]["worktree"])


def kept(house: House, commit: str) -> bool:
    return bool(git(house.repo, "for-each-ref", "--contains", commit, "--format=%(refname)"))


def test_during_the_run_it_waits_for_a_person_and_a_retry_begins_again(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"})
    go = house.root / "go"
    house.agent(
        "echo new > a.txt; git add -A; git commit -qm work\n"
        f"touch {house.root}/works-$TORYO_RUN; while [ ! -e {go} ]; do sleep 0.05; done",
        slots="2",
    )
    gone = house.add("Lose the worktree")
    branch = house.add("Lose the branch")
    for task in (gone, branch):
        run = eventually(lambda task=task: house.task(task)["runs"], within_s=30)[0]["id"]
        eventually((house.root / f"works-{run}").exists, within_s=30)
    head = git(worktree(house, gone), "rev-parse", "HEAD")
    shutil.rmtree(worktree(house, gone))
    git(house.repo, "update-ref", "-d", f"refs/heads/{house.task(branch)['branch']}")
    go.touch()
    assert house.rest(gone, branch) == 1, house.story(gone, branch)
    assert {house.state(gone), house.state(branch)} == {"needs_review worktree_missing"}
    assert "was deleted" in house.task(gone)["detail"]
    assert "was deleted" in house.task(branch)["detail"]
    assert kept(house, head)
    house.ok("restore", gone, "--to", str(house.root / "back"))
    assert (house.root / "back" / "a.txt").read_text() == "new\n"
    house.ok("restore", branch, "--worktree")
    assert (worktree(house, branch) / "a.txt").read_text() == "new\n"
    house.ok("task", "retry", gone)
    assert house.rest(gone) == 0, house.story(gone)
    assert house.text_on("a.txt") == "new"
    assert house.recomputed() == []


def test_once_it_is_collected_the_landing_goes_on_without_it(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n", "Makefile": "test:\n\ttrue\n"}, branch="main")
    go = house.root / "go"
    house.agent("echo new > a.txt; git add -A; git commit -qm work")
    slow = f"grep -q old a.txt || while [ ! -e {go} ]; do sleep 0.05; done"
    (house.repo / "a.txt").write_text("unsaved thought\n")
    task = house.add("Change a", "--check", slow)
    eventually(lambda: house.state(task) == "verifying checking", within_s=60, what=house.state(task))
    git(house.repo, "worktree", "remove", "-f", "-f", str(worktree(house, task)))
    go.touch()
    eventually(lambda: house.task(task)["reason"] == "waiting_for_checkout", within_s=60)
    git(house.repo, "branch", "-q", "-D", house.task(task)["branch"])
    git(house.repo, "reflog", "expire", "--expire=now", "--all")
    git(house.repo, "gc", "-q", "--prune=now")
    git(house.repo, "checkout", "--", "a.txt")
    assert house.rest(task) == 0, house.story(task)
    assert (house.repo / "a.txt").read_text() == "new\n"
    assert house.recomputed() == []


def test_before_the_next_run_it_waits_for_a_person(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n", "Makefile": "test:\n\ttrue\n"})
    go = house.root / "go"
    house.agent("echo $TORYO_RUN > b.txt; git add -A; git commit -qm work")
    fine = house.root / "fine"
    slow = f"test ! -e b.txt || {{ while [ ! -e {go} ]; do sleep 0.05; done; test -e {fine}; }}"
    task = house.add("Fail the check", "--check", slow)
    eventually(lambda: house.state(task) == "verifying checking", within_s=60)
    git(house.repo, "clean", "-ffdxq")
    go.touch()
    assert house.rest(task) == 1, house.story(task)
    assert house.state(task) == "needs_review worktree_missing"
    assert len(house.started()) == 1
    fine.touch()
    house.ok("task", "retry", task)
    assert house.rest(task) == 0, house.story(task)
    assert house.recomputed() == []


def test_after_everything_was_cleaned_away_restore_brings_worktree_branch_and_files_back(
    make_house: MakeHouse,
) -> None:
    house = make_house({"a.txt": "old\n", ".env": "KEY\n", ".gitignore": "*.log\n"})
    house.agent(
        "echo new > a.txt; git add -A; git commit -qm work; echo staged > s.txt; git add s.txt\n"
        "echo draft > draft.txt; echo log > run.log; git init -q inner; echo i > inner/i.txt"
    )
    task = house.add("Leave much")
    assert house.rest(task) == 0, house.story(task)
    path = worktree(house, task)
    eventually(lambda: not path.exists(), within_s=30, what="it is retired")
    for words in ("clean -ffdxq", "worktree prune", "reflog expire --expire=now --all", "gc -q --prune=now"):
        git(house.repo, *words.split())
    told = house.ok("restore", task, "--worktree")
    assert f"in {path}, on {house.task(task)['branch']}" in told
    assert git(path, "status", "--porcelain").split("\n") == ["A  s.txt", "?? draft.txt", "?? inner/"]
    assert (path / "run.log").read_text() == "log\n"
    assert (path / "inner" / "i.txt").read_text() == "i\n"
    assert not (path / ".env").exists()
    again = house.toryo("restore", task, "--worktree")
    assert again.returncode == 1
    assert "Hint: Move it away first." in again.stderr
