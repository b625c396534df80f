"""Tasks that reach done: through real processes, and only by what Toryo saw."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from house import House

from repositories import git

MakeHouse = Callable[..., House]
CHECK = {
    "README.md": "hello\n",
    "Makefile": "test:\n\tsh check.sh\n",
    "check.sh": "! grep -rq BROKEN src 2>/dev/null\n",
}


def test_an_honest_agent_lands(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    house.agent("mkdir -p src && echo fine > src/a.txt && git add -A && git commit -qm work")
    task = house.add("Add a file", "-d", "with care")
    assert house.rest(task) == 0, house.story(task)
    shown = house.task(task)
    assert (shown["status"], shown["branch"].startswith("agent/add-a-file-")) == ("done", True)
    assert house.text_on("src/a.txt") == "fine"
    assert git(house.repo, "rev-parse", "main") == shown["landed_commit"]
    evidence = house.evidence(task)
    assert evidence["verdict"] == "green"
    assert evidence["tree"] == git(house.repo, "rev-parse", "main^{tree}")
    assert [(one["command"], one["result"], one["exit_code"]) for one in evidence["checks"]] == [
        ("make test", "passed", 0)
    ]
    assert [run["exit_code"] for run in shown["runs"]] == [0]
    assert house.recomputed() == []
    assert "passed" in house.ok("verify", task)


def test_leftovers_are_kept_and_judged_by_the_commits(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    child = house.root / "child.pid"
    house.agent(
        "mkdir -p src && echo fine > src/a.txt && git add -A && git commit -qm work\n"
        "echo draft > notes.txt\n"
        f"(setsid sh -c 'echo $$ > {child}; exec sleep 600' >/dev/null 2>&1 &)\n"
        f"while [ ! -s {child} ]; do :; done"
    )
    task = house.add("Leave things behind")
    assert house.rest(task) == 0, house.story(task)
    run = house.task(task)["runs"][0]
    pid = int(child.read_text())
    assert not Path(f"/proc/{pid}").exists()
    assert run["uncommitted"] == ["notes.txt"]
    assert any("sleep 600" in line for line in run["children_killed"])
    assert "notes.txt" not in house.files_on()
    evidence = house.evidence(task)
    assert evidence["runs"][0]["uncommitted"] == ["notes.txt"]
    assert evidence["runs"][0]["children_killed"]
    house.ok("restore", task, "--to", str(house.root / "back"))
    assert (house.root / "back" / "notes.txt").read_text() == "draft\n"


def test_a_broken_check_is_mended_in_a_fix_run_that_was_told_the_output(make_house: MakeHouse) -> None:
    house = make_house(
        CHECK | {"check.sh": "if grep -rq BROKEN src 2>/dev/null; then echo src-says-BROKEN; exit 1; fi\n"}
    )
    house.agent(
        "mkdir -p src\n"
        'if grep -q src-says-BROKEN "$1"; then echo mended > src/a.txt; else echo BROKEN > src/a.txt; fi\n'
        "git add -A && git commit -qm work"
    )
    task = house.add("Break it first")
    assert house.rest(task) == 0, house.story(task)
    shown = house.task(task)
    assert [run["purpose"] for run in shown["runs"]] == ["implement", "fix"]
    assert house.text_on("src/a.txt") == "mended"
    assert house.evidence(task)["verdict"] == "green"


def test_two_that_conflict_are_both_landed_after_a_resolve_run(make_house: MakeHouse) -> None:
    house = make_house(CHECK | {"list.txt": "first\n"})
    house.agent(
        'if [ "$TORYO_PURPOSE" = resolve ]; then grep -q list.txt "$1" || exit 9\n'
        "  grep -v '^[<=>]' list.txt > both && mv both list.txt\n"
        "else\n"
        '  word=$(sed -n "s/.*: Word //p" "$1" | head -1); echo "$word" >> list.txt\n'
        f"  touch {house.root}/$word; n=0; while [ ! -e {house.root}/one ] || [ ! -e {house.root}/two ]; do\n"
        "    n=$((n+1)); [ $n -gt 2000000 ] && exit 8; done\n"
        "fi\n"
        "git add -A && git commit -qm work",
        slots="2",
    )
    tasks = [house.add("Word one"), house.add("Word two")]
    assert house.rest(*tasks) == 0, house.story(*tasks)
    assert sorted(house.text_on("list.txt").split()) == ["first", "one", "two"]
    purposes = sorted(run["purpose"] for task in tasks for run in house.task(task)["runs"])
    assert purposes == ["implement", "implement", "resolve"]
    assert house.recomputed() == []


def test_a_follower_starts_from_its_predecessor(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent(
        "if [ -e one.txt ]; then cp one.txt two.txt; else echo 1 > one.txt; fi\n"
        "git add -A && git commit -qm work"
    )
    first = house.add("First")
    second = house.add("Second", "--after", first)
    assert house.rest(first, second) == 0, house.story(first, second)
    assert house.text_on("two.txt") == "1"
    assert house.evidence(second)["verdict"] == "unchecked"


def test_the_agents_environment_is_the_contract(make_house: MakeHouse) -> None:
    house = make_house()
    seen = house.root / "env"
    house.agent(f"env > {seen}; pwd >> {seen}; echo x > x; git add -A; git commit -qm x")
    task = house.add("Tell the environment")
    assert house.rest(task) == 0, house.story(task)
    env = dict(line.split("=", 1) for line in seen.read_text().splitlines() if "=" in line)
    run = house.task(task)["runs"][0]
    assert env["AGENT_ID"] == "worker"
    assert env["TORYO_RUN"] == run["id"]
    assert env["WORKING_DIRECTORY"] == run["worktree"] == seen.read_text().splitlines()[-1]
    assert env["PROJECT_ID"].startswith("p")
    assert "TORYO_HOME" not in env
    assert "AGENT_PASSKEY" not in env
    assert Path(run["worktree"]).name.startswith("tell-the-environment-")
