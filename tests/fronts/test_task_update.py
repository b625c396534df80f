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


def test_the_whole_list_of_what_a_task_comes_after_is_sent(peer, typed):
    there = peer(update_task=updated(status="blocked", reason="dependency"))
    result = typed("task", "update", "t1", "--after", "t2", "--after", "t3", "--title", "new")
    assert (result.code, result.out) == (0, "t1 comes after t2, t3 now, and has a new title.\n")
    assert there.arguments_of("update_task") == {"task": "t1", "title": "new", "after": ["t2", "t3"]}


def test_no_after_takes_all_away(peer, typed):
    there = peer(update_task=updated())
    result = typed("task", "update", "t1", "--no-after")
    assert (result.code, result.out) == (0, "t1 comes after no other task now.\n")
    assert there.arguments_of("update_task") == {"task": "t1", "after": []}


def test_after_and_no_after_together_make_no_command(peer, typed):
    there = peer(update_task=updated())
    result = typed("task", "update", "t1", "--after", "t2", "--no-after")
    assert (result.code, result.out, there.calls) == (2, "", [])
    assert result.err.splitlines()[0] == "Error: Argument --no-after: not allowed with argument --after."
