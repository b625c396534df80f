"""From check results to a gate's verdict (CONTRACTS, Gate)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.words import MAY_LAND, CheckResult, Verdict
from toryo.reconciler.subjects import CheckFacts, CheckSpec, GateFacts
from toryo.reconciler.verification import INTERRUPTIONS, decide_gate

PASSED, FAILED, COULD_NOT = CheckResult.PASSED, CheckResult.FAILED, CheckResult.COULD_NOT_RUN
INTERRUPTED = "interrupted"

results = st.lists(st.sampled_from((PASSED, FAILED, COULD_NOT, INTERRUPTED)), max_size=7)


def attempts(command: str, *outcomes: str) -> tuple[CheckFacts, ...]:
    return tuple(
        CheckFacts(command, number, COULD_NOT, interrupted=True)
        if outcome == INTERRUPTED
        else CheckFacts(command, number, CheckResult(outcome))
        for number, outcome in enumerate(outcomes, 1)
    )


def a_gate(*commands: str, results: Sequence[CheckFacts] = (), **given: object) -> GateFacts:
    return GateFacts("g1", tuple(CheckSpec(one) for one in commands), tuple(results), **given)


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ((PASSED,), Verdict.GREEN),
        ((FAILED, PASSED), Verdict.FLAKY),
        ((FAILED, FAILED), Verdict.RED),
        ((COULD_NOT,), Verdict.COULD_NOT_RUN),
        ((FAILED, COULD_NOT), Verdict.COULD_NOT_RUN),
        ((INTERRUPTED, PASSED), Verdict.GREEN),
        ((INTERRUPTED, FAILED, INTERRUPTED, PASSED), Verdict.FLAKY),
        ((FAILED, INTERRUPTED, FAILED), Verdict.RED),
        ((INTERRUPTED,) * INTERRUPTIONS, Verdict.COULD_NOT_RUN),
        ((), None),
        ((FAILED,), None),
        ((INTERRUPTED,) * (INTERRUPTIONS - 1), None),
    ],
)
def test_one_check_decides_by_its_counted_attempts(outcomes, verdict):
    assert decide_gate(a_gate("test", results=attempts("test", *outcomes))).verdict == verdict


def test_a_gate_without_checks_is_unchecked():
    assert decide_gate(a_gate()).verdict is Verdict.UNCHECKED


def test_a_failed_goal_is_red_even_without_checks():
    assert decide_gate(a_gate(goals_failed=("**/*.test.*",))).verdict is Verdict.RED
    green = attempts("test", PASSED)
    assert decide_gate(a_gate("test", results=green, goals_failed=("src/**",))).verdict is Verdict.RED


def test_the_first_check_that_does_not_pass_decides_and_later_ones_are_not_run():
    gate = a_gate("lint", "test", results=attempts("lint", FAILED, FAILED))
    assert decide_gate(gate).verdict is Verdict.RED
    assert decide_gate(gate).order is None


def test_one_flaky_check_makes_the_gate_flaky():
    done = (*attempts("lint", PASSED), *attempts("test", FAILED, PASSED))
    assert decide_gate(a_gate("lint", "test", results=done)).verdict is Verdict.FLAKY


def test_checks_are_ordered_one_after_the_other():
    first = decide_gate(a_gate("lint", "test")).order
    assert (first.command, first.attempt, first.key) == ("lint", 1, "check/g1/0/1")
    second = decide_gate(a_gate("lint", "test", results=attempts("lint", PASSED))).order
    assert (second.command, second.attempt, second.key) == ("test", 1, "check/g1/1/1")


def test_a_failed_check_is_repeated_once_under_the_next_number():
    again = decide_gate(a_gate("test", results=attempts("test", INTERRUPTED, FAILED))).order
    assert (again.attempt, again.key) == (3, "check/g1/0/3")


def test_a_check_that_is_ordered_is_not_ordered_again():
    assert decide_gate(a_gate("test", ordered=frozenset({("test", 1)}))).order is None


@given(results, results, st.randoms())
def test_the_order_in_which_results_came_does_not_matter(lint, test, chance):
    told = [*attempts("lint", *lint), *attempts("test", *test)]
    mixed = list(told)
    chance.shuffle(mixed)
    assert decide_gate(a_gate("lint", "test", results=mixed)) == decide_gate(
        a_gate("lint", "test", results=told)
    )


@given(results)
def test_an_interrupted_attempt_never_counts(outcomes):
    counted = [one for one in outcomes if one != INTERRUPTED]
    if len(outcomes) - len(counted) < INTERRUPTIONS:
        with_them = decide_gate(a_gate("test", results=attempts("test", *outcomes))).verdict
        assert with_them == decide_gate(a_gate("test", results=attempts("test", *counted))).verdict


@given(st.lists(results, min_size=1, max_size=3))
def test_nothing_may_land_without_a_pass_of_every_check(outcomes):
    names = [f"check {number}" for number in range(len(outcomes))]
    told = [fact for name, one in zip(names, outcomes, strict=True) for fact in attempts(name, *one)]
    decision = decide_gate(a_gate(*names, results=told))
    if decision.verdict in MAY_LAND:
        passed = {fact.command for fact in told if fact.result is PASSED}
        assert passed == set(names)


@given(st.lists(results, max_size=3))
def test_a_gate_has_a_verdict_or_waits_for_exactly_one_check(outcomes):
    names = [f"check {number}" for number in range(len(outcomes))]
    told = [fact for name, one in zip(names, outcomes, strict=True) for fact in attempts(name, *one)]
    decision = decide_gate(a_gate(*names, results=told))
    assert (decision.verdict is None) == (decision.order is not None)
