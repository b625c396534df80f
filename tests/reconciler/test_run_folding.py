"""A run's raw facts joined: whatever order they came in, the first exit record wins."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.words import Outcome
from toryo.reconciler.folding import RawFact, RunFold, fold_run

PREPARED = RawFact("prepared", {"head": "c0", "worktree": "/w"}, 1)
NOT_PREPARED = RawFact("prepared", {"problem": {"code": "no_base", "message": "gone"}}, 1)
STARTED = RawFact("started", {}, 2)
COLLECTED = RawFact("collected", {"head": "c1", "commits": 1}, 9)


def exited(at: float = 5, **body: object) -> RawFact:
    return RawFact("exited", {"exit_code": 0, **body}, at)


def test_a_run_without_facts_is_live():
    assert fold_run([]) == RunFold(live=True, outcome=Outcome.RUNNING)


@pytest.mark.parametrize(
    ("body", "outcome", "reason"),
    [
        ({}, Outcome.SUCCEEDED, ""),
        ({"exit_code": 3}, Outcome.FAILED, ""),
        ({"exit_code": None, "signal": "SIGKILL"}, Outcome.FAILED, ""),
        ({"exit_code": 0, "signal": "SIGTERM"}, Outcome.FAILED, ""),
        ({"exit_code": None, "signal": "SIGTERM", "timed_out": True}, Outcome.TIMED_OUT, ""),
        ({"exit_code": 0, "timed_out": True}, Outcome.TIMED_OUT, ""),
        ({"exit_code": 0, "stopped": True}, Outcome.CANCELLED, "stopped"),
        ({"exit_code": None, "could_not_start": "no file"}, Outcome.FAILED, "could_not_start:no file"),
    ],
)
def test_exit_code_signal_and_time_limit_decide_the_outcome(body, outcome, reason):
    fold = fold_run([PREPARED, STARTED, exited(**body)])
    assert (fold.live, fold.outcome, fold.outcome_reason, fold.ended_at) == (False, outcome, reason, 5)


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("lost", Outcome.LOST),
        ("released", Outcome.UNKNOWN),
        ("withdrawn", Outcome.CANCELLED),
        ("reported", Outcome.UNKNOWN),
        ("expired", Outcome.LOST),
    ],
)
def test_other_positive_facts_end_a_run_and_never_as_a_success(kind, outcome):
    fold = fold_run([PREPARED, RawFact(kind, {}, 6)])
    assert (fold.live, fold.outcome, fold.ended_at) == (False, outcome, 6)


def test_a_preparation_left_because_the_target_moved_withdraws_the_run_and_is_no_failure():
    moved = RawFact("prepared", {"problem": {"code": "target_moved", "message": "main was moved"}}, 1)
    fold = fold_run([moved])
    assert (fold.live, fold.outcome, fold.outcome_reason) == (
        False,
        Outcome.CANCELLED,
        "withdrawn:target_moved",
    )


def test_a_prepare_that_failed_ends_the_run_with_its_problem():
    fold = fold_run([NOT_PREPARED])
    assert (fold.live, fold.outcome) == (False, Outcome.FAILED)
    assert fold.outcome_reason == "prepare:no_base: gone"


@pytest.mark.parametrize("kind", ["started", "stopped", "collected", "cleaned"])
def test_what_is_said_on_the_way_ends_nothing(kind):
    assert fold_run([PREPARED, RawFact(kind, {}, 3)]).live


def signs(n: int, at: float, asks: str = "", silent_s: float | None = None) -> RawFact:
    return RawFact("signs", {"n": n, "asks": asks, "silent_s": silent_s}, at)


def test_the_newest_signs_hold_in_whatever_order_they_came():
    told = [signs(1, 10.0, "Which colour?"), signs(2, 20.0, "Which colour?", 12.5), signs(3, 20.0)]
    assert fold_run(told[:1]).signs == {"asks": "Which colour?", "silent_since": None}
    for order in (told[:2], [*reversed(told[:2]), told[0]]):
        assert fold_run(order).signs == {"asks": "Which colour?", "silent_since": 7.5}
    assert fold_run([told[2], told[0], told[1]]).signs is None


def test_a_run_that_is_over_asks_nothing_and_is_not_silent():
    over = RawFact("exited", {"exit_code": 0}, 30.0)
    assert fold_run([signs(1, 10.0, "Which colour?", 3.0), over]).signs is None


def test_an_exit_record_is_stronger_than_a_loss_or_a_release():
    for other in ("lost", "released", "expired", "reported"):
        assert fold_run([RawFact(other, {}, 3), exited(at=8)]).outcome is Outcome.SUCCEEDED


def test_the_first_exit_record_wins():
    fold = fold_run([exited(at=7, exit_code=3), exited(at=5, exit_code=0)])
    assert (fold.exit_code, fold.ended_at) == (0, 5)


@pytest.mark.parametrize("end", [exited(), exited(exit_code=3), RawFact("lost", {}, 5)])
def test_the_order_of_facts_does_not_matter(end):
    folds = {repr(fold_run(order)) for order in permutations([PREPARED, STARTED, end, COLLECTED])}
    assert len(folds) == 1


facts = st.sampled_from(
    (
        PREPARED,
        STARTED,
        COLLECTED,
        exited(),
        RawFact("lost", {}, 4),
        RawFact("released", {}, 3),
        RawFact("stopped", {}, 3),
    )
)


@given(st.lists(facts, max_size=8), st.randoms())
def test_repeated_and_shuffled_facts_fold_to_the_same(told, chance):
    mixed = [*told, *told]
    chance.shuffle(mixed)
    assert fold_run(mixed) == fold_run(told)


@given(st.lists(facts, max_size=8))
def test_only_an_exit_record_of_zero_is_a_success(told):
    fold = fold_run(told)
    assert (fold.outcome is Outcome.SUCCEEDED) == (exited() in told)
    assert fold.live == (not any(fact.kind in ("exited", "lost", "released") for fact in told))


def test_a_lost_run_that_a_person_had_asked_to_stop_says_so_in_whatever_order():
    facts = (PREPARED, STARTED, RawFact("stop_asked", {}, 4), RawFact("lost", {}, 6))
    folds = {(fold.outcome, fold.outcome_reason) for fold in map(fold_run, permutations(facts))}
    assert folds == {(Outcome.LOST, "stopped")}
    assert fold_run([PREPARED, STARTED, RawFact("stop_asked", {}, 4)]).live
