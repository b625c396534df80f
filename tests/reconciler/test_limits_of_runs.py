"""Limits of fix, resolve and lost runs in one attempt: those that the newest run was claimed with."""

from __future__ import annotations

import pytest
from fact_builders import a_landing, a_lost_run, a_run, decide, shown

from toryo.domain.words import Purpose
from toryo.reconciler.subjects import Policy


@pytest.mark.parametrize(
    ("limits", "ended", "purpose", "tries", "then"),
    [
        (Policy(fix_runs=1), "red", Purpose.FIX, 1, "failed checks_failed"),
        (Policy(fix_runs=0), "red", Purpose.FIX, 0, "failed checks_failed"),
        (Policy(resolve_runs=2), "conflict", Purpose.RESOLVE, 2, "needs_review conflict"),
        (Policy(fix_runs=5, runs_per_attempt=3), "red", Purpose.FIX, 2, "needs_review run_cap"),
    ],
)
def test_a_project_limits_its_fix_and_resolve_runs(
    limits: Policy, ended: str, purpose: Purpose, tries: int, then: str
) -> None:
    runs, landings = [a_run(1, policy=limits)], [a_landing(1, 1, ended=ended)]
    for number in range(2, tries + 2):
        assert decide(*runs, landings=tuple(landings)).purpose is purpose
        runs.append(a_run(number, purpose, policy=limits))
        landings.append(a_landing(number, number, ended=ended))
    assert shown(decide(*runs, landings=tuple(landings))) == then


def test_a_project_may_have_lost_runs_repeated_more_often_or_not_at_all() -> None:
    assert shown(decide(a_lost_run(1, policy=Policy(lost_runs=0)))) == "needs_review lost"
    twice = tuple(a_lost_run(number, policy=Policy(lost_runs=2)) for number in (1, 2))
    assert shown(decide(*twice)) == "ready lost"


def test_the_newest_run_says_which_limits_count() -> None:
    runs = (a_lost_run(1, policy=Policy(lost_runs=9)), a_lost_run(2, policy=Policy(lost_runs=1)))
    assert shown(decide(*runs)) == "needs_review lost"
