"""Orders become effects once, and facts until they are heard: journal, attach, supersede, wait, withdraw."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from crew import Crew, project, waiting_agent

from repositories import commit_files, git
from waiting import eventually

TIP = "refs/toryo/tips/main"


def accept_order(crew: Crew, repo: Path, old: str, new: str) -> dict[str, object]:
    inputs = {"repo": str(repo), "target": "main", "old": old, "new": new, "evidence": "e1"}
    return crew.order("oaccept", "accept", inputs, project="p1")


def test_a_repeated_order_is_answered_from_its_journal_without_a_second_effect(
    crew: Crew, repo: Path
) -> None:
    old = git(repo, "rev-parse", "HEAD")
    new = commit_files(repo, {"a.txt": "two\n"})
    git(repo, "update-ref", TIP, old)
    crew.daemon.start()
    first = crew.start()
    crew.daemon.give(accept_order(crew, repo, old, new))
    eventually(lambda: crew.daemon.about("accepted", "oaccept"))
    assert git(repo, "rev-parse", TIP) == new
    crew.leave(first)
    git(repo, "update-ref", TIP, old)  # a second effect would move it again
    crew.daemon.facts.clear()
    crew.start()
    answers = eventually(lambda: crew.daemon.about("accepted", "oaccept"))
    assert answers[0]["moved"] is True
    assert git(repo, "rev-parse", TIP) == old


def test_an_order_that_stays_in_the_set_is_answered_again_but_not_done_again(crew: Crew, repo: Path) -> None:
    old = git(repo, "rev-parse", "HEAD")
    new = commit_files(repo, {"a.txt": "two\n"})
    git(repo, "update-ref", TIP, old)
    crew.daemon.start()
    crew.start(interval=30)
    crew.daemon.give(accept_order(crew, repo, old, new))
    eventually(lambda: crew.daemon.about("accepted"))
    git(repo, "update-ref", TIP, old)
    for _ in range(3):
        asked = len(crew.daemon.asked("next_orders"))
        crew.daemon.look()
        eventually(lambda asked=asked: len(crew.daemon.asked("next_orders")) > asked)
    eventually(lambda: len(crew.daemon.about("accepted")) > 1)
    assert all(body["moved"] for body in crew.daemon.about("accepted"))
    assert git(repo, "rev-parse", TIP) == old


def test_a_run_is_executed_once_however_often_its_order_and_its_coordinator_come(
    crew: Crew, repo: Path, tmp_path: Path
) -> None:
    trace, end = tmp_path / "trace", tmp_path / "end"
    crew.daemon.start()
    first = crew.start()
    crew.daemon.give(crew.run_order("r1", repo, waiting_agent(end, trace)))
    started = eventually(lambda: crew.daemon.about("started", "or1"))[0]
    crew.leave(first)
    second = crew.start()
    eventually(lambda: second.runs.live() == {"r1"})
    end.touch()
    exited = eventually(lambda: crew.daemon.about("exited", "or1"))[0]
    assert exited["exit_code"] == 0
    assert trace.read_text() == "began\n"
    assert Path(started["log"]).parent == repo / ".aiagent" / "logs" / "dev"
    crew.leave(second)
    crew.daemon.facts.clear()
    crew.start()
    eventually(lambda: crew.daemon.about("exited", "or1"))
    assert trace.read_text() == "began\n"


def test_a_run_that_ends_while_nobody_answers_is_told_when_somebody_does(
    crew: Crew, repo: Path, tmp_path: Path
) -> None:
    trace, end = tmp_path / "trace", tmp_path / "end"
    crew.daemon.start()
    first = crew.start()
    crew.daemon.give(crew.run_order("r1", repo, waiting_agent(end, trace)))
    eventually(lambda: crew.daemon.about("started"))
    crew.leave(first)
    crew.daemon.stop()
    second = crew.start()
    eventually(lambda: second.runs.live() == {"r1"}, what="attached before the daemon answers")
    end.touch()
    eventually(lambda: not second.runs.live())
    crew.daemon.orders.clear()  # told by what is on disk, not by the order
    crew.daemon.start()
    assert eventually(lambda: crew.daemon.about("exited", "or1"))[0]["exit_code"] == 0


def test_an_intent_without_a_start_is_started(crew: Crew, repo: Path, tmp_path: Path) -> None:
    order = crew.run_order("r1", repo, f"sh -c 'echo began >> {tmp_path / 'trace'}'")
    (crew.runs / "r1").mkdir(parents=True)
    orders = crew.home.coordinator("main") / "orders"
    orders.mkdir(parents=True)
    (orders / "or1.json").write_text('{"half')
    crew.daemon.give(order)
    crew.daemon.start()
    crew.start()
    eventually(lambda: crew.daemon.about("exited", "or1"))
    assert (tmp_path / "trace").read_text() == "began\n"


def test_the_prompt_reaches_the_agent_as_a_private_file_and_no_log(
    crew: Crew, repo: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "toryo")
    prompt = "Paint it {worktree} — 青\n"
    crew.daemon.give(crew.run_order("r1", repo, f"cp {{prompt_file}} {tmp_path / 'copy'}", prompt=prompt))
    crew.daemon.start()
    crew.start()
    eventually(lambda: crew.daemon.about("exited"))
    assert (tmp_path / "copy").read_text() == prompt
    assert (crew.runs / "r1" / "prompt.md").stat().st_mode & 0o777 == 0o600
    assert not any("Paint it" in str(vars(record)) for record in caplog.records)


def test_a_run_that_ends_at_once_has_its_start_told_before_its_end(crew: Crew, repo: Path) -> None:
    crew.daemon.start()
    crew.start()
    for number in range(5):
        run = f"r{number}"
        crew.daemon.give(crew.run_order(run, repo, "true"))
        eventually(lambda run=run: crew.daemon.about("exited", f"o{run}"))
        crew.daemon.withdraw(f"o{run}")
    kinds = [fact["kind"] for fact in crew.daemon.facts]
    assert kinds == ["started", "exited"] * 5


def test_a_client_that_cannot_be_called_is_an_exit_that_could_not_start(crew: Crew, repo: Path) -> None:
    crew.daemon.give(crew.run_order("r1", repo, ""))
    crew.daemon.start()
    crew.start()
    exited = eventually(lambda: crew.daemon.about("exited", "or1"))[0]
    assert exited["exit_code"] is None
    assert "no command" in exited["could_not_start"]


def test_the_log_is_read_in_parts_and_ends_with_the_run(crew: Crew, repo: Path, tmp_path: Path) -> None:
    end = tmp_path / "end"
    command = f"sh -c 'echo 棟梁; while [ ! -e {end} ]; do sleep 0.02; done; echo bye'"
    crew.daemon.give(crew.run_order("r1", repo, command))
    crew.daemon.start()
    crew.start()
    log = Path(eventually(lambda: crew.daemon.about("started"))[0]["log"])
    eventually(lambda: "梁\n" in log.read_text())

    def read(name: str, offset: int, limit: int = 100) -> dict[str, object]:
        return crew.read(name, what="log", run="r1", raw=True, offset=offset, limit=limit)

    first = read("o1", 0, limit=4)
    assert (first["text"], first["next_offset"], first["ended"]) == ("棟", 3, False)
    second = read("o2", 3)
    assert (second["text"], second["ended"]) == ("梁\n", False)
    end.touch()
    eventually(lambda: crew.daemon.about("exited"))
    third = read("o3", 7)
    assert (third["text"], third["ended"]) == ("bye\n", True)
    assert not (crew.home.coordinator("main") / "orders" / "o1.json").exists(), "asks are not journalled"


def test_the_log_of_a_run_that_could_not_start_says_where_to_look(crew: Crew, repo: Path) -> None:
    crew.daemon.give(crew.run_order("r1", repo, ""))
    crew.daemon.start()
    crew.start()
    eventually(lambda: crew.daemon.about("exited", "or1"))
    told = crew.read("k1", what="log", run="r1")
    assert told["problem"]["code"] == "not_started"
    assert "r1" in told["problem"]["message"]
    assert told["problem"]["hint"] == "`toryo run show r1` shows why."
    assert told["ended"] is True
    elsewhere = crew.read("k2", what="log", run="r9")
    assert elsewhere["problem"]["code"] == "not_here"


def test_a_superseded_coordinator_only_observes_and_then_leaves(
    crew: Crew, repo: Path, tmp_path: Path
) -> None:
    old = git(repo, "rev-parse", "HEAD")
    new = commit_files(repo, {"a.txt": "two\n"})
    git(repo, "update-ref", TIP, old)
    crew.daemon.projects = [project("p1", repo, ["a"])]
    crew.daemon.start()
    loop = crew.start()
    crew.daemon.give(crew.run_order("r1", repo, waiting_agent(tmp_path / "end", tmp_path / "trace")))
    eventually(lambda: crew.daemon.about("started"))
    crew.daemon.superseded = True
    crew.daemon.look()
    eventually(lambda: loop.lifecycle.superseded)
    crew.daemon.work["a", "p1"] = 1
    crew.daemon.give(accept_order(crew, repo, old, new))
    checked = len(crew.daemon.asked("health_check"))
    eventually(lambda: len(crew.daemon.asked("health_check")) > checked + 2)
    assert not crew.daemon.asked("claim_run")
    assert git(repo, "rev-parse", TIP) == old
    assert not crew.is_over(loop), "an agent is still to be watched"
    (tmp_path / "end").touch()
    assert eventually(lambda: crew.daemon.about("exited", "or1"))
    eventually(lambda: crew.is_over(loop))


def test_a_publication_that_waits_says_why_once_and_goes_on_by_itself(crew: Crew, repo: Path) -> None:
    old = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "-b", "work")
    new = commit_files(repo, {"a.txt": "two\n"})
    git(repo, "checkout", "-q", "main")
    (repo / "a.txt").write_text("mine\n")
    inputs = {"repo": str(repo), "target": "main", "old": old, "new": new}
    crew.daemon.start()
    crew.start()
    crew.daemon.give(crew.order("o1", "publish", inputs, project="p1"))
    waiting = eventually(lambda: crew.daemon.about("publish_waiting", "o1"))[0]
    assert waiting["paths"] == ["a.txt"]
    (repo / "b.txt").write_text("another reason to look, not another reason to wait\n")
    git(repo, "checkout", "-q", "--", "a.txt")
    published = eventually(lambda: crew.daemon.about("published", "o1"))[0]
    assert published["published"] is True
    assert git(repo, "rev-parse", "main") == new
    assert len(crew.daemon.about("publish_waiting")) == 1


def test_a_withdrawn_publication_is_not_tried_again(crew: Crew, repo: Path) -> None:
    old = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "-b", "work")
    new = commit_files(repo, {"a.txt": "two\n"})
    git(repo, "checkout", "-q", "main")
    (repo / "a.txt").write_text("mine\n")
    inputs = {"repo": str(repo), "target": "main", "old": old, "new": new}
    crew.daemon.start()
    loop = crew.start()
    crew.daemon.give(crew.order("o1", "publish", inputs, project="p1"))
    eventually(lambda: crew.daemon.about("publish_waiting", "o1"))
    crew.daemon.withdraw("o1")
    eventually(lambda: not loop.orders.is_busy("o1"), what="it is let go at the next try")
    git(repo, "checkout", "-q", "--", "a.txt")
    assert git(repo, "rev-parse", "main") == old
    assert not crew.daemon.about("published")


@pytest.mark.parametrize(
    ("kind", "fact", "inputs"),
    [
        ("adopt", "adopted", {"path": "/nowhere", "project": "p1", "installation": "i", "base": "main"}),
        (
            "collect",
            "collected",
            {"run": "r1", "worktree": "/nowhere/w", "branch": "b", "base": "0", "start": "0"},
        ),
        ("candidate", "candidate_built", {"tip": "0", "heads": [], "message": "m", "date": "2026-01-01"}),
        ("accept", "accepted", {"old": "0", "new": "1", "evidence": "e"}),
        ("publish", "published", {"old": "0", "new": "1"}),
        ("survey", "surveyed", {"path": "/nowhere"}),
        ("accept", "accepted", {"this order": "lacks its inputs", "repo": None}),
    ],
)
def test_an_effect_that_fails_is_a_fact_with_a_problem(
    crew: Crew, kind: str, fact: str, inputs: dict[str, object]
) -> None:
    crew.daemon.start()
    crew.start()
    crew.daemon.give(crew.order("o1", kind, {"repo": "/nowhere", "target": "main", **inputs}))
    body = eventually(lambda: crew.daemon.about(fact, "o1"))[0]
    assert body["problem"]["code"]
    assert body["problem"]["message"]


def test_a_check_that_cannot_begin_could_not_run(crew: Crew) -> None:
    inputs = {"repo": "/nowhere", "project": "p1", "commit": "0" * 40, "tree": "", "command": "true"}
    crew.daemon.start()
    crew.start()
    crew.daemon.give(crew.order("o1", "check", inputs))
    body = eventually(lambda: crew.daemon.about("checked", "o1"))[0]
    assert body["result"] == "could_not_run"
    assert body["reason"]


def test_a_check_tells_its_result_and_its_output_and_leaves_nothing(crew: Crew, repo: Path) -> None:
    commit = git(repo, "rev-parse", "HEAD")
    inputs = {
        "repo": str(repo),
        "project": "p1",
        "commit": commit,
        "tree": "",
        "command": "cat a.txt; exit 3",
    }
    crew.daemon.start()
    crew.start()
    crew.daemon.give(crew.order("o1", "check", inputs, project="p1"))
    body = eventually(lambda: crew.daemon.about("checked", "o1"))[0]
    assert (body["result"], body["exit_code"]) == ("failed", 3)
    assert crew.daemon.blobs[body["output"]] == "one\n"
    eventually(lambda: not (crew.home.coordinator("main") / "checks" / "o1").exists())


def test_an_output_too_long_for_one_line_arrives_as_its_head_and_tail(crew: Crew, repo: Path) -> None:
    command = """echo first; head -c 900000 /dev/zero | tr '\\0' '"'; echo; echo last"""
    inputs = {"repo": str(repo), "project": "p1", "commit": git(repo, "rev-parse", "HEAD"), "tree": ""}
    crew.daemon.start()
    crew.start()
    crew.daemon.give(crew.order("o1", "check", {**inputs, "command": command}, project="p1"))
    body = eventually(lambda: crew.daemon.about("checked", "o1"), within_s=20)[0]
    text = crew.daemon.blobs[body["output"]]
    assert body["result"] == "passed"
    assert text.startswith("first\n")
    assert text.endswith("last\n")
    assert "characters left out" in text
    assert hashlib.sha256(text.encode()).hexdigest() == body["output"]


def test_a_withdrawn_check_is_given_up_and_does_not_count(crew: Crew, repo: Path, tmp_path: Path) -> None:
    inputs = {"repo": str(repo), "project": "p1", "commit": git(repo, "rev-parse", "HEAD"), "tree": ""}
    crew.daemon.start()
    crew.start()
    long = f"touch {tmp_path / 'begun'}; sleep 60"
    crew.daemon.give(crew.order("o1", "check", {**inputs, "command": long}, project="p1"))
    eventually(lambda: (tmp_path / "begun").exists())
    crew.daemon.withdraw("o1")
    body = eventually(lambda: crew.daemon.about("checked", "o1"))[0]
    assert (body["result"], body["interrupted"]) == ("could_not_run", True)


def test_a_survey_names_the_checks_it_found(crew: Crew, repo: Path) -> None:
    commit_files(repo, {"Makefile": "test:\n\ttrue\n"})
    crew.daemon.start()
    crew.start()
    crew.daemon.give(crew.order("o1", "survey", {"path": str(repo)}))
    body = eventually(lambda: crew.daemon.about("surveyed", "o1"))[0]
    assert body["root"] == str(repo)
    assert [check["command"] for check in body["checks"]] == ["make test"]


def test_a_target_is_told_at_start_and_again_only_when_it_moved(crew: Crew, repo: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "update-ref", TIP, first)
    crew.daemon.projects = [project("p1", repo, [], [{"name": "main", "published": first}])]
    crew.daemon.start()
    crew.start()
    seen = eventually(lambda: crew.daemon.about("target_seen"))[0]
    assert (seen["commit"], seen["relation"], seen["contains_published"]) == (first, "same", True)
    cycles = len(crew.daemon.asked("health_check"))
    eventually(lambda: len(crew.daemon.asked("health_check")) > cycles + 2)
    assert len(crew.daemon.about("target_seen")) == 1
    second = commit_files(repo, {"a.txt": "two\n"})
    ahead = eventually(lambda: crew.daemon.about("target_seen")[1:])[0]
    assert (ahead["commit"], ahead["relation"]) == (second, "ahead")
    git(repo, "reset", "-q", "--hard", first)
    git(repo, "commit", "-q", "--amend", "-m", "rewritten")
    rewound = eventually(lambda: crew.daemon.about("target_seen")[2:])[-1]
    assert rewound["contains_published"] is False
