"""Usage limits of real CLIs: the run is parked, the account waits, and the same conversation goes on."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from crew_house import LONG_S, Crew, crew, part, writes

from toryo.workbench.clients.limits import reset_time
from waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * LONG_S)]

SUBSCRIPTION = {"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_OAUTH_TOKEN": "rehearsal-no-token-0000"}
"""With an API key, Claude Code does not say when the limit ends."""
BEGUN = {"write": {"path": "src/begun.txt", "text": "half\n"}}


def limited(after_s: float) -> tuple[dict[str, Any], ...]:
    return (
        part("Add a file", *writes("src/end.txt"), when="stopped by a usage limit"),
        part("Add a file", BEGUN, {"limit": {"after_s": after_s}}),
        part("Another", *writes("src/other.txt")),
    )


def parked(house: Crew, task: str) -> dict[str, Any]:
    return house.until(task, lambda one: one["reason"] == "parked", what="the run is parked")


def seconds(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp()


def went_on(house: Crew, task: str) -> None:
    """The same conversation: what the model was asked at last holds what it had been asked first."""
    runs = house.task(task)["runs"]
    assert [run["outcome"] for run in runs] == ["parked"] * (len(runs) - 1) + ["succeeded"]
    assert len({run["conversation"] for run in runs}) == 1
    asked = house.requests("Add a file")
    begun = next(one for one in asked if one["verb"] == "write" and one["part"] == 2)
    limit = next(one for one in asked if one["verb"] == "limit")
    again = next(one for one in asked if one["part"] == 1)
    assert begun["at"] < limit["at"] < again["at"]
    assert "src/begun.txt" in json.dumps(again["body"]), "what it had done before the limit is in its words"
    assert {"src/begun.txt", "src/end.txt"} <= house.files_on()


def test_claude_goes_on_with_its_conversation_when_the_limit_ends_and_nothing_starts_before() -> None:
    with crew("claude", *limited(after_s=20), worker=("--slots", "2"), **SUBSCRIPTION) as house:
        task = house.add("Add a file")
        shown = parked(house, task)
        (run,) = shown["runs"]
        assert (run["outcome"], run["exit_code"]) == ("parked", 1)
        told = f"usage limit of claude until {run['parked_until'][:16].replace('T', ' ')} UTC"
        assert told in house.ok("task", "show", task)
        other = house.add("Another")
        assert house.task(other)["waiting_for"] == told
        (account,) = house.read("status")["parked"]
        assert (account["client"], account["why"], account["tasks"]) == ("claude", "usage_limit", [task])
        house.lands(task, other)
        went_on(house, task)
        limit = next(one for one in house.requests("Add a file") if one["verb"] == "limit")
        ends = seconds(run["parked_until"])
        assert abs(ends - (limit["at"] + 20)) < 2
        assert all(seconds(house.run(one)["started_at"]) >= ends for one in (task, other))
        assert len(house.task(task)["runs"]) == 2


def test_a_person_ends_the_waiting_of_codex_and_its_conversation_goes_on() -> None:
    with crew("codex", *limited(after_s=3)) as house:
        # it says the minute only: the limit must not end in the next one
        eventually(lambda: time.localtime().tm_sec < 40, within_s=30, what="the beginning of a minute")
        task = house.add("Add a file")
        (run,) = parked(house, task)["runs"]
        assert "try again at" in run["reason"]
        assert 0 < seconds(run["parked_until"]) - seconds(run["ended_at"]) <= 60, "a minute is all it says"
        limit = next(one for one in house.requests("Add a file") if one["verb"] == "limit")
        eventually(lambda: time.time() > limit["at"] + 3, within_s=30, what="the limit is over")
        house.ok("task", "retry", task)
        house.lands(task)
        went_on(house, task)


@pytest.mark.parametrize(
    ("now", "moment"),
    [
        ("16:28:50", "2026-11-15T16:29:00"),
        ("16:29:40", "2026-11-15T16:30:00"),
        ("16:30:00", "2026-11-16T16:29:00"),
    ],
)
def test_a_minute_that_is_not_over_is_waited_for_and_not_the_same_one_of_tomorrow(
    now: str, moment: str
) -> None:
    here = datetime.fromisoformat(f"2026-11-15T{now}").replace(tzinfo=UTC)
    assert reset_time("resets 4:29pm (UTC)", here) == f"{moment}.000Z"


RECONNECTS = {"cli_args": ["-c", "model_providers.rehearsal.stream_max_retries=50"]}


@pytest.mark.parametrize("client", ["codex", "opencode"])
def test_a_cli_that_waits_for_its_service_in_silence_is_stopped_and_parked(client: str) -> None:
    trouble = {"limit": {"after_s": 3600}} if client == "opencode" else {"error": 503}
    settings = {"silent_after": 3, "polling_interval": 0.5, "ai_providers": {"codex": RECONNECTS}}
    with crew(client, part("Wait", trouble), settings=settings) as house:
        task = house.add("Wait")
        (run,) = parked(house, task)["runs"]
        assert run["reason"].startswith("usage_limit:" if client == "opencode" else "outage:Reconnecting...")
        assert (run["live"], run["commits"]) == (False, 0)
        assert seconds(run["parked_until"]) > seconds(run["ended_at"])
        assert run["conversation"]
        assert house.pids_of_runs() == []
