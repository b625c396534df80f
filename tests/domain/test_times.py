"""Moments as text."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.times import iso


def test_a_moment_is_iso_8601_in_utc_with_a_z():
    assert iso(0) == "1970-01-01T00:00:00.000Z"
    assert iso(1_700_000_000.25) == "2023-11-14T22:13:20.250Z"


def test_no_moment_is_none():
    assert iso(None) is None


@given(st.floats(0, 4e9))
def test_a_moment_can_be_read_back_to_the_millisecond(seconds):
    read = datetime.fromisoformat(iso(seconds))
    assert read.tzinfo == UTC
    assert abs(read.timestamp() - seconds) < 0.0011


@given(st.floats(0, 4e9), st.floats(0, 4e9))
def test_moments_sort_as_text_as_they_do_in_time(one, other):
    if one <= other:
        assert iso(one) <= iso(other)
