"""The crash campaign: every point × every victim that is alive there, each from the state right before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from campaign_ground import Ground, difference, of_victims

from chaos import points
from chaos.cases import CASES, Case
from chaos.playing import End
from chaos.victims import (
    AGENT,
    BOTH,
    BRIDGE,
    COORDINATOR,
    DAEMON,
    PLANNER,
    PLANNER_AND_DAEMON,
    REBOOT,
    SHIM,
    TMUX,
    TREE,
)

Test = Callable[..., Any]

pytestmark = pytest.mark.timeout(300)

LONG_ALONE = ("breaks", "wished", "stuck", "changed")
"""Of the short part: points that are passed from other states as well, and all but one of a mission."""

ORDERS = [
    case
    for case in CASES
    if case.victim == BOTH
    and case.point in points.ORDERS
    and (case.state not in LONG_ALONE or case.point == "plan.after")
]
ENDS = ("tasks", "runs", "landed", "status", "restored")
NOT_LET_GO = ("shim.locked", "shim.forked")
"""Nobody let the agent go there: another shim does."""
BESIDE = ("prepare.reported", "exit.before")
"""The agent begins, or its record is written, beside these."""
LOST = ("implement", "lost", "")


def moments(*victims: str) -> Callable[[Test], Test]:
    """Every point where one of these lives; long."""
    found = of_victims(*victims)
    given = pytest.mark.parametrize("cases", list(found.values()), ids=list(found))
    return lambda test: pytest.mark.long(given(test))


def may_lose(case: Case) -> bool:
    """Whether an agent lives there, or has ended without a record of it."""
    if case.point in NOT_LET_GO:
        return False
    return case.has_live_run or case.point == "shim.agent_gone"


@pytest.mark.parametrize("case", ORDERS, ids=[case.name for case in ORDERS])
def test_daemon_and_coordinator_may_die_together_at_every_order(ground: Ground, case: Case) -> None:
    assert ground.check([case], lambda case, end, wanted: difference(end, wanted)) == []


@moments(DAEMON, COORDINATOR, BOTH, PLANNER, PLANNER_AND_DAEMON)
def test_daemon_coordinator_and_planner_may_die_anywhere_and_all_ends_as_without_it(
    ground: Ground, cases: list[Case]
) -> None:
    assert ground.check(cases, lambda case, end, wanted: difference(end, wanted)) == []


@moments(REBOOT)
def test_the_machine_may_restart_anywhere_and_a_run_that_lived_is_lost_and_run_once_more(
    ground: Ground, cases: list[Case]
) -> None:
    def wrong(case: Case, end: End, wanted: End) -> str:
        if case.act == "stop":
            return "" if end.tasks == (("failed", "stopped"),) else f"{end.tasks}, {end.runs}"
        if not may_lose(case) and not (case.point in BESIDE and LOST in end.runs):
            return difference(end, wanted, *ENDS)
        again = (LOST, *wanted.runs)
        return "" if (end.tasks, end.runs) == (wanted.tasks, again) else f"{end.tasks}, {end.runs}"

    assert ground.check(cases, wrong) == []


@moments(AGENT)
def test_an_agent_that_is_killed_has_failed_by_that_signal(ground: Ground, cases: list[Case]) -> None:
    def wrong(case: Case, end: End, wanted: End) -> str:
        reasons = ("signal:SIGKILL", *(("stopped",) if case.act == "stop" else ()))
        ((status, reason),), runs = end.tasks, end.runs
        right = status == "failed" and reason in reasons and len(runs) == 1 and runs[0][1] != "lost"
        return "" if right else f"{end.tasks}, {end.runs}"

    assert ground.check(cases, wrong) == []


@moments(SHIM, TREE)
def test_a_run_whose_shim_dies_is_lost_run_once_more_and_then_a_persons(
    ground: Ground, cases: list[Case]
) -> None:
    def wrong(case: Case, end: End, wanted: End) -> str:
        if case.point in NOT_LET_GO:
            return difference(end, wanted)
        if case.act == "stop":
            return "" if end.tasks == (("failed", "stopped"),) else f"{end.tasks}, {end.runs}"
        right = (end.tasks, end.runs) == ((("needs_review", "lost"),), (LOST, LOST))
        return "" if right else f"{end.tasks}, {end.runs}"

    assert ground.check(cases, wrong) == []


@moments(BRIDGE, TMUX)
def test_without_bridge_or_tmux_the_run_goes_on_or_ends_as_a_fact(ground: Ground, cases: list[Case]) -> None:
    def wrong(case: Case, end: End, wanted: End) -> str:
        if case.state != "screen":
            return difference(end, wanted)
        return "" if end.tasks == (("failed", "signal:SIGHUP"),) else f"{end.tasks}, {end.runs}"

    assert ground.check(cases, wrong) == []
