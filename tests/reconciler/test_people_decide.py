"""What people say about a task: verbs are facts, each about the run or the landing it was said of."""

from __future__ import annotations

import pytest
from fact_builders import (
    FAILED,
    a_landing,
    a_live_run,
    a_run,
    an_order,
    an_outside_run,
    decide,
    landed,
    said,
    shown,
    work,
)

from toryo.domain.words import OrderKind, OrderState, Purpose, Verb

APPROVE, CANCEL, REJECT, RETRY = Verb.APPROVE, Verb.CANCEL, Verb.REJECT, Verb.RETRY
CANCELLED = {"verbs": (said(CANCEL),)}


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (a_run(claim=FAILED), "claimed_failed"),
        (an_outside_run(), "outside_run"),
        (a_run(collected=work(violations=("exclude .env",))), "scope_violation"),
        (a_run(collected=work(changes=False)), "no_change"),
    ],
)
def test_a_yes_to_the_reason_sends_the_work_to_the_queue(run, reason):
    assert shown(decide(run)) == f"needs_review {reason}"
    assert shown(decide(run, verbs=(said(APPROVE, reason),))) == "verifying queued"
    assert shown(decide(run, verbs=(said(APPROVE, "another"),))) == f"needs_review {reason}"


def test_a_yes_is_about_the_run_it_was_said_of():
    later = a_run(2, Purpose.FIX, claim=FAILED)
    decision = decide(a_run(1, claim=FAILED), later, verbs=(said(APPROVE, "claimed_failed", generation=1),))
    assert shown(decision) == "needs_review claimed_failed"


def test_a_yes_to_violations_holds_for_later_runs_that_touch_no_other_path():
    yes = (said(APPROVE, "scope_violation", generation=1),)
    first = a_run(1, collected=work(violations=("write a", "write b")))
    assert decide(first).detail == "write a; write b"
    same = a_run(2, Purpose.FIX, collected=work(violations=("write a",)))
    more = a_run(2, Purpose.FIX, collected=work(violations=("write a", "write c")))
    assert shown(decide(first, same, verbs=yes)) == "verifying queued"
    assert shown(decide(first, more, verbs=yes)) == "needs_review scope_violation"


@pytest.mark.parametrize("reason", ["could_not_run", "flaky", "problem"])
def test_a_yes_to_a_gate_means_once_more_and_only_once(reason):
    first = a_landing(1, ended=reason)
    yes = (said(APPROVE, reason, landing_seq=1),)
    again = decide(a_run(), landings=(first,), verbs=yes)
    assert (shown(again), again.enqueue.trusted) == ("verifying queued", reason == "flaky")
    second = a_landing(2, ended=reason)
    assert shown(decide(a_run(), landings=(first, second), verbs=yes)) == f"needs_review {reason}"


def test_a_retry_opens_a_new_attempt_and_old_runs_count_no_more():
    old = [a_run(n, Purpose.FIX) for n in range(1, 13)]
    retry = (said(RETRY, generation=12, landing_seq=9),)
    decision = decide(*old, landings=(a_landing(9, 12, ended="red"),), verbs=retry)
    assert (shown(decision), decision.purpose) == ("ready", Purpose.IMPLEMENT)
    assert shown(decide(*old, a_run(13), verbs=retry)) == "verifying queued"


def test_what_was_said_before_a_retry_is_over():
    verbs = (said(APPROVE, "claimed_failed"), said(CANCEL), said(RETRY, generation=1))
    assert shown(decide(a_run(1), a_run(2, claim=FAILED), verbs=verbs)) == "needs_review claimed_failed"


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ((), "cancelled cancelled"),
        ((a_live_run(),), "cancelled cancelled"),
        ((a_run(),), "cancelled cancelled"),
        ((a_run(exit_code=3),), "cancelled cancelled"),
    ],
)
def test_any_task_can_be_cancelled(facts, expected):
    assert shown(decide(*facts, **CANCELLED)) == expected


def test_a_cancelled_run_is_asked_to_stop_once_it_has_started():
    decision = decide(a_live_run(), **CANCELLED)
    assert [(order.kind, order.key) for order in decision.orders] == [(OrderKind.STOP, "stop/r1/1")]
    assert decision.end_runs == ()


def test_a_cancelled_run_whose_preparation_is_under_way_is_waited_for():
    run = a_live_run(started=False, prepared=False)
    decision = decide(run, orders=(an_order(OrderKind.PREPARE, run="r1"),), **CANCELLED)
    assert (decision.orders, decision.end_runs) == ((), ())


def test_a_cancelled_run_that_is_about_to_begin_is_asked_to_stop_before_it_does():
    run = a_live_run(started=False, prepared=False)
    orders = (an_order(OrderKind.PREPARE, run="r1"), an_order(OrderKind.RUN, run="r1"))
    decision = decide(run, orders=orders, **CANCELLED)
    assert [(order.kind, order.key) for order in decision.orders] == [(OrderKind.STOP, "stop/r1/1")]
    assert decision.end_runs == ()


@pytest.mark.parametrize("orders", [(), (an_order(OrderKind.RUN, OrderState.OPEN, run="r1"),)])
def test_a_cancelled_run_that_nobody_began_ends_here(orders):
    decision = decide(a_live_run(started=False), orders=orders, **CANCELLED)
    assert (decision.orders, decision.end_runs) == ((), ("r1",))


def test_an_outside_agent_cannot_be_stopped_by_us():
    decision = decide(a_live_run(outside=True), **CANCELLED)
    assert (shown(decision), decision.orders, decision.end_runs) == ("cancelled cancelled", (), ())


def test_what_a_cancelled_run_left_is_collected_before_it_is_retired():
    left = decide(a_run(collected=None), **CANCELLED)
    assert [order.kind for order in left.orders] == [OrderKind.COLLECT]
    assert [order.kind for order in decide(a_run(), **CANCELLED).orders] == [OrderKind.CLEAN]


@pytest.mark.parametrize("verb", [CANCEL, REJECT])
def test_who_ends_a_task_takes_its_landing_out_of_the_queue(verb):
    landings = (a_landing(1, ended="stale"), a_landing(2, begun=True))
    assert decide(a_run(), landings=landings, verbs=(said(verb),)).end_landings == ("l2",)


def test_a_tip_that_is_being_moved_is_not_taken_back():
    facts = {"landings": (a_landing(begun=True),), **CANCELLED}
    moving = decide(a_run(), orders=(an_order(OrderKind.ACCEPT, landing="l1"),), **facts)
    assert (shown(moving), moving.end_landings) == ("verifying accepting", ())
    unheard = an_order(OrderKind.ACCEPT, OrderState.OPEN, landing="l1")
    assert shown(decide(a_run(), orders=(unheard,), **facts)) == "cancelled cancelled"


@pytest.mark.parametrize("verb", [CANCEL, REJECT, APPROVE])
def test_no_word_undoes_what_was_accepted(verb):
    assert shown(decide(a_run(), landings=(landed(),), verbs=(said(verb),))) == "landing publishing"
    assert shown(decide(a_run(), landings=(landed(published=True),), verbs=(said(verb),))) == "done"
