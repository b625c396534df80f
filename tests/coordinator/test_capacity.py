"""Capacity of a coordinator: its own live runs, without those that only wait for their children."""

from __future__ import annotations

from toryo.coordinator.claims import Capacity
from toryo.place.order_set import OrderSet


def capacity(most: int, *live: str) -> Capacity:
    return Capacity(most, lambda: frozenset(live), OrderSet(), grace_s=60)


def test_a_run_that_only_waits_for_its_children_takes_no_place() -> None:
    mine = capacity(2, "r1", "r2")
    assert mine.is_full()
    mine.rest("p1", frozenset({"r1"}))
    assert not mine.is_full()
    mine.claimed("r3")
    assert mine.is_full(), "its child has the place"


def test_what_rests_is_known_project_by_project_and_anew_each_time() -> None:
    mine = capacity(2, "r1", "r2")
    mine.rest("p1", frozenset({"r1"}))
    mine.rest("p2", frozenset())
    assert not mine.is_full(), "another project says nothing about it"
    mine.rest("p1", frozenset())
    assert mine.is_full(), "its children are at rest: it works again"


def test_a_claimed_run_that_rests_takes_no_place_either() -> None:
    mine = capacity(1)
    mine.claimed("r1")
    assert mine.is_full()
    mine.rest("p1", frozenset({"r1"}))
    assert not mine.is_full()
