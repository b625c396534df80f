"""`toryo task update`: fields and wishes reach the daemon; done is only evaluated."""

from __future__ import annotations

import json

import pytest


def updated(**more: object) -> dict[str, object]:
    return {"id": "t1", "status": "ready", "reason": "", "missing": [], **more}


def test_update_sends_only_what_was_named(peer, typed):
    there = peer(update_task=updated())
    words = ["--status", "open", "--title", "new", "-d", "", "-p", "low", "--agent", "coder", "-t", "bug"]
    told = "t1 is coder's now, and has a new title, description, priority and type.\nt1 is ready.\n"
    assert typed("task", "update", "t1", *words).out == told
    assert there.calls == [
        (
            "update_task",
            {
                "task": "t1",
                "status": "open",
                "title": "new",
                "description": "",
                "priority": "low",
                "agent": "coder",
                "type": "bug",
            },
        )
    ]
    typed("task", "update", "t1", "--title", "only this")
    assert there.arguments_of("update_task") == {"task": "t1", "title": "only this"}


def test_a_task_that_is_not_done_exits_1_and_names_every_missing_fact(peer, typed):
    facts = ["a run with exit code 0: r1 exited 3", "a commit beyond the base"]
    peer(update_task=updated(status="failed", reason="exit:3", missing=facts))
    result = typed("task", "update", "t1", "--status", "done")
    assert (result.code, result.err) == (1, "")
    assert result.out.splitlines() == [
        "t1 is failed (exit:3).",
        "missing: a run with exit code 0: r1 exited 3",
        "missing: a commit beyond the base",
    ]
    as_json = typed("task", "update", "t1", "--status", "done", "--json")
    assert (as_json.code, json.loads(as_json.out)["missing"]) == (1, facts)


def test_a_task_that_is_done_exits_0(peer, typed):
    peer(update_task=updated(status="done"))
    result = typed("task", "update", "t1", "--status", "done")
    assert (result.code, result.out) == (0, "t1 is done.\n")


@pytest.mark.parametrize("status", ["open", "cancelled"])
def test_another_wish_exits_0_whatever_is_still_missing(peer, typed, status):
    peer(update_task=updated(missing=["a run"]))
    result = typed("task", "update", "t1", "--status", status)
    assert (result.code, result.out) == (0, "t1 is ready.\n")


def test_in_progress_is_refused_by_the_daemon_with_its_hint(peer, typed):
    hint = "toryo session start t1 --agent NAME"
    peer(update_task={"success": False, "error": "Only a run makes it so.", "hint": hint})
    result = typed("task", "update", "t1", "--status", "in_progress")
    assert (result.code, result.err) == (1, f"Error: Only a run makes it so.\nHint: {hint}\n")
