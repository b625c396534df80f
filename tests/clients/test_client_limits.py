"""Words by which services ask to wait, and the moment they name."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from toryo.workbench.clients.limits import error_code, limited, reset_time

NOW = datetime(2026, 11, 15, 14, 0, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("Claude AI usage limit reached|1794764018", "2026-11-15T17:33:38.000Z"),
        ("You've hit your 5-hour limit · resets 5:33pm (UTC)", "2026-11-15T17:33:00.000Z"),
        ("You've hit your limit · resets 3pm (America/New_York)", "2026-11-15T20:00:00.000Z"),
        ("Your limit will reset at 9am (Asia/Tokyo)", "2026-11-16T00:00:00.000Z"),
        ("weekly limit reached ∙ resets Nov 18, 12am (UTC)", "2026-11-18T00:00:00.000Z"),
        ("weekly limit reached ∙ resets Jan 2, 12pm (UTC)", "2027-01-02T12:00:00.000Z"),
        ("or try again in 3 days 4 hours 5 minutes.", "2026-11-18T17:05:00.000Z"),
        ("Please retry in 41.5s.", "2026-11-15T13:00:41.500Z"),
        ("Your quota will reset after 2h3m4s.. Retrying", "2026-11-15T15:03:04.000Z"),
        ("Please try again in 250ms", "2026-11-15T13:00:00.250Z"),
        ("limited until 2026-11-16T01:02:03Z", "2026-11-16T01:02:03.000Z"),
        ("limited until 2026-11-16 01:02:03+09:00", "2026-11-15T16:02:03.000Z"),
        ('{"resets_at":1794764018}', "2026-11-15T17:33:38.000Z"),
        ("try again at 99:99 PM", ""),
        ("resets Feb 31, 3pm (UTC)", ""),
        ("Rate limit reached.", ""),
    ],
)
def test_the_moment_of_a_reset_is_read(text, moment):
    assert reset_time(text, NOW) == moment


def test_a_time_of_day_without_a_zone_is_of_this_machine():
    now = datetime(2026, 11, 15, 14, 0, tzinfo=timezone(timedelta(0)))
    here = now.astimezone()
    today = here.replace(hour=17, minute=5)
    wanted = today if today > here else today + timedelta(days=1)
    assert reset_time("try again at 5:05 PM.", now)[:16] == wanted.astimezone(now.tzinfo).isoformat()[:16]
    assert reset_time("try again at Nov 20th, 2026 5:05 PM.", now).startswith("2026-11-2")


@pytest.mark.parametrize(
    ("message", "status", "why"),
    [
        ("anything", 429, "usage_limit"),
        ("anything", 529, "outage"),
        ("anything", 503, "outage"),
        ("API Error: Connection refused (ECONNREFUSED)", None, "outage"),
        ("exceeded retry limit, last status: 429 Too Many Requests", None, "usage_limit"),
        ("Overloaded", None, "outage"),
    ],
)
def test_the_status_decides_and_else_the_words(message, status, why):
    assert limited(message, status=status, now=NOW).why == why


@pytest.mark.parametrize(
    ("message", "status"), [("rate limit in the prompt", 400), ("quota", 401), ("the tests fail", None)]
)
def test_what_waiting_would_not_mend_is_no_limit(message, status):
    assert limited(message, status=status, now=NOW) is None


def test_a_moment_from_a_header_goes_before_the_words():
    found = limited("resets 5pm (UTC)", status=429, resets=1_794_764_018, now=NOW)
    assert found.resets_at == "2026-11-15T17:33:38.000Z"


def test_login_is_told_apart():
    assert error_code("x", 401) == "login"
    assert error_code("Invalid API key · Please run /login") == "login"
    assert error_code("boom", 500) == "api_error"
