"""An outside orchestrator uses the command line: sessions, prompts, and its own merges as claims."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from house import House

from repositories import commit_files, git
from waiting import eventually

MakeHouse = Callable[..., House]
USER = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Some One"), ("EMAIL", "some.one@localhost"))
}
CHECK = {"README.md": "hello\n", "Makefile": "test:\n\t! test -e broken\n"}


def begin(house: House, title: str) -> tuple[str, str, Path]:
    house.ok("agent", "add", "guest", "--client", "outside")
    task = house.add(title, "--agent", "guest", "--hold")
    session = house.ok("session", "start", task, "--agent", "guest", "--quiet").strip()
    shown = house.task(task)
    assert (shown["status"], shown["runs"][0]["id"]) == ("running", session)
    return task, session, Path(shown["runs"][0]["worktree"])


def end(house: House, session: str, *words: str) -> None:
    house.ok("session", "end", session, *words)


def test_a_worker_that_ended_well_is_verified_and_landed(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    task, session, worktree = begin(house, "Work outside")
    commit_files(worktree, {"a.txt": "a\n"}, "work")
    end(
        house,
        session,
        "--exit-code",
        "0",
        "--signal",
        "",
        "--dod-result",
        "pending",
        "--artifacts",
        '["a.txt"]',
    )
    assert house.rest(task) == 0, house.story(task)
    run = house.task(task)["runs"][0]
    assert (run["exit_code"], run["dod_result"], run["changed_files"]) == (0, "merged", ["a.txt"])
    assert house.evidence(task)["verdict"] == "green"
    assert house.recomputed() == []


def test_merged_is_a_claim_and_a_merge_by_hand_is_verified(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    task, session, worktree = begin(house, "Merge by hand")
    head = commit_files(worktree, {"a.txt": "a\n"}, "work")
    git(house.repo, "checkout", "-q", "main")
    git(house.repo, "merge", "-q", "--ff-only", head)
    end(house, session, "--exit-code", "0", "--dod-result", "merged")
    assert house.rest(task) == 0, house.story(task)
    assert git(house.repo, "merge-base", "--is-ancestor", head, "main") == ""
    assert house.evidence(task)["verdict"] == "green"


def test_a_claim_of_merged_without_work_is_not_done(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    task, session, _ = begin(house, "Lie about merging")
    end(house, session, "--exit-code", "0", "--dod-result", "merged")
    assert house.rest(task) == 1
    assert house.state(task) == "needs_review no_commit"


def test_a_failed_worker_has_failed_and_update_names_the_missing_fact(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    task, session, worktree = begin(house, "Fail outside")
    commit_files(worktree, {"a.txt": "a\n"}, "work")
    said = ("--error", "too slow", "--artifacts", '["a.txt", "b, 扉.txt"]')
    end(house, session, "--exit-code", "124", "--dod-result", "timeout", *said)
    assert house.rest(task) == 1
    assert house.state(task) == "failed timed_out"
    run = house.task(task)["runs"][0]
    assert (run["error"], run["artifacts"]) == ("too slow", ["a.txt", "b, 扉.txt"])
    told = [(one["kind"], one["result"], one["summary"]) for one in run["claims"]]
    assert told == [("session", "timeout", "too slow"), ("artifacts", "", "a.txt, b, 扉.txt")]
    asked = house.toryo("task", "update", task, "--status", "done")
    assert asked.returncode == 1
    assert "exit code 0" in asked.stdout + asked.stderr
    house.ok("task", "update", task, "--status", "open")
    eventually(lambda: house.task(task)["status"] in ("ready", "blocked", "open"))
    house.ok("task", "update", task, "--status", "cancelled")
    eventually(lambda: house.task(task)["status"] == "cancelled")


def test_the_prompt_is_printed_and_nothing_else(make_house: MakeHouse) -> None:
    house = make_house(CHECK, branch="main", init=False)
    commit_files(
        house.repo, {".toryo/config.yaml": "dod: {checks: []}\n", ".toryo/memory/api.md": "# The API\nrest\n"}
    )
    house.ok("init", "--yes")
    house.ok("agent", "add", "guest", "--client", "outside", "--system-prompt", "You are careful.")
    task = house.add(
        "Print it", "-d", "The details.", "--agent", "guest", "--hold", "-t", "feature", "-p", "high"
    )
    prompt = house.ok("worker", "command", task)
    assert prompt == house.ok("worker", "run", task)
    expected = [
        "# Task #",
        "Type: feature | Priority: high",
        "## Description",
        "## Agent Instructions",
        "## Scope",
    ]
    expected += ["## Project Context (Memory Bank)", "- .toryo/memory/api.md - The API", "## Instructions"]
    places = [prompt.index(part) for part in expected]
    assert places == sorted(places)
    assert [one["title"] for one in json.loads(house.ok("memory", "list", "--json"))["files"]] == ["The API"]
    assert "api.md" in house.ok("memory", "preview")


BY_ITSELF = """\
set -eu
toryo task list --json > /dev/null
toryo agent list > /dev/null
toryo agent show coder --format yaml > /dev/null
toryo worker command "$1" --agent coder > "$PROMPT"
SESSION=$(toryo session start "$1" --agent coder --quiet)
git worktree add -q ".worktrees/task-$1" -b "task-$1"
( cd ".worktrees/task-$1"
  git sparse-checkout init --cone
  git sparse-checkout set src
  sh -euc "$2" )
make -s -C ".worktrees/task-$1" test
if [ "$3" = merged ]; then git merge -q "task-$1"; fi
toryo session end "$SESSION" --exit-code 0 --signal "" --dod-result merged --artifacts '["src/auth.ts"]'
toryo memory list --json > /dev/null
toryo memory preview > /dev/null
git worktree remove ".worktrees/task-$1"
"""
"""The source's script for outside orchestrators (S4), every line; $1 is the task, $2 the worker."""


def test_an_orchestrator_does_it_all_by_itself_where_dispatch_is_hold(make_house: MakeHouse) -> None:
    house = make_house(CHECK | {"src/a.txt": "a\n"}, branch="main", init=False)
    settings = "dispatch: hold\ndod: {checks: [{type: tests_pass, command: make test}]}\n"
    commit_files(house.repo, {".toryo/config.yaml": settings})
    house.ok("init", "--yes")
    house.agent("echo x > x; git add -A; git commit -qm x", name="coder")

    def script(title: str, worker: str, merges: str) -> str:
        task = house.add(title, "-t", "feature")
        words = f'toryo() {{ "{sys.executable}" -m toryo "$@"; }}\nPROMPT={house.root}/prompt\n{BY_ITSELF}'
        argv = ["sh", "-c", words, "script", task, worker, merges]
        subprocess.run(argv, cwd=house.repo, env=house.env | USER, check=True, timeout=60)
        return task

    work = "echo {0} > src/{0}; git add src/{0}; git commit -qm {0}"
    by_hand = script("Merged by hand", work.format("one"), "merged")
    left = script("Left to Toryo", work.format("two"), "not merged")
    lie = script("Nothing done", "true", "merged")
    assert house.rest(by_hand, left) == 0, house.story(by_hand, left)
    for task, path in ((by_hand, "src/one"), (left, "src/two")):
        assert house.evidence(task)["verdict"] == "green"
        run = house.task(task)["runs"][0]
        assert (run["changed_files"], run["commits"], run["foreign"]) == ([path], 1, [])
        house.ok("task", "update", task, "--status", "done")
    assert {"src/one", "src/two"} <= house.files_on()
    assert house.rest(lie) == 1
    assert house.state(lie) == "needs_review no_commit"
    let_go = house.add("Let a coordinator do it")
    eventually(lambda: house.state(let_go) == "blocked held")
    assert house.started() == []
    house.ok("task", "approve", let_go)
    assert house.rest(let_go) == 0, house.story(let_go)
    assert len(house.started()) == 1
    assert house.recomputed() == []


HOLD = "dispatch: hold\ndod: {checks: [{type: tests_pass, command: make test}]}\n"


def test_a_persons_fresh_commit_is_where_a_session_begins_and_no_work_of_its_run(
    make_house: MakeHouse,
) -> None:
    house = make_house(branch="main", init=False)
    going, go = house.root / "going", house.root / "go"
    wait = f"if [ -e mine.txt ]; then touch {going}; while [ ! -e {go} ]; do sleep 0.05; done; fi"
    commit_files(house.repo, {"Makefile": f"test:\n\t{wait}\n", ".toryo/config.yaml": HOLD})
    house.ok("init", "--yes")
    house.ok("agent", "add", "guest", "--client", "outside")
    task = house.add("Work outside", "--agent", "guest")
    eventually(lambda: house.state(task) == "blocked held", what="its own base is checked")
    settings = HOLD + "worktree_files: []\n"
    mine = commit_files(house.repo, {"mine.txt": "mine\n", ".toryo/config.yaml": settings})
    eventually(going.exists, within_s=30, what="the commit was seen, and is being checked")
    session = house.ok("session", "start", task, "--agent", "guest", "--quiet").strip()
    assert git(Path(house.task(task)["runs"][-1]["worktree"]), "rev-parse", "HEAD") == mine
    brought = house.root / "brought"
    git(house.repo, "worktree", "add", "-q", str(brought), "-b", f"task-{task}")
    commit_files(brought, {"z.txt": "z\n"})
    end(house, session, "--exit-code", "0", "--dod-result", "pending")
    eventually(lambda: house.task(task)["runs"][-1]["outcome"], what="the run is over")
    run = house.task(task)["runs"][-1]
    assert (run["changed_files"], run["commits"], run["violations"], run["foreign"]) == (["z.txt"], 1, [], [])
    go.touch()
    assert house.rest(task) == 0, house.story(task)
    assert house.recomputed() == []


def test_archived_projects_start_nothing_and_a_moved_repository_is_found_again(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    house.agent("echo x > x && git add -A && git commit -qm x")
    house.ok("project", "archive")
    refused = house.toryo("task", "add", "Too late")
    assert (refused.returncode, "archived" in refused.stderr) == (1, True)
    house.ok("project", "activate")
    name = house.read("status")["projects"][0]["name"]
    moved = house.root / "elsewhere"
    house.repo = house.repo.rename(moved)
    house.ok("project", "move", name, str(moved))
    task = house.add("Work there")
    assert house.rest(task) == 0, house.story(task)
