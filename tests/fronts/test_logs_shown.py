"""A run's log for a person: when it was, what was said to the agent, its last lines, the pager."""

from __future__ import annotations

import json
import time

import pytest

from toryo.fronts.cli.look import log

RUN = {"run": "r1", "task": "t1", "agent": "coder", "started_at": "2026-11-15T08:00:00Z"}
OVER = {"ended": True, "ended_at": "2026-11-15T08:01:30Z", "outcome": "succeeded"}


@pytest.fixture(autouse=True)
def in_tokyo(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def a_log(text: str, **more: object) -> dict[str, object]:
    return {**RUN, "text": text, "next_offset": 0, "ended": False, **more}


def test_a_log_has_its_runs_start_and_end_in_local_time(peer, typed):
    peer(read_log=a_log("it works\n", **OVER))
    assert typed("log", "t1").out.splitlines() == [
        "── r1 of t1 by coder, began 2026-11-15 17:00:00",
        "it works",
        "── succeeded 17:01:30 after 1 min 30 s",
    ]
    assert typed("log", "t1", "--raw").out == "it works\n"


def test_entries_have_their_own_times_and_what_was_said_stands_among_them(peer, typed):
    said = {"line": 2, "text": "Use port 80.\nNot 81.", "state": "heard", "said_at": "2026-11-15T08:00:40Z"}
    late = {**said, "line": 3, "text": "Hurry", "state": "unheard"}
    times = [[0, "2026-11-15T08:00:30Z"], [2, "2026-11-15T08:00:50Z"]]
    peer(read_log=a_log("one\nmore\ntwo\n", times=times, said=[said, late]))
    assert typed("log", "t1").out.splitlines()[1:] == [
        "17:00:30  one",
        "          more",
        "» 17:00:40 a person said: Use port 80.",
        "»   Not 81.",
        "17:00:50  two",
        "» 17:00:40 a person said (not heard): Hurry",
    ]


def test_the_last_lines_are_asked_for_and_no_more_are_shown(peer, typed):
    def answer(arguments: dict[str, object]) -> dict[str, object]:
        at = [[0, "2026-11-15T08:00:00Z"], [2, "2026-11-15T08:00:09Z"]]
        begun = a_log("a\nb\nc\n", next_offset=90, times=at)
        return begun if arguments.get("tail") else a_log("d\n" * (arguments["offset"] == 90), next_offset=92)

    there = peer(read_log=answer)
    assert typed("log", "t1", "-n", "2").out == "17:00:09  c\n          d\n"
    assert [one.get("tail") for _, one in there.calls] == [2, None, None]
    told = json.loads(typed("log", "t1", "--tail", "2", "--json").out)
    assert (told["text"], told["times"]) == ("c\nd\n", [[0, "2026-11-15T08:00:09Z"]])


def test_a_log_that_is_followed_never_waits_in_a_pager(peer, typed, monkeypatch):
    monkeypatch.setattr(log, "Paged", None)
    peer(read_log=a_log("it works\n", **OVER))
    assert "it works" in typed("log", "-f", "t1").out


def test_a_search_shows_the_lines_and_goes_on_until_all_was_looked_through(peer, typed):
    told = [
        {"matches": [{"start": 0, "text": "an error"}], "next_offset": 100, "ended": False},
        {"matches": [{"start": 120, "text": "Error 2"}], "next_offset": 200, "ended": True},
    ]
    there = peer(search_log=lambda asked: {"run": "r1", **told[1 if asked.get("offset") else 0]})
    assert typed("log", "t1", "--search", "error", "-i").out == "an error\nError 2\n"
    calls = [asked for tool, asked in there.calls if tool == "search_log"]
    assert [(asked["run"], asked.get("offset", 0), asked["any_case"]) for asked in calls] == [
        ("t1", 0, True),
        ("r1", 100, True),
    ]
    found = json.loads(typed("log", "t1", "--search", "error", "--json").out)
    assert [one["start"] for one in found["matches"]] == [0, 120]


def test_a_search_of_a_log_that_still_grows_ends_where_it_ends_now(peer, typed):
    peer(search_log={"run": "r1", "matches": [], "next_offset": 0, "ended": False})
    said = typed("log", "r1", "--search", "none")
    assert (said.out, said.err) == ("", "No line of r1 holds 'none'.\n")
