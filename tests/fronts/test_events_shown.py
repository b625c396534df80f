"""What happened, in words for people and as JSON for programs."""

from __future__ import annotations

import json
import time

import pytest

from toryo.domain.event_kinds import PLUMBING
from toryo.fronts.cli.look.event_words import sentence

AT = "2026-11-15T08:00:00.106Z"
STATUS = {"status": "needs_review", "reason": "checks_failed", "detail": "make test"}
ONE = {"seq": 1, "at": AT, "kind": "task_status", "task": "t1", "title": "Mend it", "body": STATUS}
NARROWED = {"plumbing": False, "titles": True}


@pytest.fixture(autouse=True)
def in_tokyo(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def listed(*events: dict[str, object]) -> dict[str, object]:
    return {"events": list(events), "next_after": 9, "newest": 9}


def test_people_read_titles_words_and_their_own_time(peer, typed, monkeypatch):
    there = peer(list_events=listed(ONE, {**ONE, "task": None, "title": "", "project_name": "door"}))
    assert typed("events").out.splitlines() == [
        "2026-11-15 17:00:00  t1         Mend it: needs review (checks failed: make test)",
        "2026-11-15 17:00:00             door: needs review (checks failed: make test)",
    ]
    assert there.arguments_of("list_events") == {"last": 50, **NARROWED}
    monkeypatch.setattr("toryo.fronts.cli.look.events.columns", lambda: 40)
    assert typed("events").out.splitlines()[0] == "11-15 17:00:00  t1         Mend it: nee…"


def test_a_kind_a_place_and_plumbing_are_asked_for(peer, typed):
    there = peer(list_events=listed(ONE))
    typed("events", "--type", "order_reported", "--after", "4")
    asked = {"kind": "order_reported", "after": 4, "limit": 50, "titles": True}
    assert there.arguments_of("list_events") == asked
    typed("events", "--all", "--task", "t1")
    assert there.calls[-1][1] == {"last": 50, "task": "t1", "titles": True}


def test_a_task_that_was_cancelled_is_told_once(peer, typed):
    cancel = {**ONE, "kind": "task_cancel", "body": {"note": "not needed"}}
    over = {**ONE, "body": {"status": "cancelled", "reason": "", "detail": ""}}
    peer(list_events=listed(cancel, over, {**over, "task": "t2"}))
    told = [line.split(":", 3)[-1].strip() for line in typed("events").out.splitlines()]
    assert told == ["cancelled: not needed", "cancelled"]


def test_a_mistyped_kind_is_answered_with_the_one_that_was_meant(peer, typed):
    peer(list_events=listed())
    told = typed("events", "--type", "task_statuses")
    assert told.err == "There is no event of the kind 'task_statuses'. Did you mean task_status?\n"
    assert "Did you mean task_status" in typed("events", "--type", "ghost").err
    assert typed("events", "--type", "run_lost").err == ""


def test_programs_get_everything_as_it_is_unless_they_say_otherwise(peer, typed):
    there = peer(list_events=listed(ONE))
    assert json.loads(typed("events", "--json").out) == ONE
    assert there.calls[-1][1] == {"last": 50}
    typed("events", "--json", "--no-plumbing")
    assert there.calls[-1][1] == {"last": 50, "plumbing": False}


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        ("task_added", {"title": "x"}, "added"),
        ("task_approve", {"note": ""}, "approved"),
        ("task_retry", {"note": "use b"}, "is to be tried again: use b"),
        ("run_exited", {"exit_code": 3}, "the agent has ended (exit 3)"),
        ("run_exited", {"exit_code": None, "signal": "SIGKILL"}, "the agent was ended by SIGKILL"),
        (
            "check_finished",
            {"command": "make test", "result": "could_not_run"},
            "check make test could not run",
        ),
        ("target_published", {"target": "main", "commit": "a" * 40}, f"main is at {'a' * 12} now"),
        ("something_new", {"x": 1, "y": "", "z": None}, "something new x=1"),
        ("run_told", {"text": "a\nb {c}"}, "a person says: a b {c}"),
    ],
)
def test_each_kind_has_words_of_its_own(kind, body, words):
    assert sentence({"kind": kind, "body": body}) == words


def test_no_plumbing_needs_a_sentence():
    from toryo.fronts.cli.look.event_words import _SENTENCES

    assert not PLUMBING & set(_SENTENCES)
