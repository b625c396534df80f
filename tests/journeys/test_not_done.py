"""Tasks that must not be done: nothing of theirs on the target, and nothing of theirs lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from house import House

from repositories import git
from waiting import eventually

MakeHouse = Callable[..., House]
CHECK = {"README.md": "hello\n", "Makefile": "test:\n\t! grep -rq BROKEN src\n", "src/a.txt": "fine\n"}


def refused(house: House, task: str, state: str) -> None:
    """At rest, not done, the target untouched, and the caches equal to the facts."""
    before = git(house.repo, "rev-list", "--max-parents=0", "main")
    assert house.rest(task) == 1, house.story(task)
    assert house.state(task) == state, house.story(task)
    assert git(house.repo, "rev-parse", "main") == before
    assert house.recomputed() == []


def kept(house: House, commit: str) -> bool:
    """Whether a commit is reachable from some ref."""
    return bool(git(house.repo, "for-each-ref", "--contains", commit, "--format=%(refname)"))


def test_exit_zero_without_a_commit_is_told_so_once_and_then_needs_review(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent('cp "$1" ' + f"{house.root}/prompt-$TORYO_RUN\nexit 0")
    task = house.add("Do nothing")
    refused(house, task, "needs_review no_commit")
    runs = house.task(task)["runs"]
    assert len(runs) == len(house.started()) == 2
    assert "without a commit" in (house.root / f"prompt-{runs[1]['id']}").read_text()
    assert "without a commit" not in (house.root / f"prompt-{runs[0]['id']}").read_text()


def test_saying_done_is_not_done(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent("echo 'All done! Everything works.'")
    task = house.add("Talk")
    refused(house, task, "needs_review no_commit")
    assert "All done!" in house.ok("log", task)


def test_commits_that_change_nothing_are_a_persons_to_decide(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent(
        'if grep -q "Take it back" "$1"; then echo x > x && git add -A && git commit -qm x\n'
        "  git revert --no-edit HEAD; else git commit -q --allow-empty -m 'All done'; fi"
    )
    empty, taken_back = house.add("Pretend"), house.add("Take it back")
    refused(house, empty, "needs_review no_change")
    refused(house, taken_back, "needs_review no_change")
    assert len(house.started()) == 2
    assert [len(house.task(one)["runs"][0]["log"]) for one in (empty, taken_back)] == [1, 2]
    house.ok("task", "approve", empty, "--note", "nothing was to be done")
    assert house.rest(empty) == 0, house.story(empty)
    assert [one["reason"] for one in house.evidence(empty)["verbs"]] == ["no_change"]
    assert house.recomputed() == []


def test_a_commit_with_exit_three_has_failed_and_is_kept(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent("echo x > x.txt && git add -A && git commit -qm work && exit 3")
    task = house.add("Fail after work")
    refused(house, task, "failed exit:3")
    run = house.task(task)["runs"][0]
    assert (run["outcome"], run["exit_code"], run["commits"]) == ("failed", 3, 1)
    assert kept(house, run["log"][0]["id"])
    assert len(house.started()) == 1


def test_breaking_the_check_four_times_has_failed(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    house.agent('echo "BROKEN $TORYO_RUN" > src/a.txt && git add -A && git commit -qm work')
    task = house.add("Break it always")
    refused(house, task, "failed checks_failed")
    runs = house.task(task)["runs"]
    assert [run["purpose"] for run in runs] == ["implement", "fix", "fix", "fix"]
    assert all(kept(house, run["log"][0]["id"]) for run in runs)
    assert house.evidence(task)["verdict"] == "red"


def test_breaking_the_check_and_then_doing_nothing_names_the_check(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    house.agent(
        '[ "$TORYO_PURPOSE" = implement ] || exit 0\n'
        "echo BROKEN > src/a.txt && git add -A && git commit -qm work"
    )
    task = house.add("Break it and rest")
    refused(house, task, "failed checks_failed")
    assert house.task(task)["detail"].startswith("`make test`: ")
    assert "`make test`" in house.ok("task", "show", task)


def test_an_uncommitted_file_alone_is_restorable(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent("echo precious > only.txt")
    task = house.add("Forget to commit")
    refused(house, task, "needs_review no_commit")
    house.ok("restore", task, "--to", str(house.root / "back"))
    assert (house.root / "back" / "only.txt").read_text() == "precious\n"
    again = house.toryo("restore", task, "--to", str(house.root / "back"))
    assert again.returncode == 1
    assert "Hint:" in again.stderr


def test_a_claim_of_failure_holds_a_green_commit_back(make_house: MakeHouse) -> None:
    house = make_house(CHECK)
    script = house.root / "script.yaml"
    script.write_text(
        "- write: {path: src/b.txt, text: fine}\n"
        "- commit: work\n"
        "- claim: {result: failed, summary: not sure}\n"
    )
    house.ok(
        "agent", "add", "worker", "--client", "scripted", "--command", str(script), "--access", "connected"
    )
    task = house.add("Doubt yourself")
    refused(house, task, "needs_review claimed_failed")
    shown = house.task(task)
    assert [(claim["result"], claim["summary"]) for claim in shown["claims"]] == [("failed", "not sure")]
    assert kept(house, shown["runs"][0]["log"][0]["id"])
    house.ok("task", "approve", task)
    assert house.rest(task) == 0, house.story(task)
    assert house.text_on("src/b.txt") == "fine"


def test_one_that_never_ends_is_ended_by_its_time_limit(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent(
        "echo x > x.txt && git add -A && git commit -qm work\ntrap '' TERM\nwhile :; do sleep 1; done"
    )
    task = house.add("Never end", "--timeout", "2")
    refused(house, task, "failed timed_out")
    run = house.task(task)["runs"][0]
    assert (run["outcome"], run["exit_code"]) == ("timed_out", 124)
    assert kept(house, run["log"][0]["id"])


def test_one_that_loses_its_shim_is_lost_tried_once_more_and_then_needs_review(make_house: MakeHouse) -> None:
    house = make_house()
    new, go, end = house.root / "new", house.root / "go", house.root / "end"
    house.agent(
        f"echo x >> x.txt && git add -A && git commit -qm work\necho $PPID > {new}-$TORYO_RUN\n"
        f"mv {new}-$TORYO_RUN {go}-$TORYO_RUN\nwhile [ ! -e {end}-$TORYO_RUN ]; do sleep 0.05; done"
    )
    task = house.add("Lose the shim")
    for number in (1, 2):
        marks = eventually(
            lambda number=number: (
                (found := sorted(house.root.glob("go-r*"))) and len(found) == number and found
            ),
            within_s=30,
            what=f"run {number} works",
        )
        newest = max(marks, key=lambda path: path.stat().st_mtime)
        os.kill(int(newest.read_text()), signal.SIGKILL)
        # its agent lives on: the run is not lost yet, and nobody else may start
        assert len(house.started()) == number
        (house.root / newest.name.replace("go-", "end-")).touch()
    refused(house, task, "needs_review lost")
    assert [run["outcome"] for run in house.task(task)["runs"]] == ["lost", "lost"]
    assert kept(house, house.task(task)["runs"][0]["log"][0]["id"])


def test_a_run_without_its_shim_still_has_its_time_limit(make_house: MakeHouse) -> None:
    house = make_house()
    house.agent(f"echo $PPID > {house.root}/shim-$TORYO_RUN\nexec sleep 600")
    task = house.add("Outlive the shim", "--timeout", "3")
    for number in (1, 2):
        found = eventually(lambda n=number: len(list(house.root.glob("shim-r*"))) == n, within_s=40)
        assert found
        newest = max(house.root.glob("shim-r*"), key=lambda path: path.stat().st_mtime)
        os.kill(int(eventually(newest.read_text)), signal.SIGKILL)
    refused(house, task, "needs_review lost")
