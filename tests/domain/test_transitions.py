"""S4-31: which state may follow which, and above all which may not."""

from __future__ import annotations

from itertools import product

import pytest

from toryo.domain.transitions import ORDER_STATE, OUTCOME, TASK_STATUS, may_follow, only_by
from toryo.domain.words import OUTSIDE_STATUS, OrderState, Outcome, TaskStatus, Verb

OPEN, BLOCKED, READY, RUNNING, VERIFYING, LANDING, NEEDS_REVIEW, DONE, FAILED, CANCELLED = TaskStatus
EVERY = frozenset(TaskStatus)

FORBIDDEN: dict[str, set[tuple[TaskStatus, TaskStatus]]] = {
    "what is on the target stays done": set(product({DONE}, EVERY - {DONE})),
    "what was released is never held again": set(product(EVERY - {OPEN}, {OPEN})),
    "work that waits to land or for a person has no run": set(
        product({VERIFYING, LANDING, NEEDS_REVIEW}, {RUNNING})
    ),
    "nothing is landed that was not verified": set(product({OPEN, BLOCKED, READY, RUNNING}, {LANDING, DONE})),
    "accepted work is not begun anew": set(product({LANDING}, {BLOCKED, READY})),
    "a failed or cancelled task only begins a new attempt": set(
        product({FAILED, CANCELLED}, {RUNNING, LANDING, NEEDS_REVIEW, DONE})
    ),
    "a cancelled task does not fail": {(CANCELLED, FAILED)},
}


@pytest.mark.parametrize("sentence", FORBIDDEN)
def test_a_task_never_goes_there(sentence):
    assert [pair for pair in FORBIDDEN[sentence] if may_follow(TASK_STATUS, *pair)] == []


@pytest.mark.parametrize(("old", "new"), list(product(TaskStatus, TaskStatus)))
def test_whatever_is_not_named_as_forbidden_may_happen(old, new):
    assert may_follow(TASK_STATUS, old, new) is not any((old, new) in pairs for pairs in FORBIDDEN.values())


def test_outside_orchestrators_see_these_transitions_only():
    seen = {
        (OUTSIDE_STATUS[old], OUTSIDE_STATUS[new])
        for old, new in product(TaskStatus, TaskStatus)
        if may_follow(TASK_STATUS, old, new) and OUTSIDE_STATUS[old] != OUTSIDE_STATUS[new]
    }
    assert seen == {
        ("open", "in_progress"),
        ("open", "failed"),  # a run that began and ended between two looks
        ("in_progress", "open"),  # it waits for another run
        ("in_progress", "done"),
        ("in_progress", "failed"),
        ("failed", "open"),
        ("failed", "in_progress"),
        ("cancelled", "open"),
        ("cancelled", "in_progress"),  # retried while what it left is still collected
        *((status, "cancelled") for status in ("open", "in_progress", "failed")),
    }


def test_everything_but_done_is_cancelled_and_by_a_persons_word_only():
    assert {old for old in TaskStatus if CANCELLED in TASK_STATUS[old] | {old}} == EVERY - {DONE}
    assert {only_by(old, CANCELLED) for old in EVERY - {DONE, CANCELLED}} == {frozenset({Verb.CANCEL})}


def test_a_failed_or_cancelled_task_goes_on_by_a_persons_retry_or_submit_only():
    words = frozenset({Verb.RETRY, Verb.SUBMIT})
    for old in (FAILED, CANCELLED):
        assert {only_by(old, new) for new in TASK_STATUS[old] - {CANCELLED}} == {words}


def test_accepted_work_fails_only_if_it_was_rejected():
    assert only_by(LANDING, FAILED) == {Verb.REJECT}


def test_done_is_nobodys_word():
    before = {old for old in TaskStatus if DONE in TASK_STATUS[old]}
    assert before == {VERIFYING, LANDING, NEEDS_REVIEW}
    assert {only_by(old, DONE) for old in before} == {frozenset()}


@pytest.mark.parametrize(("old", "new"), list(product(OrderState, OrderState)))
def test_an_order_is_taken_and_then_reported_or_withdrawn_for_ever(old, new):
    way = [OrderState.OPEN, OrderState.TAKEN]
    forward = old in way and new not in way[: way.index(old)]
    assert may_follow(ORDER_STATE, old, new) is (old is new or forward)


@pytest.mark.parametrize(("old", "new"), list(product(Outcome, Outcome)))
def test_a_run_ends_once(old, new):
    assert may_follow(OUTCOME, old, new) is (old in (Outcome.RUNNING, new))
