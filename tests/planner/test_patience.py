"""How long is waited before a model is asked again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from toryo.planner.models.model import ModelRefused, NoReply, Outage, TooLong, UsageLimit
from toryo.planner.patience import pause

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def seconds(trouble: NoReply, attempt: int = 1) -> float:
    found = pause(trouble, attempt, NOW)
    assert found is not None
    return found.seconds


def test_an_outage_is_waited_for_longer_each_time_and_at_most_a_minute():
    assert [seconds(Outage("x"), n) for n in (1, 2, 3, 6, 7, 1000)] == [1, 2, 4, 32, 60, 60]


def test_what_the_service_wants_is_the_least():
    assert seconds(Outage("x", after_s=90), 1) == 90
    assert seconds(Outage("x", after_s=0.5), 4) == 8


def test_a_limit_is_waited_for_until_its_end_but_looked_at_every_quarter_of_an_hour():
    assert seconds(UsageLimit("x", until="2026-03-01T12:05:00Z")) == 300
    assert seconds(UsageLimit("x", until="2026-03-02T12:05:00+00:00")) == 900
    assert seconds(UsageLimit("x", until="2026-03-01T11:00:00Z")) == 1
    assert seconds(UsageLimit("x")) == seconds(UsageLimit("x", until="soon")) == 900


@pytest.mark.parametrize("refused", [ModelRefused("x"), TooLong("x")])
def test_a_refusal_is_not_waited_for(refused):
    assert pause(refused, 1, NOW) is None
