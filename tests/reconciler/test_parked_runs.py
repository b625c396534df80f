"""Runs that a usage limit or an outage stopped: how long the account waits, and what follows for the task."""

from __future__ import annotations

from typing import Any

import pytest
from fact_builders import FAILED, POLICY, a_landing, a_run, decide, said, shown, work
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.words import Outcome, Purpose, Verb
from toryo.reconciler.folding import RawFact, fold_run
from toryo.reconciler.parking import LONGEST_SAID_S, described, wait_until
from toryo.reconciler.problems import Problem
from toryo.reconciler.subjects import RunFacts

AT = 1_800_000_000.0
"""2027-01-15 08:00:00 UTC"""
EMPTY = work(0)


def a_parked_run(generation: int = 1, **facts: Any) -> RunFacts:
    why = {
        "parked": Problem("usage_limit"),
        "client": "claude",
        "parked_until": AT,
        "exit_code": 1,
        "collected": EMPTY,
    }
    return a_run(generation, **{**why, **facts})


@pytest.mark.parametrize(
    ("said_moment", "waits_s"),
    [
        ("2027-01-15T08:00:30Z", 30),
        ("2027-01-15T09:05:00+00:00", 3900),
        ("2027-01-15T17:05:00+09:00", 300),
        ("2027-01-15T08:10:00", 600),
        ("", 60),
        ("soon", 60),
        ("2027-01-15T07:00:00Z", 60),
        ("2099-01-01T00:00:00Z", 60),
    ],
)
def test_the_moment_the_client_names_counts_if_it_can_be_one(said_moment, waits_s):
    assert wait_until(said_moment, AT, 0) == AT + waits_s


def test_without_a_moment_the_waits_double_up_to_half_an_hour():
    assert [wait_until("", AT, waited) - AT for waited in range(7)] == [60, 120, 240, 480, 960, 1800, 1800]


@given(st.text(max_size=30), st.integers(0, 100_000))
def test_a_wait_is_never_in_the_past_and_never_without_end(text, waited):
    assert AT < wait_until(text, AT, waited) <= AT + LONGEST_SAID_S


def parked(resets_at: str = "") -> RawFact:
    limited = {"why": "outage", "message": "", "resets_at": resets_at}
    return RawFact("exited", {"exit_code": 1, "said": {"result": "none", "limited": limited}}, AT)


def test_a_parked_run_has_ended_and_knows_until_when():
    fold = fold_run([parked()], 2)
    assert (fold.live, fold.outcome, fold.outcome_reason) == (False, Outcome.PARKED, "outage")
    assert (fold.parked_until, fold.exit_code) == (AT + 240, 1)


def test_a_person_ends_the_waiting_and_the_run_stays_parked():
    unparked = RawFact("unparked", {"by": "operator"}, AT + 5)
    for told in ([parked(), unparked], [unparked, parked()]):
        fold = fold_run(told)
        assert (fold.outcome, fold.parked_until) == (Outcome.PARKED, None)


def test_what_is_waited_for_is_told_with_the_client_and_the_moment():
    assert described("usage_limit", "claude", AT) == "usage limit of claude until 2027-01-15 08:00 UTC"
    assert described("outage", "", None) == "outage of its client"


@pytest.mark.parametrize("purpose", [Purpose.IMPLEMENT, Purpose.FIX, Purpose.RESOLVE])
def test_after_a_parked_run_comes_one_of_the_same_purpose(purpose):
    decision = decide(a_parked_run(purpose=purpose, parked=Problem("usage_limit", "5-hour limit")))
    assert (shown(decision), decision.purpose) == ("ready parked", purpose)
    assert decision.detail == "usage limit of claude until 2027-01-15 08:00 UTC: 5-hour limit"


def test_a_parked_run_is_collected_like_any_other():
    decision = decide(a_parked_run(collected=None))
    assert shown(decision) == "verifying collecting"
    assert [order.key for order in decision.orders] == ["collect/r1/1"]


def test_a_parked_run_costs_no_fix_credit():
    fixes = [a_run(2, Purpose.FIX), a_parked_run(3, purpose=Purpose.FIX), a_run(4, Purpose.FIX)]
    red = a_landing(generation=4, ended="red")
    decision = decide(a_run(1), *fixes, landings=(red,))
    assert (shown(decision), decision.purpose) == ("ready checks_failed", Purpose.FIX)


def test_a_parked_run_between_two_without_a_commit_is_none_of_them():
    told = decide(a_run(1, collected=EMPTY), a_parked_run(2), a_run(3, collected=EMPTY))
    assert shown(told) == "needs_review no_commit"
    assert shown(decide(a_parked_run(1), a_run(2, collected=EMPTY))) == "ready no_commit"


def many(count: int, first: int = 1, **facts: Any) -> list[RunFacts]:
    return [a_parked_run(first + number, **facts) for number in range(count)]


@pytest.mark.parametrize("why", ["usage_limit", "outage"])
def test_after_too_many_in_a_row_a_person_looks(why):
    most = POLICY.parked_runs
    assert shown(decide(*many(most, parked=Problem(why)))) == "ready parked"
    decision = decide(*many(most + 1, parked=Problem(why)))
    assert shown(decision) == f"needs_review {why}"
    assert f"{most + 1} runs in a row" in decision.detail


def test_a_run_that_got_on_begins_the_row_anew():
    runs = [*many(5), a_run(6, collected=EMPTY), *many(4, 7)]
    assert shown(decide(*runs)) == "ready parked"


def test_a_yes_of_a_person_is_one_more_run():
    most = POLICY.parked_runs + 1
    yes = said(Verb.APPROVE, "usage_limit", generation=most)
    assert shown(decide(*many(most), verbs=(yes,))) == "ready parked"
    assert shown(decide(*many(most + 1), verbs=(yes,))) == "needs_review usage_limit"


def test_the_hard_cap_of_runs_counts_parked_ones_too():
    runs = [*many(7), a_run(8, collected=EMPTY), *many(4, 9)]
    assert shown(decide(*runs)) == "needs_review run_cap"


def test_an_agent_that_said_no_before_the_limit_is_not_started_again():
    assert shown(decide(a_parked_run(claim=FAILED))) == "needs_review claimed_failed"


def test_a_red_base_holds_a_parked_task_back_too():
    assert shown(decide(a_parked_run(), stopped="target_rewound")) == "blocked target_rewound"
