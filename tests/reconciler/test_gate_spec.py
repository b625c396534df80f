"""Which checks a tree must pass, what makes two gates the same, and when an older verdict counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from toryo.domain.words import CheckResult, Verdict
from toryo.reconciler.gate_spec import (
    REUSE_S,
    CheckWish,
    GateSpec,
    is_taken,
    may_pass_again,
    with_task_checks,
)

MAKE = CheckWish("tests_pass", "make test", 300)
SPEC = GateSpec((MAKE,), setup={"commands": [], "inputs": []}, exclude=(".env",))


def test_a_tasks_own_checks_come_after_the_projects_and_none_twice() -> None:
    found = with_task_checks([MAKE], ["make test", "make lint"], 60)
    assert found == (MAKE, CheckWish("task", "make lint", 60))


def test_the_same_tree_under_the_same_shape_is_one_gate_whatever_the_commit() -> None:
    assert SPEC.key("p1", "t1", "c1", 1) == SPEC.key("p1", "t1", "c2", 1)
    assert SPEC.key("p1", "t1", "c1", 1) != SPEC.key("p1", "t2", "c1", 1)
    assert SPEC.key("p1", "t1", "c1", 1) != SPEC.key("p1", "t1", "c1", 2)


def test_a_check_that_reads_history_makes_a_gate_of_each_commit() -> None:
    spec = replace(SPEC, checks=(replace(MAKE, reads="history"),))
    assert spec.key("p1", "t1", "c1", 1) != spec.key("p1", "t1", "c2", 1)


@pytest.mark.parametrize(
    "other",
    [
        {"checks": (replace(MAKE, limit_s=1),)},
        {"goals": ({"type": "test_added"},)},
        {"setup": {"commands": ["npm ci"], "inputs": []}},
        {"exclude": ()},
        {"flaky": "review"},
    ],
)
def test_whatever_a_verdict_depends_on_makes_another_gate(other: dict[str, Any]) -> None:
    assert replace(SPEC, **other).key("p1", "t1", "c1", 1) != SPEC.key("p1", "t1", "c1", 1)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_new_landing_tries_again_what_was_red_or_could_not_run(verdict: Verdict) -> None:
    assert is_taken(verdict, 0, 10) is (verdict not in (Verdict.RED, Verdict.COULD_NOT_RUN))


def test_a_verdict_is_believed_for_a_day_and_never_from_the_future() -> None:
    assert is_taken(Verdict.GREEN, 0, REUSE_S)
    assert not is_taken(Verdict.GREEN, 0, REUSE_S + 1)
    assert not is_taken(Verdict.GREEN, 5, 4)
    assert is_taken("", 0, REUSE_S * 9), "it is not judged yet"


def test_a_pass_after_a_failure_is_not_taken_for_green_elsewhere() -> None:
    assert may_pass_again([CheckResult.PASSED])
    assert not may_pass_again([CheckResult.FAILED, CheckResult.PASSED])
