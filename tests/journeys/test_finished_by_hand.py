"""A person finishes what an agent began, starts over and keeps their own work, and takes a landing back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from house import House

from repositories import commit_files, git
from waiting import eventually

MakeHouse = Callable[..., House]
WORK = "echo begun > work.txt && git add -A && git commit -qm begun"


def test_a_person_finishes_a_failed_task_and_it_lands_through_the_gate(make_house: MakeHouse) -> None:
    house = make_house({"check.sh": "grep -q finished work.txt 2>/dev/null || ! test -e work.txt\n"})
    commit_files(
        house.repo,
        {".toryo/config.yaml": "base: main\ndod:\n  checks:\n    - {type: test, command: sh check.sh}\n"},
    )
    git(house.repo, "branch", "-f", "main", "HEAD")
    house.agent(f"echo what the agent printed; {WORK}; exit 3")
    task = house.add("Half done")
    assert house.rest(task) == 1
    assert house.state(task) == "failed exit:3"
    worktree = Path(house.task(task)["worktree"])

    house.ok("task", "submit", task)
    assert house.rest(task) == 1
    assert house.state(task) == "failed checks_failed", house.story(task)  # and no agent began again
    assert len(house.started()) == 1

    (worktree / "work.txt").write_text("finished\n")
    commit_files(worktree, {"mine.txt": "my commit\n"}, "my own commit")
    (worktree / "notes.txt").write_text("not committed\n")
    house.ok("task", "submit", task, "--note", "mended by hand")
    assert house.rest(task) == 0, house.story(task)
    assert house.text_on("work.txt") == "finished"
    assert {"mine.txt", "notes.txt"} <= house.files_on()
    assert [run["purpose"] for run in house.task(task)["runs"]] == ["implement", "submit", "submit"]
    assert len(house.started()) == 1
    assert "what the agent printed" in house.ok("log", task)
    assert "what the agent printed" in house.ok("log", task, "--search", "printed")
    assert house.evidence(task)["verdict"] == "green"
    assert house.recomputed() == []


def test_a_retry_asks_before_it_leaves_a_persons_work_behind_and_restore_finds_it(
    make_house: MakeHouse,
) -> None:
    house = make_house()
    house.agent(f"{WORK}; exit 3")
    task = house.add("Start over")
    assert house.rest(task) == 1
    worktree = Path(house.task(task)["worktree"])
    commit_files(worktree, {"mine.txt": "my commit\n"}, "my own commit")
    (worktree / "draft.txt").write_text("my draft\n")
    refused = house.toryo("task", "retry", task)
    assert refused.returncode == 1
    assert "draft.txt" in refused.stderr
    assert "--discard" in refused.stderr
    house.agent(f"{WORK}; exit 0")
    house.ok("task", "retry", task, "--discard")
    assert house.rest(task) == 0, house.story(task)
    kept = next(run for run in house.task(task)["runs"] if run["purpose"] == "submit")
    house.ok("restore", kept["id"], "--to", str(house.root / "back"))
    assert (house.root / "back" / "mine.txt").read_text() == "my commit\n"
    assert (house.root / "back" / "draft.txt").read_text() == "my draft\n"
    assert not {"mine.txt", "draft.txt"} & house.files_on()
    assert house.recomputed() == []


def test_a_retry_after_an_agent_alone_asks_nothing(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent("echo left > left.txt; exit 3")
    task = house.add("Fail alone")
    assert house.rest(task) == 1
    house.agent(WORK)
    house.ok("task", "retry", task)
    assert house.rest(task) == 0, house.story(task)
    refused = house.toryo("task", "submit", task)
    assert refused.returncode == 1
    assert "done" in refused.stderr


def test_a_done_task_is_taken_back_through_the_gate_and_what_builds_on_it_is_named(
    make_house: MakeHouse,
) -> None:
    house = make_house({"README.md": "hello\n"})
    house.agent('echo x > "$(basename "$PWD").txt"; echo one >> one.txt; git add -A; git commit -qm work')
    first = house.add("Add a line")
    assert house.rest(first) == 0, house.story(first)
    before = house.files_on()
    house.agent('echo x > "$(basename "$PWD").txt"; git add -A; git commit -qm work')
    later = house.add("Build on it", "--after", first)
    assert house.rest(later) == 0, house.story(later)

    made = house.read("task", "revert", first)
    assert [(one["id"], one["depends"]) for one in made["builds_on_it"]] == [(later, True)]
    assert house.rest(made["id"]) == 0, house.story(made["id"])
    assert "one.txt" in before
    assert "one.txt" not in house.files_on()
    assert len(house.files_on()) == 2  # the readme, and what came later
    shown = house.task(made["id"])
    assert (shown["title"], shown["type"]) == ("Revert: Add a line", "revert")
    assert "was made by hand: no agent ran" in house.toryo("log", made["id"]).stderr
    assert house.evidence(made["id"])["checks"] == []
    assert house.toryo("task", "revert", first).returncode == 1  # it is taken back already
    again = house.read("task", "revert", made["id"])
    assert house.rest(again["id"]) == 0, house.story(again["id"])
    assert "one.txt" in house.files_on()
    assert house.recomputed() == []


CHECKED = "base: main\ndod:\n  checks:\n    - {type: test, command: sh check.sh}\n"
SLOW_CHECK = (
    "test -e work.txt || exit 0\necho looking\nuntil test -e GO; do sleep 0.05; done\ngrep good work.txt\n"
)


def test_what_a_task_changed_and_the_check_that_runs_can_be_read_and_verified_again(
    make_house: MakeHouse,
) -> None:
    house = make_house({"a.txt": "one\n"})
    go = house.root / "go"
    commit_files(house.repo, {".toryo/config.yaml": CHECKED, "check.sh": SLOW_CHECK.replace("GO", str(go))})
    git(house.repo, "branch", "-f", "main", "HEAD")
    house.agent("echo two > a.txt; echo bad > work.txt; git add -A; git commit -qm work; exit 3")
    task = house.add("Change a file")
    assert house.rest(task) == 1
    assert house.task(task)["changed_files"] == ["a.txt", "work.txt"]
    assert "-one\n+two\n" in house.ok("diff", task)
    assert "2 files changed" in house.ok("diff", task, "--stat")
    go.touch()
    assert house.toryo("verify", task).returncode == 1  # its branch alone: nothing of it was ever checked
    go.unlink()

    (Path(house.task(task)["worktree"]) / "work.txt").write_text("good\n")
    house.ok("task", "submit", task)
    check = eventually(lambda: (one := house.task(task)["checking"]) and one["started"] and one, within_s=30)
    assert (check["command"], check["number"], check["of"]) == ("sh check.sh", 1, 1)
    with subprocess.Popen(
        [sys.executable, "-m", "toryo", "evidence", "-f", task],
        cwd=house.repo,
        env=house.env,
        stdout=subprocess.PIPE,
        text=True,
    ) as following:
        assert following.stdout
        assert [following.stdout.readline() for _ in range(2)] == ["$ sh check.sh\n", "looking\n"]
        go.touch()
        assert "verdict  green" in following.stdout.read()
    assert house.rest(task) == 0, house.story(task)
    assert "changed  2 files: a.txt, work.txt" in house.ok("evidence", task)
    assert house.ok("verify", task).startswith("checked  what landed\n")
    assert "-one\n+two\n" in house.ok("diff", task)


def test_a_cancelled_task_is_finished_by_hand_once_its_worktree_is_back(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent(f"{WORK}; exit 3")
    task = house.add("Cancel, then finish")
    assert house.rest(task) == 1
    worktree = Path(house.task(task)["worktree"])
    house.ok("task", "cancel", task)
    eventually(lambda: not worktree.exists(), within_s=30)
    refused = house.toryo("task", "submit", task)
    assert refused.returncode == 1
    assert f"toryo restore {task} --worktree" in refused.stderr
    house.ok("restore", task, "--worktree")
    house.ok("task", "submit", task)
    assert house.rest(task) == 0, house.story(task)
    assert "work.txt" in house.files_on()
    assert "submit by a person: succeeded" in house.ok("evidence", task)
    assert house.recomputed() == []
