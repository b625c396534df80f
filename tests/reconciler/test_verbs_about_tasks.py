"""What a person's verb about a task means: a word about the task, its target or its account, or refused."""

from __future__ import annotations

from typing import Any

import pytest

from toryo.domain.actions import Do, action, line
from toryo.domain.reasons import Reason, verdicts
from toryo.domain.words import TaskStatus, Verb
from toryo.reconciler.target_verbs import TargetEffect, effect_of
from toryo.reconciler.task_verbs import (
    Meaning,
    Refusal,
    Said,
    TaskEffect,
    VerbFacts,
    is_answered,
    meaning_of,
    retries_target,
)

APPROVE, CANCEL, DISMISS, REJECT, RELEASE, RETRY = (
    Verb.APPROVE,
    Verb.CANCEL,
    Verb.DISMISS,
    Verb.REJECT,
    Verb.RELEASE,
    Verb.RETRY,
)
REVIEW = TaskStatus.NEEDS_REVIEW


def meant(verb: Verb, status: str, reason: str = "", note: str = "", **facts: Any) -> Meaning | Refusal:
    task = VerbFacts(task="t1", status=TaskStatus(status), reason=reason, target="main", **facts)
    return meaning_of(verb, task, note)


def refused(verb: Verb, status: str, reason: str = "", **facts: Any) -> str:
    found = meant(verb, status, reason, **facts)
    assert isinstance(found, Refusal), found
    assert line(found.action).startswith("toryo task ")
    return found.why


@pytest.mark.parametrize("status", ["failed", "needs_review", "cancelled"])
def test_a_retry_of_what_is_over_or_reviewed_starts_over(status: str) -> None:
    assert meant(RETRY, status) == Meaning(RETRY, TaskEffect.START_OVER)
    assert "has not ended" in refused(RETRY, status, has_live_run=True)
    assert "is being accepted" in refused(RETRY, status, is_accepting=True)
    assert "only failed" in refused(RETRY, status, landed=True)


@pytest.mark.parametrize("status", ["open", "blocked", "ready", "running", "verifying", "landing", "done"])
def test_a_retry_of_anything_else_is_refused(status: str) -> None:
    assert "only failed, cancelled or reviewed work is retried" in refused(RETRY, status)


def test_a_retry_with_a_note_answers_the_question_that_was_asked() -> None:
    assert meant(RETRY, REVIEW, "asked", "blue") == Meaning(Verb.ANSWER)
    assert meant(RETRY, REVIEW, "asked", "  ") == Meaning(RETRY, TaskEffect.START_OVER)


@pytest.mark.parametrize(
    ("reason", "effect"),
    [
        ("base_red", TargetEffect.CHECK_AGAIN),
        ("base_could_not_run", TargetEffect.CHECK_AGAIN),
        ("publish_failed", TargetEffect.TRY_AGAIN),
        ("tip_missing", TargetEffect.PUT_TIP_BACK),
    ],
)
def test_a_retry_of_a_task_that_waits_for_its_target_is_about_that(reason: str, effect: TargetEffect) -> None:
    for status in ("blocked", "needs_review", "landing"):
        assert meant(RETRY, status, reason, landed=status == "landing") == Meaning(RELEASE, effect)
    assert retries_target(reason)


def test_a_retry_after_the_target_was_gone_starts_the_tasks_own_work_over() -> None:
    assert meant(RETRY, REVIEW, "target_missing") == Meaning(RETRY, TaskEffect.START_OVER)
    assert not retries_target("target_missing")


def test_a_retry_of_a_task_that_waits_for_its_account_is_about_that() -> None:
    assert meant(RETRY, "ready", account_waits=True) == Meaning(RELEASE, TaskEffect.RELEASE_ACCOUNT)
    assert meant(RETRY, "failed", account_waits=True) == Meaning(RETRY, TaskEffect.START_OVER)


def test_an_approval_of_what_is_held_releases_it() -> None:
    assert meant(APPROVE, "open") == meant(RELEASE, "open") == Meaning(RELEASE)
    assert meant(APPROVE, "blocked", "held") == Meaning(RELEASE)


@pytest.mark.parametrize(
    ("reason", "effect"),
    [
        ("base_red", TargetEffect.TRUST),
        ("base_flaky", TargetEffect.TRUST),
        ("target_rewound", TargetEffect.TRUST),
        ("foreign_move", TargetEffect.PUT_TIP_BACK),
    ],
)
def test_an_approval_of_a_task_that_waits_for_its_target_is_about_that(
    reason: str, effect: TargetEffect
) -> None:
    for status in ("blocked", "needs_review"):
        assert meant(APPROVE, status, reason) == Meaning(RELEASE, effect)


@pytest.mark.parametrize("status", ["done", "failed", "cancelled"])
def test_any_task_that_is_over_stands_for_its_rewound_target(status: str) -> None:
    assert meant(APPROVE, status, target_is_rewound=True) == Meaning(RELEASE, TargetEffect.TRUST)
    assert "waits for nobody" in refused(APPROVE, status)


def test_an_approval_sends_on_what_a_persons_yes_can_send_on_and_nothing_else() -> None:
    for reason, effect in ((str(one), effect_of(APPROVE, one)) for one in Reason):
        if effect or reason == "held":
            assert meant(APPROVE, REVIEW, reason) == Meaning(RELEASE, effect)
        elif APPROVE not in verdicts(REVIEW, reason):
            assert "leaves nothing to approve" in refused(APPROVE, REVIEW, reason)
        else:
            account = TaskEffect.RELEASE_ACCOUNT if reason in ("usage_limit", "outage") else None
            assert meant(APPROVE, REVIEW, reason) == Meaning(APPROVE, account)
    assert "leaves nothing to approve" in refused(APPROVE, REVIEW, "no_commit")
    assert meant(APPROVE, REVIEW, "claimed_failed") == Meaning(APPROVE)


@pytest.mark.parametrize("verb", [CANCEL, REJECT])
def test_what_was_accepted_is_taken_off_before_it_is_published_and_not_after(verb: Verb) -> None:
    assert meant(verb, "landing", "publishing", landed=True) == Meaning(verb, TaskEffect.TAKE_OFF)
    assert refused(verb, "done", landed=True).startswith("t1 is ")
    late = meant(verb, "done", landed=True)
    assert isinstance(late, Refusal)
    assert late.action == action(Do.REVERT, "t1")


def test_a_cancel_ends_what_is_not_over() -> None:
    assert meant(CANCEL, "running", has_live_run=True) == Meaning(CANCEL)
    assert meant(CANCEL, "failed") == Meaning(CANCEL)
    assert "nothing to cancel" in refused(CANCEL, "cancelled")


def test_a_rejection_is_a_no_to_what_waits_for_one() -> None:
    assert meant(REJECT, REVIEW, "no_commit") == Meaning(REJECT)
    assert meant(REJECT, "open") == Meaning(CANCEL)
    assert "waits for nobody" in refused(REJECT, "running")


def test_only_a_failed_task_is_dismissed() -> None:
    assert meant(DISMISS, "failed") == Meaning(DISMISS)
    assert "only failed tasks" in refused(DISMISS, REVIEW)


@pytest.mark.parametrize(
    ("verb", "newest", "status", "reason", "seen", "is_it"),
    [
        (APPROVE, None, "running", "", "", False),
        (APPROVE, ("release", "held"), "running", "", "", True),
        (REJECT, ("release", "held"), "running", "", "", False),
        (REJECT, ("approve", "review"), "landing", "", "review", True),
        (CANCEL, ("approve", "review"), "landing", "", "review", False),
        (REJECT, ("comment", "review"), "ready", "commented", "review", False),
        (REJECT, ("approve", "review"), "needs_review", "review", "review", False),
        (RETRY, ("retry", "exit_code"), "failed", "exit_code", "", False),
        (RETRY, ("retry", "exit_code"), "ready", "", "", True),
        (DISMISS, ("dismiss", "exit_code"), "failed", "exit_code", "", True),
    ],
)
def test_the_first_valid_answer_counts(
    verb: Verb, newest: tuple[str, str] | None, status: str, reason: str, seen: str, is_it: bool
) -> None:
    before = None if newest is None else Said(Verb(newest[0]), newest[1])
    facts = VerbFacts("t1", TaskStatus(status), reason)
    assert is_answered(verb, facts, seen, before) is is_it
