"""The words for states: how outside orchestrators see them, and which of them rest."""

from __future__ import annotations

import pytest

from toryo.domain.outside import dod_result
from toryo.domain.words import (
    AT_REST,
    DEPENDENCY_FAILED,
    MAY_LAND,
    OUTSIDE_STATUS,
    PRIORITY_RANK,
    Outcome,
    Priority,
    TaskStatus,
    Verdict,
    is_at_rest,
)


@pytest.mark.parametrize(
    ("outside", "ours"),
    [
        ("open", {"open", "blocked", "ready"}),
        ("in_progress", {"running", "verifying", "landing", "needs_review"}),
        ("done", {"done"}),
        ("failed", {"failed"}),
        ("cancelled", {"cancelled"}),
    ],
)
def test_outside_orchestrators_see_five_states(outside, ours):
    assert {status.value for status in TaskStatus if OUTSIDE_STATUS[status] == outside} == ours


def test_every_state_is_one_of_the_five():
    assert set(OUTSIDE_STATUS) == set(TaskStatus)


def test_done_failed_cancelled_and_needs_review_rest_whatever_the_reason():
    assert {"done", "failed", "cancelled", "needs_review"} == AT_REST
    for status in TaskStatus:
        assert is_at_rest(status, "any") is (status in AT_REST)


def test_a_blocked_task_rests_only_behind_a_dependency_that_will_not_come():
    assert is_at_rest(TaskStatus.BLOCKED, f"{DEPENDENCY_FAILED}:t1")
    assert not is_at_rest(TaskStatus.BLOCKED, "dependency")
    assert not is_at_rest(TaskStatus.READY, f"{DEPENDENCY_FAILED}:t1")


def test_three_verdicts_may_land():
    assert {verdict.value for verdict in MAY_LAND} == {"green", "flaky", "unchecked"}
    assert set(Verdict) - MAY_LAND == {Verdict.RED, Verdict.COULD_NOT_RUN}


def test_priorities_are_ranked_from_critical_to_low():
    assert sorted(Priority, key=PRIORITY_RANK.__getitem__) == ["critical", "high", "medium", "low"]


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome.SUCCEEDED, "pending"),
        (Outcome.TIMED_OUT, "timeout"),
        (Outcome.FAILED, "error"),
        (Outcome.CANCELLED, "error"),
        (Outcome.LOST, "error"),
        (Outcome.RUNNING, "pending"),
        (Outcome.UNKNOWN, "pending"),
    ],
)
def test_a_run_is_pending_timeout_or_error_until_its_work_was_merged(outcome, expected):
    assert dod_result(outcome, merged=False) == expected
    assert dod_result(outcome, merged=True) == "merged"


def test_an_agent_that_exits_124_by_itself_is_a_timeout_to_outside_orchestrators():
    """S4-25: that is how `timeout` ends, around an agent's own command."""
    assert dod_result(Outcome.FAILED, merged=False, exit_code=124) == "timeout"
    assert dod_result(Outcome.FAILED, merged=False, exit_code=3) == "error"
