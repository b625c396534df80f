"""`task wait` says what it waits for a person for; `agent …` says who is the default and what was taken."""

from __future__ import annotations

from typing import Any

import pytest


def answer(status: str, reason: str = "", /, **needs: Any) -> dict[str, Any]:
    task = {"id": "t1", "status": status, "reason": reason, "detail": "", "needs_you": needs or None}
    return {"tasks": [task], "all_at_rest": status == "done"}


BLOCKED = answer(
    "blocked",
    "no_client",
    task="t1",
    status="blocked",
    why="no_client",
    type="toryo agent add w",
    lines=["toryo agent add w", "toryo task update t1 --agent x"],
)


def test_wait_says_once_what_it_waits_for_and_what_to_type(peer, typed):
    answers = [BLOCKED, BLOCKED, answer("running"), BLOCKED, answer("done")]
    there = peer(wait_tasks=lambda _: answers.pop(0))
    result = typed("task", "wait", "t1")
    said = (
        "t1 waits for you: blocked (no_client)\n  → toryo agent add w\n  → toryo task update t1 --agent x\n"
    )
    assert (result.code, result.out, result.err) == (0, "t1  done\n", said * 2)
    assert there.calls[1][1]["seen"] == {"t1": "blocked:no_client"}


def test_wait_that_gives_up_says_what_it_still_waits_for(peer, typed):
    peer(wait_tasks=BLOCKED)
    result = typed("task", "wait", "t1", "--timeout", "0.05")
    last = result.err.splitlines()[-1]
    assert (result.code, last) == (
        1,
        "Not at rest after 0.05 s: t1 waits for you, blocked (no_client) → toryo agent add w",
    )


def test_wait_names_the_task_behind_the_one_that_is_waited_for(peer, typed):
    behind = {"task": "t0", "status": "open", "why": "held: x", "type": "toryo task approve t0", "lines": []}
    answers = [answer("blocked", "dependency", **behind), answer("done")]
    peer(wait_tasks=lambda _: answers.pop(0))
    err = typed("task", "wait", "t1").err
    assert err == "t1 waits for t0, which waits for you: open (held: x)\n  → toryo task approve t0\n"


@pytest.fixture
def outside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return str(tmp_path)


def test_agent_add_says_that_it_is_the_default_what_it_took_and_what_waits(peer, typed, outside):
    agent = {"id": "w", "client": "claude", "slots": 1, "warnings": []}
    peer(add_agent={"agent": agent, "default_of": ["door"], "took": ["t1", "t2"], "waiting_tasks": 3})
    out = typed("agent", "add", "w", "--client", "claude").out.splitlines()
    assert out[1:] == [
        "It is the default agent of door now.",
        "It took the tasks that nobody could work on: t1, t2",
        "3 tasks wait for it.",
    ]


def test_agent_assign_can_make_it_the_default_and_remove_needs_everywhere(peer, typed, outside):
    there = peer(assign_agent={"agent": "w", "default_of": ["door"], "took": []}, remove_agent={"agent": "w"})
    out = typed("agent", "assign", "w", "--default").out
    assert out == "w works in the project here now.\nIt is the default agent of door now.\n"
    typed("agent", "remove", "w", "--everywhere")
    assert there.calls == [
        ("assign_agent", {"agent": "w", "default": True, "path": outside}),
        ("remove_agent", {"agent": "w", "everywhere": True, "path": outside}),
    ]
