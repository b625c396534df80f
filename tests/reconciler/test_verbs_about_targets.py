"""Why a target waits, and what a person's approval or retry of it sets going."""

from __future__ import annotations

from typing import Any

import pytest

from toryo.domain.reasons import STOPS
from toryo.domain.words import Verb, Verdict
from toryo.reconciler.target_verbs import TargetEffect, TargetState, effect_of, reason_of, verbs_for

APPROVE, RETRY = Verb.APPROVE, Verb.RETRY
TRUST, PUT_BACK = TargetEffect.TRUST, TargetEffect.PUT_TIP_BACK
CHECK_AGAIN, TRY_AGAIN = TargetEffect.CHECK_AGAIN, TargetEffect.TRY_AGAIN


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"base": Verdict.GREEN}, ""),
        ({"base": Verdict.RED}, "base_red"),
        ({"base": Verdict.COULD_NOT_RUN}, "base_could_not_run"),
        ({}, "base_gate"),
        ({"followed": True}, "followed"),
        ({"base": Verdict.GREEN, "waiting_why": "dirty"}, "waiting_for_checkout"),
        ({"base": Verdict.GREEN, "waiting_why": "publish_failed"}, "publish_failed"),
        ({"base": Verdict.RED, "stopped": "foreign_move"}, "foreign_move"),
    ],
)
def test_a_target_waits_for_the_first_thing_that_stands_in_its_way(
    facts: dict[str, Any], reason: str
) -> None:
    assert reason_of(TargetState(**facts)) == reason


EFFECTS = {
    "target_rewound": (TRUST, None),
    "foreign_move": (PUT_BACK, None),
    "base_red": (TRUST, CHECK_AGAIN),
    "base_could_not_run": (TRUST, CHECK_AGAIN),
    "base_flaky": (TRUST, CHECK_AGAIN),
    "tip_missing": (None, PUT_BACK),
    "target_missing": (None, TRY_AGAIN),
    "repository_missing": (None, None),
    "repository_replaced": (None, None),
    "owned_elsewhere": (None, None),
}


def test_each_reason_that_stops_a_target_has_its_effects_listed() -> None:
    assert set(EFFECTS) == set(STOPS)


@pytest.mark.parametrize("reason", EFFECTS)
def test_a_yes_and_a_retry_do_what_that_reason_needs(reason: str) -> None:
    assert (effect_of(APPROVE, reason), effect_of(RETRY, reason)) == EFFECTS[reason]


def test_a_publish_that_failed_is_retried_and_one_that_waits_for_the_checkout_goes_on_by_itself() -> None:
    assert (effect_of(RETRY, "publish_failed"), effect_of(APPROVE, "publish_failed")) == (TRY_AGAIN, None)
    assert verbs_for("waiting_for_checkout") == verbs_for("followed") == verbs_for("") == ()


def test_a_base_that_is_being_checked_is_offered_no_verb_but_takes_one() -> None:
    assert verbs_for("base_gate") == ()
    assert effect_of(APPROVE, "base_gate") is TRUST


def test_the_likelier_verb_comes_first() -> None:
    assert verbs_for("base_red") == (APPROVE, RETRY)
    assert verbs_for("base_could_not_run") == (RETRY, APPROVE)


def test_a_verb_that_alone_changes_nothing_is_taken_and_not_offered() -> None:
    assert (verbs_for("base_flaky"), verbs_for("target_missing")) == ((APPROVE,), ())
    assert effect_of(RETRY, "target_missing") is TRY_AGAIN
