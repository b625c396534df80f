"""A task starts from the commit that a person has just made, and one cancelled in time never begins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from house import House, now

from repositories import commit_files, git
from waiting import eventually

MakeHouse = Callable[..., House]


def test_a_task_added_right_after_a_commit_starts_from_that_commit(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main")
    house.agent("cp a.txt seen.txt && git add -A && git commit -qm work")
    first = house.add("Warm up")
    assert house.rest(first) == 0, house.story(first)
    for number in range(3):
        (house.repo / "a.txt").write_text(f"mine {number}\n")
        git(house.repo, "commit", "-qam", f"mine {number}")
        task = house.add(f"Copy a {number}")
        assert house.rest(task) == 0, house.story(task)
        assert (house.repo / "seen.txt").read_text() == f"mine {number}\n"


def test_a_task_that_is_cancelled_before_its_agent_begins_never_begins(make_house: MakeHouse) -> None:
    house = make_house(init=False)
    armed = house.root / "crash"
    armed.write_text("prepare.after\n")
    house.env["TORYO_CRASH_FILE"] = str(armed)
    house.ok("init", "--yes", "--base", "main")
    _, coordinator = house.pids()
    house.agent("git commit -q --allow-empty -m work")
    task = house.add("Never mind")
    eventually(lambda: not Path(f"/proc/{coordinator}").exists(), within_s=60, what="the coordinator died")
    armed.write_text("")
    house.ok("task", "cancel", task)
    house.ok("up")
    eventually(lambda: house.task(task)["runs"][0]["ended_at"], within_s=60, what="the run is over")
    assert house.started() == []
    assert house.task(task)["status"] == "cancelled"


CONFLICT = """
if [ "$TORYO_PURPOSE" = resolve ]; then echo both > a.txt; else echo work > a.txt; fi
git add -A; git commit -qm work
"""
CHECKS = "dod:\n  checks:\n    - {type: test, command: make test}\n"
MORE_CHECKS = f"{CHECKS}    - {{type: test, command: make more}}\n"


def test_a_commit_made_while_work_is_checked_is_followed_before_that_work_is_accepted(
    make_house: MakeHouse,
) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main", init=False)
    going, go = house.root / "going", house.root / "go"
    wait = f"if grep -q work a.txt; then touch {going}; while [ ! -e {go} ]; do sleep 0.05; done; fi"
    makefile = f"test:\n\t{wait}\nmore:\n\ttest -e mine.txt\n"
    commit_files(house.repo, {"Makefile": makefile, ".toryo/config.yaml": CHECKS})
    (house.home / "coordinators" / "main" / "coordinator.yaml").write_text("polling_interval: 120\n")
    house.ok("init", "--yes", "--base", "main")
    house.agent(CONFLICT)
    task = house.add("Change a")
    eventually(going.exists, within_s=60, what=house.state(task))
    changes = {"a.txt": "mine\n", "mine.txt": "mine\n", ".toryo/config.yaml": MORE_CHECKS}
    for name, text in changes.items():
        (house.repo / name).write_text(text)
    git(house.repo, "add", *changes)
    git(house.repo, "commit", "-qm", "mine")
    mine = git(house.repo, "rev-parse", "HEAD")
    go.touch()
    assert house.rest(task) == 0, house.story(task)
    shown = house.evidence(task)
    assert [run["purpose"] for run in shown["runs"]] == ["implement", "resolve"], house.story(task)
    assert "make more" in {check["command"] for check in shown["checks"]}
    assert [run["foreign"] for run in shown["runs"]] == [[], []]
    assert git(house.repo, "rev-parse", "main~1") == mine  # not joined with it afterwards
    assert house.text_on("a.txt") == "both"
    assert house.recomputed() == []


def test_an_outside_session_begins_on_the_commit_that_was_made_just_before(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "old\n"}, branch="main", init=False)
    (house.home / "coordinators" / "main" / "coordinator.yaml").write_text("polling_interval: 120\n")
    house.ok("init", "--yes", "--base", "main")
    house.ok("agent", "add", "guest", "--client", "outside")
    task = house.add("Work outside", "--agent", "guest", "--hold")
    mine = commit_files(house.repo, {"a.txt": "mine\n"})
    session = house.ok("session", "start", task, "--agent", "guest", "--quiet").strip()
    shown = house.task(task)
    assert (shown["status"], shown["runs"][-1]["id"]) == ("running", session), house.story(task)
    assert git(Path(shown["runs"][-1]["worktree"]), "rev-parse", "HEAD") == mine


TYPES = """\
default_agent: second
runs: {timeout: 77}
task_types: {report: {}}
dod: {checks: []}
"""


def test_a_task_added_right_after_a_commit_of_settings_has_those_settings(make_house: MakeHouse) -> None:
    house = make_house(branch="main", init=False)
    commit_files(house.repo, {".toryo/config.yaml": "task_types: {feature: {}}\ndod: {checks: []}\n"})
    (house.home / "coordinators" / "main" / "coordinator.yaml").write_text("polling_interval: 120\n")
    house.ok("init", "--yes", "--base", "main")
    for name in ("worker", "second"):
        house.agent("git commit -q --allow-empty -m work", name=name)
    commit_files(house.repo, {".toryo/config.yaml": TYPES})
    added = house.read("task", "add", "Write it", "-t", "report", "--hold")
    assert added["notes"] == []
    shown = house.task(added["id"])
    assert (shown["timeout_s"], shown["agent"]) == (77, "second")


def test_without_a_coordinator_a_task_is_added_at_once(make_house: MakeHouse) -> None:
    house = make_house(branch="main")
    _, coordinator = house.pids()
    house.kill(coordinator)
    began = now()
    house.add("Later", "--hold")
    assert now() - began < 5
