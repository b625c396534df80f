"""A coordinator that does not speak is unseen after three intervals, and nothing more follows from that."""

from __future__ import annotations

from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from toryo.reconciler.decide import decide_coordinator
from toryo.reconciler.decisions import CoordinatorDecision
from toryo.reconciler.subjects import CoordinatorFacts, Policy

POLICY = Policy()


def a_coordinator(seen_at: float, **given: object) -> CoordinatorFacts:
    return CoordinatorFacts("m/main", interval_s=10, seen_at=seen_at, **given)


def test_it_is_unseen_when_three_intervals_have_passed():
    assert decide_coordinator(a_coordinator(100), POLICY, 129) == CoordinatorDecision(False, 130)
    assert decide_coordinator(a_coordinator(100), POLICY, 130) == CoordinatorDecision(True, None)


@given(st.floats(0, 1e9), st.floats(0, 1e6), st.booleans())
def test_the_next_look_is_exactly_when_it_would_become_unseen(seen_at, later, was_unseen):
    decision = decide_coordinator(a_coordinator(seen_at, unseen=was_unseen), POLICY, seen_at + later)
    if decision.look_at is not None:
        assert decide_coordinator(a_coordinator(seen_at), POLICY, decision.look_at).unseen
    assert decision.unseen == (decision.look_at is None)


def test_an_unseen_coordinator_has_no_order_and_no_end_in_its_decision():
    assert {field.name for field in fields(CoordinatorDecision)} == {"unseen", "look_at"}
