"""The verbs that look: what is asked of the daemon, and what its answers become on the screen."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest


def moment(offset_s: float) -> str:
    """As answers have it, so far from now."""
    return (datetime.now(UTC) + timedelta(seconds=offset_s)).isoformat().replace("+00:00", "Z")


STATUS = {
    "daemon": {"pid": 7, "version": "0.1.0", "uptime_s": 75.0},
    "coordinators": [{"id": "m/main", "name": "main", "pid": 8, "live": True}],
    "agents": [{"id": "coder", "client": "command", "slots": 2, "runs": ["r1"], "status": "active"}],
    "counts": {"done": 4, "running": 1, "needs_review": 1, "open": 0},
    "projects": [{"id": "p1", "name": "door", "status": "active", "base": "main", "path": "/src/door"}],
    "moving": [
        {
            "id": "t1",
            "status": "running",
            "reason": "implement",
            "agent": "coder",
            "title": "mend",
            "detail": "",
            "changed_at": "2026-01-02T03:04:05Z",
        }
    ],
    "needs_you": [{"task": "t2", "why": "no_commit", "type": "toryo task retry t2"}],
}


def test_status_as_json_has_counts_daemon_coordinators_and_agents(peer, typed):
    peer(get_status=STATUS)
    assert json.loads(typed("status", "--json").out) == STATUS


def test_status_says_for_how_long_an_agent_has_been_silent(peer, typed):
    silent = STATUS["moving"][0] | {"silent_since": moment(-12 * 60 - 5)}
    peer(get_status=STATUS | {"moving": [silent]})
    assert ", silent for 12 min\n" in typed("status").out


def test_status_for_people_ends_with_what_needs_them_and_the_command_to_type(peer, typed):
    running = STATUS["moving"][0] | {"changed_at": moment(-320)}
    peer(get_status=STATUS | {"moving": [running]})
    out = typed("status").out
    assert out.startswith("daemon 0.1.0, up 1 min 15 s · coordinator main\n")
    assert "\ntasks  1 running, 1 needs_review, 4 done\n" in out
    assert "coder  command  1 of 2  active" in out
    assert "└─ ● t1  mend  coder  running  5 min\n      implement\n" in out
    assert out.endswith("needs you\n  t2  no_commit\n      toryo task retry t2\n")


def test_status_says_at_which_task_a_dead_blocked_one_waits_and_the_line_that_helps(peer, typed):
    blocked = {
        "id": "t3",
        "status": "blocked",
        "reason": "dependency_failed:t2",
        "title": "Roof",
        "agent": "coder",
    }
    dead = {"dead": True, "dead_at": "t1", "dead_action": {"line": "toryo task retry t1"}}
    peer(get_status=STATUS | {"work": [blocked | dead]})
    assert "t3  Roof  coder  dead-blocked  at t1: toryo task retry t1\n" in typed("status").out


def test_status_says_how_to_see_what_failed_and_what_to_type_first(peer, typed):
    there = peer(get_status={**STATUS, "counts": {"failed": 2}})
    assert typed("status").out.endswith(
        "    toryo task retry t2\n  and 2 failed: toryo task list --status failed\n"
    )
    there.answers["get_status"] = {**STATUS, "counts": {}}
    assert 'tasks  none yet: toryo task add "' in typed("status").out
    there.answers["get_status"] = {**STATUS, "counts": {}, "projects": []}
    assert "type `toryo init` in a repository" in typed("status").out


def test_status_says_when_nothing_can_start(peer, typed):
    there = peer(get_status={**STATUS, "coordinators": []})
    assert "no coordinator: nothing starts until `toryo up`" in typed("status").out
    silent = [{"id": "m/main", "name": "main", "pid": 8, "live": False}]
    there.answers["get_status"] = {**STATUS, "coordinators": silent}
    assert "coordinator main does not answer: `toryo up`" in typed("status").out


HOUSE = {"clients": {"claude": "/bin/claude"}, "isolation": "none"}


def test_doctor_exits_1_if_anything_is_wrong_and_says_how_to_mend_it(peer, typed):
    there = peer(
        doctor={"findings": [{"level": "error", "what": "git is old", "hint": "update git"}], **HOUSE}
    )
    clients = "clients    claude\nisolation  none\n\n"
    result = typed("doctor")
    assert result.code == 1
    assert result.out == f"error    git is old\n         update git\n\n{clients}1 thing is wrong.\n"
    there.answers["doctor"] = {"findings": [], **HOUSE}
    assert (typed("doctor").code, typed("doctor").out) == (0, f"{clients}Nothing is wrong.\n")
    there.answers["doctor"] = {"findings": [{"level": "note", "what": "look", "hint": ""}], **HOUSE}
    assert (typed("doctor").code, "worth a look" in typed("doctor").out) == (0, True)


def test_doctor_lists_the_clients_of_each_machine_with_version_and_uid(peer, typed):
    claude = {"name": "claude", "path": "/bin/claude", "version": "2.1", "tested": True, "problem": ""}
    codex = {"name": "codex", "path": "/bin/codex", "version": "9.9", "tested": False, "problem": ""}
    mine = {
        "name": "mine",
        "path": "/home/mine.yaml",
        "version": "",
        "tested": False,
        "problem": "argv: missing",
    }
    gemini = {"name": "gemini", "path": "", "version": "", "tested": False, "problem": ""}
    machine = {"machine": "m1", "uid": 1000, "clients": [claude, codex, mine, gemini]}
    peer(doctor={"findings": [], "machines": [machine], **HOUSE})
    lines = typed("doctor").out.splitlines()
    assert lines[0] == "machine m1, uid 1000"
    assert [line.split() for line in lines[2:6]] == [
        ["claude", "2.1", "yes", "/bin/claude"],
        ["codex", "9.9", "no", "/bin/codex"],
        ["mine", "-", "wrong", "/home/mine.yaml"],
        ["gemini", "-", "-", "not", "installed"],
    ]


def test_status_shows_accounts_that_wait_and_how_to_end_it(peer, typed):
    account = {"client": "claude", "why": "usage_limit", "until": "2026-11-15T14:05:00.000Z"}
    peer(get_status={**STATUS, "parked": [{**account, "tasks": ["t1", "t2"], "run": "r1"}]})
    out = typed("status").out
    assert "parked\n  claude: usage limit until 2026-11-15 14:05 UTC, t1, t2\n" in out
    assert "toryo run release r1  ends the waiting" in out


SAID = {
    "id": "r1",
    "task": "t1",
    "purpose": "implement",
    "agent": "coder",
    "outcome": "parked",
    "exit_code": 1,
    "client": "claude",
    "client_version": "2.1",
    "model": "opus",
    "usage": {
        "input_tokens": 1200,
        "cached_tokens": 1000,
        "output_tokens": 45,
        "turns": 1,
        "cost_usd": 0.125,
    },
    "denied": ["Bash", "Edit"],
    "conversation": "c-1",
    "prompt_hash": "ab" * 32,
    "parked_until": "2026-11-15T14:05:00.000Z",
}


def test_evidence_shows_what_the_client_said_of_a_run(peer, typed):
    peer(get_evidence={"task": "t1", "status": "ready", "reason": "parked", "title": "x", "runs": [SAID]})
    out = typed("evidence", "t1").out
    assert "  claude 2.1, opus, 1200 tokens in (1000 cached), 45 out, 1 turn, $0.12\n" in out
    assert "  denied: Bash, Edit\n  conversation: c-1\n  prompt: abababababababab…\n" in out


def test_a_parked_run_shows_until_when_and_how_to_end_it(peer, typed):
    peer(get_run={"run": SAID}, release_run={"run": "r1", "waiting_ended": True})
    out = typed("run", "show", "r1").out
    assert "coder (claude 2.1)" in out
    assert "waits until  2026-11-15T14:05:00.000Z" in out
    assert "toryo run release r1" in out
    assert typed("run", "release", "r1").out == "r1 waits no longer.\n"


def test_a_parked_task_says_how_to_end_the_waiting(peer, typed):
    task = {
        "id": "t1",
        "status": "ready",
        "reason": "parked",
        "title": "x",
        "detail": "usage limit of claude",
        "next": ["toryo task retry t1"],
    }
    peer(get_task={"task": task})
    assert "toryo task retry t1" in typed("task", "show", "t1").out


@pytest.mark.parametrize(("words", "raw"), [((), False), (("--raw",), True)])
def test_a_log_is_asked_for_readably_unless_raw_is_wanted(peer, typed, words, raw):
    there = peer(read_log={"run": "r1", "text": "it works\n", "next_offset": 0, "ended": True})
    assert typed("log", "r1", *words).out == "it works\n"
    assert ("raw" in there.arguments_of("read_log")) is raw


def test_doctor_recompute_exits_1_if_the_facts_say_something_else(peer, typed):
    status = {"task": "t1", "project": "p1", "what": "status", "cached": "done", "facts_say": "failed"}
    tip = {"task": "", "project": "p1", "what": "target main tip", "cached": "c0ffee", "facts_say": "none"}
    there = peer(recompute={"compared": 3, "differences": [status, tip]})
    result = typed("doctor", "--recompute")
    assert result.code == 1
    assert result.out.splitlines() == [
        "t1: status is 'done', the facts say 'failed'",
        "p1: target main tip is 'c0ffee', the facts say 'none'",
        "Compared 3 tasks: 2 differences.",
    ]
    there.answers["recompute"] = {"compared": 3, "differences": []}
    assert typed("doctor", "--recompute").code == 0


def test_run_verbs_ask_for_the_run(peer, typed):
    run = {
        "id": "r1",
        "task": "t1",
        "purpose": "fix",
        "outcome": "unknown",
        "exit_code": None,
        "signal": "SIGKILL",
    }
    there = peer(
        list_runs={"runs": [run]}, get_run={"run": run}, stop_run={"run": "r1"}, release_run={"run": "r1"}
    )
    assert "r1   t1    fix" in typed("run", "list", "--task", "t1").out
    assert there.arguments_of("list_runs") == {"task": "t1", "limit": 50}
    shown = typed("run", "show", "r1").out
    assert shown.startswith("r1  unknown  fix\ntask    t1\n")
    assert "signal  SIGKILL" in shown
    assert shown.endswith("next\n  toryo log r1\n  toryo run release r1\n")
    assert typed("run", "stop", "r1").out == "r1 was asked to leave.\n"
    assert typed("run", "release", "r1").out == "r1 is given up; its slot and its task are free.\n"


EVIDENCE = {
    "task": "t1",
    "title": "mend",
    "status": "done",
    "reason": "",
    "tree": "ttt",
    "commit": "ccc",
    "verdict": "green",
    "checks": [
        {"command": "make test", "result": "passed", "exit_code": 0, "duration_s": 2.5, "output": "ok"}
    ],
    "runs": [
        {"id": "r1", "outcome": "succeeded", "exit_code": 0, "commits": 1, "children_killed": ["sleep 99"]}
    ],
    "violations": [{"path": ".env", "rule": "exclude"}],
}


def test_evidence_shows_verdict_checks_runs_and_violations(peer, typed):
    peer(get_evidence={"evidence": EVIDENCE})
    assert json.loads(typed("evidence", "t1", "--json").out) == EVIDENCE
    out = typed("evidence", "t1").out
    assert out.startswith("t1  done  mend\nverdict  green (every check passed)\ncommit   ccc\ntree     ttt\n")
    assert "passed  0     2.5 s  make test" in out
    assert "run r1: succeeded, exit 0, 1 commit\n  children killed: sleep 99\n" in out
    assert "violation: .env (exclude)\n" in out
    assert out.endswith("next\n  toryo verify t1\n")


def test_evidence_of_a_task_that_waits_shows_the_failure_and_what_a_person_may_say(peer, typed):
    red = {"command": "make test", "result": "failed", "exit_code": 2, "output": "x\n" * 20 + "boom\n"}
    review = {"status": "needs_review", "reason": "checks_failed", "verdict": "red", "checks": [red]}
    there = peer(get_evidence={**EVIDENCE, **review})
    out = typed("evidence", "t1").out
    assert out.startswith("t1  needs_review (checks_failed)  mend\nverdict  red (a check failed)\n")
    assert "\n$ make test\n… 6 lines before\nx\n" in out
    assert "\nboom\n" in out
    assert out.endswith("next\n  toryo task approve t1\n  toryo task retry t1\n  toryo task reject t1\n")
    told = ["toryo task retry t1", "toryo task reject t1"]
    there.answers["get_evidence"] = {**EVIDENCE, **review, "reason": "conflict", "next": told}
    assert typed("evidence", "t1").out.endswith("next\n  toryo task retry t1\n  toryo task reject t1\n")


def test_verify_exits_1_and_shows_the_output_where_a_check_fails_now(peer, typed):
    red = {"command": "make test", "result": "failed", "exit_code": 2, "duration_s": 1, "output": "boom"}
    there = peer(verify_task={**EVIDENCE, "verdict": "red", "checks": [red]})
    result = typed("verify", "t1")
    assert (result.code, result.out.endswith("\n$ make test\nboom\n")) == (1, True)
    there.answers["verify_task"] = EVIDENCE
    assert typed("verify", "t1").code == 0


def log_of(text: str, step: int):
    def answer(arguments: dict[str, object]) -> dict[str, object]:
        offset = int(str(arguments["offset"]))
        part = text[offset : offset + step]
        return {
            "run": "r1",
            "text": part,
            "next_offset": offset + len(part),
            "ended": offset + step >= len(text),
        }

    return answer


def test_log_reads_to_the_end_in_pieces(peer, typed):
    there = peer(read_log=log_of("one\ntwo\nthree\n", 5))
    assert typed("log", "r1").out == "one\ntwo\nthree\n"
    assert there.calls[0] == ("read_log", {"run": "r1", "offset": 0, "wait_s": 0.0})
    assert json.loads(typed("log", "t1", "--json").out)["text"] == "one\ntwo\nthree\n"


def test_log_follow_waits_for_more_until_the_run_ended(peer, typed):
    pieces = [("a\n", 2, False), ("", 2, False), ("b\n", 4, False), ("", 4, True)]

    def next_piece(_: object) -> dict[str, object]:
        text, after, ended = pieces.pop(0)
        return {"run": "r1", "text": text, "next_offset": after, "ended": ended}

    there = peer(read_log=next_piece)
    assert typed("log", "-f", "r1").out == "a\nb\n"
    assert all(arguments["wait_s"] > 0 for _, arguments in there.calls)


def events_of(number: int):
    """A daemon with so many events, all of one task."""

    def answer(arguments: dict[str, object]) -> dict[str, object]:
        after, limit = int(str(arguments.get("after", 0))), int(str(arguments.get("limit", 1000)))
        if last := arguments.get("last"):
            after = max(0, number - int(str(last)))
        seqs = range(after + 1, min(number, after + limit) + 1)
        listed = [
            {"seq": seq, "at": "2025-11-15T08:00:00Z", "kind": "run_started", "run": "r1", "body": {"n": 1}}
            for seq in seqs
        ]
        return {
            "events": listed,
            "next_after": seqs[-1] if seqs else after,
            "newest": number,
            "resync": False,
        }

    return answer


def seqs_in(out: str) -> list[int]:
    return [json.loads(line)["seq"] for line in out.splitlines()]


def test_events_follow_goes_on_after_the_newest_one(peer, typed):
    def later(arguments: dict[str, object]) -> dict[str, object]:
        if not arguments.get("wait_s"):
            return events_of(3)(arguments)
        if arguments["after"] == 3:
            return events_of(4)(arguments)
        return {"success": False, "error": "enough"}

    peer(list_events=later)
    result = typed("events", "-f", "--json")
    assert (seqs_in(result.out), result.err) == ([1, 2, 3, 4], "Error: enough\n")


def test_a_done_task_that_nothing_checked_is_marked_on_every_page(peer, typed):
    task = {"id": "t1", "title": "mend", "status": "done", "reason": "", "verdict": "unchecked"}
    work = [task | {"project": "p1", "steps": ["implement", "unchecked", "on main"]}]
    peer(get_status={**STATUS, "work": work}, list_tasks={"tasks": [task]}, get_task=task)
    shown = typed("status").out
    assert "✔ t1  mend  nobody  done (unchecked)\n      implement → unchecked → on main\n" in shown
    assert "t1  done    unchecked" in typed("task", "list").out
    assert typed("task", "show", "t1").out.startswith("t1  done (unchecked)  mend\n")


def test_of_several_projects_each_line_says_which(peer, typed):
    projects = [
        *STATUS["projects"],
        {"id": "p2", "name": "shop", "status": "active", "base": "main", "path": "/s"},
    ]
    wish = {**STATUS["needs_you"][0], "title": "oil", "project_name": "shop"}
    work = [
        {
            "id": "t3",
            "project": "p2",
            "project_name": "shop",
            "title": "x",
            "status": "ready",
            "waits_for": {"what": "a slot of dev"},
        }
    ]
    crew = [*STATUS["agents"], {**STATUS["agents"][0], "project": "p2", "project_name": "shop"}]
    peer(get_status={**STATUS, "projects": projects, "agents": crew, "work": work, "needs_you": [wish]})
    out = typed("status").out
    assert "\ncoder          command  1 of 2  active\ncoder of shop  command  1 of 2  active\n" in out
    assert "shop  main  /s\n└─ · t3  x  nobody  ready  a slot of dev\n" in out
    assert "  t2  shop  oil\n      no_commit\n" in out
