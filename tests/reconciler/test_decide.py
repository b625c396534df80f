"""The way of one task, decision by decision: the first test to read. The rest: test_task_states.py."""

from __future__ import annotations

from fact_builders import a_landing, a_live_run, a_lost_run, a_run, decide, landed, shown, work

from toryo.domain.words import OrderKind, Purpose, Verdict
from toryo.reconciler.subjects import Dependency


def test_a_task_waits_for_its_dependency_and_for_a_base_that_passes_its_checks() -> None:
    assert shown(decide(dependencies=(Dependency("t0", accepted=False),))) == "blocked dependency"
    assert shown(decide(base=Verdict.RED)) == "blocked base_red"
    assert shown(decide()) == "ready"


def test_while_its_agent_works_it_is_running_whatever_the_agent_says() -> None:
    assert shown(decide(a_live_run())) == "running implement"
    assert shown(decide(a_live_run(unseen=True))) == "running unknown"


def test_after_its_run_what_is_left_is_collected_before_anything_is_judged() -> None:
    decision = decide(a_run(collected=None))
    assert (shown(decision), decision.orders[0].kind) == ("verifying collecting", OrderKind.COLLECT)


def test_exit_zero_without_a_commit_is_not_done() -> None:
    assert shown(decide(a_run(collected=work(0)))) == "ready no_commit"
    assert shown(decide(a_run(exit_code=1))) == "failed exit:1"
    assert shown(decide(a_lost_run())) == "ready lost"


def test_its_commits_go_to_the_queue_and_red_checks_back_to_its_agent() -> None:
    assert decide(a_run()).enqueue is not None
    red = decide(a_run(), landings=(a_landing(ended="red", detail="`make test`: failed"),))
    assert (shown(red), red.purpose) == ("ready checks_failed", Purpose.FIX)


def test_it_is_done_once_its_accepted_work_is_published_and_no_sooner() -> None:
    assert shown(decide(a_run(), landings=(landed(),))) == "landing publishing"
    assert shown(decide(a_run(), landings=(landed(published=True),))) == "done"
