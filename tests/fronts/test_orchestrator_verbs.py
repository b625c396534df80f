"""`toryo worker …` and `toryo session …`: what outside orchestrators parse is exactly what they asked for."""

from __future__ import annotations

import json

import pytest

PROMPT = "# Task #t1: 扉\n\nDo it.\n  indented \x1b[0m and odd\n\n"
SESSION = {"session": "r1", "task": "t1", "worktree": "/src/.worktrees/x", "branch": "agent/x"}


@pytest.mark.parametrize("text", [PROMPT, "no newline at the end", ""])
def test_both_worker_verbs_print_the_prompt_and_nothing_else(peer, typed, text):
    there = peer(worker_prompt={"prompt": text})
    printed = [typed("worker", verb, "t1", "--agent", "coder") for verb in ("command", "run")]
    assert [(one.code, one.out, one.err) for one in printed] == [(0, text, "")] * 2
    assert there.calls == [("worker_prompt", {"task": "t1", "agent": "coder"})] * 2


def test_the_prompt_is_the_tasks_own_agents_without_a_name(peer, typed):
    there = peer(worker_prompt={"prompt": PROMPT})
    assert json.loads(typed("worker", "command", "t1", "--json").out) == {"prompt": PROMPT}
    assert there.calls == [("worker_prompt", {"task": "t1"})]


def test_session_start_prints_the_id_alone_when_it_is_to_be_quiet(peer, typed):
    there = peer(start_session=SESSION)
    assert typed("session", "start", "t1", "--agent", "coder", "--quiet").out == "r1\n"
    assert there.calls == [("start_session", {"task": "t1", "agent": "coder"})]


def test_session_start_tells_people_where_to_work_and_how_to_end_it(peer, typed):
    peer(start_session=SESSION)
    out = typed("session", "start", "t1", "--agent", "coder").out
    assert "worktree  /src/.worktrees/x\nbranch    agent/x\n" in out
    assert out.endswith("toryo session end r1 --exit-code N\n")
    assert json.loads(typed("session", "start", "t1", "--agent", "coder", "--json").out) == SESSION


def test_session_end_sends_all_that_was_said(peer, typed):
    there = peer(end_session={"session": "r1", "task": "t1", "status": "failed", "reason": "timed_out"})
    words = ["--exit-code", "124", "--signal", "SIGTERM", "--dod-result", "timeout", "--error", "too slow"]
    result = typed("session", "end", "r1", *words, "--artifacts", '["a.txt", "b/扉"]')
    assert (result.code, result.out) == (0, "r1 has ended; t1 is failed (timed_out).\n")
    assert there.calls == [
        (
            "end_session",
            {
                "session": "r1",
                "exit_code": 124,
                "signal": "SIGTERM",
                "dod_result": "timeout",
                "artifacts": ["a.txt", "b/扉"],
                "error": "too slow",
            },
        )
    ]


def test_session_end_leaves_out_what_was_left_empty_and_keeps_exit_code_0(peer, typed):
    there = peer(end_session={"session": "r1", "task": "t1", "status": "verifying", "late": True})
    words = ["--exit-code", "0", "--signal", "", "--dod-result", "", "--artifacts", "[]"]
    result = typed("session", "end", "r1", *words)
    assert there.calls == [("end_session", {"session": "r1", "exit_code": 0})]
    assert result.out.startswith("r1 has ended; t1 is verifying. It had ended already")


def test_session_end_without_a_word_about_how_asks_nothing_of_the_daemon(peer, typed):
    there = peer()
    result = typed("session", "end", "r1", "--dod-result", "merged")
    assert (result.code, there.calls) == (2, [])
    assert result.err.startswith("Error: How did the worker end?\nHint: ")
