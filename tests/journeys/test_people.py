"""What people say and do: hold, approve, cancel, retry, stop, release; scopes and missing clients."""

from __future__ import annotations

from collections.abc import Callable

from house import House

from repositories import commit_files, git
from waiting import eventually

MakeHouse = Callable[..., House]
WORK = "echo $TORYO_RUN > work.txt && git add -A && git commit -qm work"


def test_after_init_a_task_without_a_client_says_the_line_to_type(make_house: MakeHouse) -> None:
    house = make_house()
    task = house.add("Wait for hands")
    eventually(lambda: house.state(task) == "blocked no_client")
    assert "toryo agent add worker" in house.task(task)["next"][0]
    house.agent(WORK)
    assert house.rest(task) == 0, house.story(task)


def test_init_commits_nothing_and_may_be_repeated(make_house: MakeHouse) -> None:
    house = make_house({"Makefile": "test:\n\ttrue\n"}, branch="main", init=False)
    before = git(house.repo, "rev-parse", "HEAD")
    house.ok("init", "--yes")
    settings = house.repo / ".toryo" / "config.yaml"
    text = settings.read_text()
    assert "exclude: [.env, secrets/]" in text
    assert "make test" in text
    house.ok("init", "--yes")
    assert settings.read_text() == text
    assert git(house.repo, "rev-parse", "HEAD") == before
    assert len(house.read("status")["projects"]) == 1


def test_init_again_names_the_agent_that_works(make_house: MakeHouse) -> None:
    house = make_house()
    assert "worker (no client yet)" in house.ok("init", "--yes")
    house.agent(WORK, "mason")
    again = house.ok("init", "--yes")
    assert "mason (command)" in again
    assert "no agent CLI" not in again
    assert house.read("init", "--yes")["agent"] == {"id": "mason", "client": "command"}


def test_a_held_task_starts_when_it_is_approved(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent(WORK)
    task = house.add("Hold", "--hold")
    other = house.add("Go")
    assert house.rest(other) == 0, house.story(other)
    assert house.state(task) == "open held"
    house.ok("task", "approve", task)
    assert house.rest(task) == 0, house.story(task)


def test_cancelling_stops_the_agent_and_keeps_its_work(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent(WORK + f"\necho draft > draft.txt; touch {house.root}/works; while :; do sleep 0.1; done")
    task = house.add("Cancel me")
    eventually((house.root / "works").exists, within_s=30)
    house.ok("task", "cancel", task)
    assert house.rest(task) == 1
    assert house.state(task) == "cancelled cancelled"
    run = eventually(
        lambda: (one := house.task(task)["runs"][0])["snapshot"] and one, within_s=30, what="collected"
    )
    assert (run["outcome"], run["commits"], run["uncommitted"]) == ("cancelled", 1, ["draft.txt"])
    house.agent(WORK)
    house.ok("task", "retry", task)
    assert house.rest(task) == 0, house.story(task)
    assert [one["generation"] for one in house.task(task)["runs"]] == [1, 2]


def test_a_failed_task_is_retried_with_its_history_kept(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent("exit 4")
    task = house.add("Fail first")
    assert house.rest(task) == 1
    follower = house.add("Follow", "--after", task)
    assert house.rest(follower) == 1
    assert house.state(follower) == f"blocked dependency_failed:{task}"
    house.agent(WORK)
    house.ok("task", "retry", task)
    assert house.rest(task, follower) == 0, house.story(task, follower)
    assert [run["exit_code"] for run in house.task(task)["runs"]] == [4, 0]


def test_a_stopped_run_has_failed(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent(f"touch {house.root}/works; while :; do sleep 0.1; done")
    task = house.add("Stop me")
    eventually((house.root / "works").exists, within_s=30)
    run = house.task(task)["runs"][0]["id"]
    house.ok("run", "stop", run)
    assert house.rest(task) == 1
    assert house.state(task) == "failed stopped"
    assert house.task(task)["runs"][0]["signal"] == "SIGTERM"


def test_secrets_never_reach_the_worktree_and_scope_violations_wait_for_a_person(
    make_house: MakeHouse,
) -> None:
    house = make_house({"src/a.txt": "a\n", ".env": "KEY=1\n", "secrets/key": "k\n", "src/.env": "K=2\n"})
    listing = house.root / "listing"
    house.agent(
        f"find . -type f | grep -v '^./.git' > {listing}\n"
        "echo x > src/b.txt; echo y > other.txt; git add -A; git commit -qm work"
    )
    task = house.add("Look around", "--write", "src/**")
    assert house.rest(task) == 1
    assert house.state(task) == "needs_review scope_violation"
    seen = listing.read_text()
    assert "src/a.txt" in seen
    assert ".env" not in seen.replace("/.aiagent", "")
    assert "secrets" not in seen
    assert house.evidence(task)["violations"] == [{"path": "other.txt", "rule": "write"}]
    assert {".env", "secrets/key"} <= house.files_on("main")
    house.ok("task", "approve", task, "--note", "other.txt is fine")
    assert house.rest(task) == 0, house.story(task)
    assert {".env", "secrets/key", "src/.env", "other.txt"} <= house.files_on("main")
    said = {"verb": "approve", "reason": "scope_violation", "note": "other.txt is fine"}
    for shown in (house.evidence(task), house.task(task)):
        assert [{key: one[key] for key in said} for one in shown["verbs"]] == [said]
    for page in ("evidence", "task show"):
        assert "approve (scope_violation): other.txt is fine" in house.ok(*page.split(), task)


def test_committed_settings_are_in_force_and_a_change_of_them_needs_review(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "a\n"}, branch="main", init=False)
    commit_files(
        house.repo, {".toryo/config.yaml": "dod:\n  checks:\n    - {type: t, command: test ! -e bad}\n"}
    )
    house.ok("init", "--yes")
    house.agent("echo > bad; sed -i s/bad/worse/ .toryo/config.yaml; git add -A; git commit -qm cheat")
    task = house.add("Cheat the gate")
    assert house.rest(task) == 1
    assert house.state(task) == "needs_review scope_violation"
    assert house.evidence(task)["violations"] == [{"path": ".toryo/config.yaml", "rule": "settings"}]
    house.ok("task", "reject", task)
    eventually(lambda: house.state(task) == "failed rejected")


def test_goals_of_a_task_type_are_checked(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "a\n"}, branch="main", init=False)
    goals = "{type: test_added, pattern: '**/*.test.*'}, {type: files_changed, pattern: 'src/**/*'}"
    settings = f"task_types:\n  bug:\n    goals: [{goals}]\n"
    commit_files(house.repo, {".toryo/config.yaml": settings, "src/old.js": "o\n"})
    house.ok("init", "--yes")
    house.agent(
        'if grep -q "goal files_changed" "$1"; then git rm -q src/old.js; fi\n'
        'if grep -q "goal test_added" "$1"; then echo t > a.test.js; else echo x > x; fi\n'
        "git add -A; git commit -qm w"
    )
    task = house.add("Mend a bug", "-t", "bug")
    assert house.rest(task) == 0, house.story(task)
    assert [run["purpose"] for run in house.task(task)["runs"]] == ["implement", "fix"]
    assert [one["result"] for one in house.evidence(task)["checks"]] == ["passed", "passed"]


def test_a_goal_that_is_never_met_is_named_as_the_cause(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "a\n"}, branch="main", init=False)
    settings = "task_types:\n  bug:\n    goals: [{type: test_added, pattern: '**/*.test.*'}]\n"
    commit_files(house.repo, {".toryo/config.yaml": settings, "old.test.js": "t\n"})
    house.ok("init", "--yes")
    house.agent("echo x >> x; git rm -q old.test.js; git add -A; git commit -qm w")
    task = house.add("Mend a bug", "-t", "bug")
    assert house.rest(task) != 0
    assert house.state(task) == "failed checks_failed"
    missing = "no file that was added or gained lines matches **/*.test.*"
    assert house.task(task)["detail"] == f"goal test_added: {missing}"


def test_a_goal_is_met_also_by_the_last_of_very_many_files(make_house: MakeHouse) -> None:
    house = make_house({"a.txt": "a\n"}, branch="main", init=False)
    settings = "task_types:\n  bug:\n    goals: [{type: test_added, pattern: '**/*.test.*'}]\n"
    commit_files(house.repo, {".toryo/config.yaml": settings})
    house.ok("init", "--yes")
    house.agent(
        "mkdir m; for n in $(seq 1200); do echo $n > m/$n; done; echo t > zz.test.js\n"
        "git add -A; git commit -qm w"
    )
    task = house.add("Mend a bug", "-t", "bug")
    assert house.rest(task) == 0, house.story(task)
    shown = house.task(task)
    assert [run["purpose"] for run in shown["runs"]] == ["implement"]
    assert "zz.test.js" not in shown["runs"][0]["changed_files"]


def test_a_worktree_is_set_up_before_its_agent_and_nothing_of_that_lands(make_house: MakeHouse) -> None:
    house = make_house({"lock.txt": "1\n"}, branch="main", init=False)
    settings = "setup: ['mkdir deps && cp lock.txt deps/']\nsetup_inputs: [lock.txt]\n"
    settings += "dod: {checks: [{command: test -e deps/lock.txt}]}\n"
    commit_files(house.repo, {".toryo/config.yaml": settings})
    house.ok("init", "--yes")
    house.agent("test -e deps/lock.txt || exit 9\ncp deps/lock.txt mine.txt; git add -A; git commit -qm w")
    task = house.add("Use a dependency")
    assert house.rest(task) == 0, house.story(task)
    assert [run["exit_code"] for run in house.task(task)["runs"]] == [0]
    assert house.task(task)["runs"][0]["changed_files"] == ["mine.txt"]


def test_a_task_may_add_checks_of_its_own(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent("echo x >> x; git add -A; git commit -qm work")
    task = house.add("Write three lines", "--check", "test $(wc -l < x) -ge 3")
    assert house.rest(task) == 0, house.story(task)
    assert len(house.task(task)["runs"]) == 3
