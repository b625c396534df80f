"""Which state a task is in, from its facts: every branch of `decide`, one line each."""

from __future__ import annotations

from dataclasses import fields

import pytest
from fact_builders import (
    BLOCKED,
    FAILED,
    a_landing,
    a_live_run,
    a_lost_run,
    a_run,
    a_task,
    an_order,
    an_outside_run,
    decide,
    landed,
    said,
    shown,
    work,
)

from toryo.domain.advice import Around, next_lines
from toryo.domain.words import OrderKind, OrderState, Purpose, Verb, Verdict
from toryo.reconciler.problems import Problem
from toryo.reconciler.subjects import Dependency, TaskFacts

FIX, RESOLVE = Purpose.FIX, Purpose.RESOLVE
EMPTY = work(0)
GONE = Problem("gone")
WAITS, ACCEPTED, FAILS = Dependency("t0", False), Dependency("t0", True), Dependency("t0", False, True)
RED = a_landing(ended="red", detail="`make test`: failed")
CONFLICT = a_landing(ended="conflict", detail="conflict in a.py")


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, "ready"),
        ({"held": True}, "open held"),
        ({"held": True, "verbs": (said(Verb.RELEASE),)}, "ready"),
        ({"held": True, "verbs": (said(Verb.RETRY),)}, "ready"),
        ({"dispatch_held": True, "base": None}, "blocked held"),
        ({"dispatch_held": True, "dependencies": (WAITS,)}, "blocked dependency"),
        ({"dispatch_held": True, "verbs": (said(Verb.RELEASE, "held"),)}, "ready"),
        ({"dispatch_held": True, "verbs": (said(Verb.RELEASE, "base_red"),)}, "blocked held"),
        ({"dispatch_held": True, "verbs": (said(Verb.RELEASE, "held"), said(Verb.RETRY))}, "blocked held"),
        ({"project_active": False}, "blocked project_archived"),
        ({"agent": ""}, "blocked no_agent"),
        ({"agent_active": False}, "blocked agent_disabled"),
        ({"agent_assigned": False}, "blocked agent_unassigned"),
        ({"client": ""}, "blocked no_client"),
        ({"client": "codex", "lacks_program": True}, "blocked no_program"),
        ({"dependencies": (WAITS,)}, "blocked dependency"),
        ({"dependencies": (ACCEPTED,)}, "ready"),
        ({"dependencies": (ACCEPTED, WAITS)}, "blocked dependency"),
        ({"dependencies": (WAITS, FAILS)}, "blocked dependency_failed:t0"),
        ({"base": None}, "blocked base_gate"),
        ({"base": Verdict.RED}, "blocked base_red"),
        ({"base": Verdict.COULD_NOT_RUN}, "blocked base_could_not_run"),
        ({"base": Verdict.FLAKY}, "ready"),
        ({"base": Verdict.UNCHECKED}, "ready"),
        ({"stopped": "target_rewound"}, "blocked target_rewound"),
        ({"verbs": (said(Verb.CANCEL),)}, "cancelled cancelled"),
        ({"verbs": (said(Verb.REJECT),)}, "failed rejected"),
        ({"verbs": (said(Verb.CANCEL), said(Verb.RETRY))}, "ready"),
    ],
)
def test_before_its_first_run_a_task_is_held_blocked_or_ready(facts, expected):
    assert shown(decide(**facts)) == expected


def test_where_nothing_starts_by_itself_a_further_run_is_held_too_and_keeps_its_purpose():
    red = a_landing(ended="red", detail="`make test`: exited 2")
    held = decide(an_outside_run(exit_code=0), dispatch_held=True, landings=(red,))
    assert (shown(held), held.purpose) == ("blocked held", Purpose.FIX)
    assert held.detail.startswith("checks_failed; dispatch is hold")
    assert "toryo " not in held.detail
    let_go = decide(a_run(), dispatch_held=True, landings=(red,), verbs=(said(Verb.RELEASE, "held"),))
    assert shown(let_go) == "ready checks_failed"


def test_a_ready_task_says_what_the_run_is_for():
    assert decide().purpose is Purpose.IMPLEMENT
    assert decide(held=True).purpose is None


@pytest.mark.parametrize("state", [OrderState.OPEN, OrderState.TAKEN])
def test_a_run_that_ended_before_its_preparation_was_told_is_not_judged_yet(state):
    run = a_run(prepared=False, collected=None)
    assert (
        shown(decide(run, orders=(an_order(OrderKind.PREPARE, state, run="r1"),))) == "verifying collecting"
    )
    told = (an_order(OrderKind.PREPARE, OrderState.REPORTED, run="r1"),)
    assert shown(decide(run, orders=told)) == "needs_review no_commit"
    assert shown(decide(run, orders=(an_order(OrderKind.PREPARE, run="r0"),))) == "needs_review no_commit"


def test_no_client_names_the_line_to_type():
    found = decide(client="")
    lines = next_lines("t1", found.status, found.reason, found.detail, Around(agent="ann"))
    assert "toryo agent add ann --client command" in lines[0]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (a_live_run(prepared=False, started=False), "running preparing"),
        (a_live_run(started=False), "running implement"),
        (a_live_run(), "running implement"),
        (a_live_run(purpose=FIX), "running fix"),
        (a_live_run(outside=True), "running outside"),
        (a_live_run(asks="Which colour?"), "running waiting_for_input"),
        (a_live_run(asks="Which colour?", unseen=True), "running unknown"),
        (a_live_run(unseen=True), "running unknown"),
        (a_live_run(unseen=True, prepared=False), "running unknown"),
        (a_live_run(claim=FAILED), "running implement"),
    ],
)
def test_while_a_run_may_still_write_its_task_is_running(run, expected):
    assert shown(decide(run)) == expected


def test_what_a_run_left_in_a_repository_that_is_away_is_collected_once_it_is_back():
    away = decide(a_run(collected=None), stopped="repository_missing")
    assert shown(away) == "blocked repository_missing"
    assert [order.kind for order in away.orders] == [OrderKind.COLLECT]
    assert shown(decide(a_run(collected=None))) == "verifying collecting"


def test_an_unknown_run_says_what_frees_it_and_no_line():
    """That is the action of its reason: fronts that are no command line offer it too."""
    detail = decide(a_live_run(unseen=True)).detail
    assert "release its run" in detail
    assert "toryo " not in detail


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (a_run(exit_code=3), "failed exit:3"),
        (a_run(exit_code=None, signal="SIGKILL"), "failed signal:SIGKILL"),
        (a_run(timed_out=True), "failed timed_out"),
        (a_run(stopped=True), "failed stopped"),
        (a_run(exit_code=None, could_not_start="no file"), "failed could_not_start"),
        (a_run(exit_code=3, claim=FAILED), "failed exit:3"),
        (a_run(collected=work(0, problem=Problem("git_failed", "x"))), "needs_review collect_failed"),
        (a_run(collected=work(0, problem=Problem("worktree_missing", "x"))), "needs_review worktree_missing"),
        (a_run(collected=work(0, problem=Problem("branch_missing", "x"))), "needs_review worktree_missing"),
        (
            a_run(could_not_start="no folder", collected=work(0, problem=Problem("worktree_missing", "x"))),
            "needs_review worktree_missing",
        ),
        (a_run(prepare_problem=Problem("worktree_missing", "gone")), "needs_review worktree_missing"),
        (a_run(prepare_problem=Problem("branch_missing", "gone")), "needs_review worktree_missing"),
        (a_run(prepare_problem=Problem("conflict_excluded", "in .env")), "needs_review conflict"),
        (a_run(claim=FAILED), "needs_review claimed_failed"),
        (a_run(claim=BLOCKED), "needs_review claimed_blocked"),
        (a_run(released=True, exit_code=None), "needs_review released"),
        (a_run(collected=work(violations=("exclude .env",))), "needs_review scope_violation"),
        (a_run(collected=work(changes=False)), "needs_review no_change"),
        (a_run(collected=work(changes=False, violations=("write a",))), "needs_review scope_violation"),
        (a_run(collected=EMPTY), "ready no_commit"),
        (a_run(collected=work(unmerged=("a.py",))), "ready no_commit"),
        (a_lost_run(), "ready lost"),
        (a_lost_run(stopped=True), "failed stopped"),
        (a_lost_run(claim=FAILED), "needs_review claimed_failed"),
        (a_run(withdrawn=True, exit_code=None), "ready"),
        (a_run(prepare_problem=Problem("git_failed", "x")), "ready prepare_failed"),
        (a_run(), "verifying queued"),
        (a_run(collected=None), "verifying collecting"),
        (an_outside_run(), "needs_review outside_run"),
        (an_outside_run(collected=EMPTY), "needs_review no_commit"),
        (an_outside_run(prepared=False, collected=None), "needs_review no_commit"),
        (an_outside_run(expired=True), "ready lost"),
        (an_outside_run(exit_code=0), "verifying queued"),
        (an_outside_run(exit_code=1), "failed exit:1"),
    ],
)
def test_after_a_run_its_facts_decide(run, expected):
    assert shown(decide(run)) == expected


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ((a_run(1, collected=EMPTY), a_run(2, collected=EMPTY)), "needs_review no_commit"),
        ((a_run(1, collected=EMPTY), a_run(2)), "verifying queued"),
        ((a_lost_run(1), a_lost_run(2)), "needs_review lost"),
        ((a_lost_run(1), a_run(2)), "verifying queued"),
        ((a_lost_run(1), a_run(2, exit_code=1)), "failed exit:1"),
        (
            (a_run(1, prepare_problem=Problem("x")), a_run(2, prepare_problem=Problem("x"))),
            "needs_review prepare_failed",
        ),
        ((a_run(1), a_run(2, FIX, collected=work(2, new_commits=0))), "ready no_commit"),
        ((a_run(1), a_run(2, FIX, exit_code=1)), "failed exit:1"),
        ((a_run(1), a_run(2, FIX)), "verifying queued"),
        (
            tuple(a_run(n, collected=EMPTY if n == 12 else work()) for n in range(1, 13)),
            "needs_review run_cap",
        ),
    ],
)
def test_later_runs_of_an_attempt_are_counted(runs, expected):
    assert shown(decide(*runs)) == expected


@pytest.mark.parametrize(
    ("landing", "expected"),
    [
        (a_landing(), "verifying queued"),
        (a_landing(begun=True), "verifying checking"),
        (RED, "ready checks_failed"),
        (CONFLICT, "ready conflict"),
        (a_landing(ended="stale"), "verifying queued"),
        (a_landing(ended="withdrawn"), "verifying queued"),
        (a_landing(ended="dropped", accepted=True), "verifying queued"),
        (a_landing(ended="could_not_run"), "needs_review could_not_run"),
        (a_landing(ended="flaky"), "needs_review flaky"),
        (a_landing(ended="problem"), "needs_review problem"),
        (landed(), "landing publishing"),
        (landed(published=True), "done"),
    ],
)
def test_the_newest_landing_of_the_last_run_decides(landing, expected):
    assert shown(decide(a_run(), landings=(landing,))) == expected


def test_a_new_run_has_nothing_to_do_with_the_landing_of_the_one_before():
    assert shown(decide(a_run(1), a_run(2, FIX), landings=(RED,))) == "verifying queued"


@pytest.mark.parametrize(
    ("purpose", "end", "expected"),
    [
        (FIX, {"ended": "red", "detail": "`make test`: exited 2"}, "failed checks_failed"),
        (RESOLVE, {"ended": "conflict", "detail": "conflict in a.txt"}, "needs_review conflict"),
    ],
)
def test_two_idle_runs_after_a_landing_that_failed_name_what_they_left_as_it_was(purpose, end, expected):
    idle = [a_run(n, purpose, collected=work(1, new_commits=0)) for n in (2, 3)]
    landings = (a_landing(**end),)
    assert shown(decide(a_run(1), idle[0], landings=landings)) == "ready no_commit"
    decision = decide(a_run(1), *idle, landings=landings)
    assert shown(decision) == expected
    assert decision.detail.startswith(f"{end['detail']}; two runs to mend it brought no commit")


def test_red_checks_get_three_fix_runs_and_then_it_failed():
    runs = [a_run(1)]
    for number in range(2, 5):
        landings = tuple(a_landing(n, n, ended="red") for n in range(1, number))
        decision = decide(*runs, landings=landings)
        assert (shown(decision), decision.purpose) == ("ready checks_failed", FIX)
        runs.append(a_run(number, FIX))
    last = a_landing(4, 4, ended="red", detail="`make test`: failed")
    assert shown(decide(*runs, landings=(last,))) == "failed checks_failed"
    assert decide(*runs, landings=(last,)).detail == "`make test`: failed"


def test_a_lost_fix_run_costs_no_credit():
    runs = (a_run(1), a_run(2, FIX), a_run(3, FIX), a_lost_run(4, purpose=FIX), a_run(5, FIX))
    assert shown(decide(*runs[:4])) == "ready lost"
    assert shown(decide(*runs, landings=(a_landing(5, 5, ended="red"),))) == "failed checks_failed"
    assert shown(decide(*runs[:4], landings=(a_landing(4, 4, ended="red"),))) == "ready lost"


def test_conflicts_get_resolve_runs_and_then_a_person():
    assert decide(a_run(), landings=(CONFLICT,)).purpose is RESOLVE
    runs = (a_run(1), *(a_run(n, RESOLVE) for n in (2, 3, 4)))
    decision = decide(*runs, landings=(a_landing(4, 4, ended="conflict", detail="a.py"),))
    assert (shown(decision), decision.detail) == ("needs_review conflict", "a.py")


def test_no_run_is_started_against_a_base_that_does_not_hold():
    assert shown(decide(a_run(), landings=(RED,), base=Verdict.RED)) == "blocked base_red"
    assert shown(decide(a_lost_run(), stopped="target_missing")) == "blocked target_missing"


@pytest.mark.parametrize("landing", [a_landing(), a_landing(begun=True), landed()])
def test_while_the_target_is_stopped_what_waits_for_it_says_so(landing):
    assert (
        shown(decide(a_run(), landings=(landing,), stopped="target_rewound")) == "needs_review target_rewound"
    )


def test_what_is_published_is_done_whatever_happens_to_the_target():
    facts = {"landings": (landed(published=True),), "stopped": "target_missing", "base": Verdict.RED}
    assert shown(decide(a_run(), **facts)) == "done"


@pytest.mark.parametrize(
    ("waiting", "why", "expected"),
    [
        (("a.txt", "b.txt"), "dirty", "waiting for your checkout: a.txt, b.txt"),
        ((), "rebase", "waiting for your checkout: rebase"),
    ],
)
def test_an_accepted_task_says_what_its_publication_waits_for(waiting, why, expected):
    decision = decide(a_run(), landings=(landed(),), waiting=waiting, waiting_why=why)
    assert (shown(decision), decision.detail) == ("landing waiting_for_checkout", expected)


def test_a_publication_that_git_refused_says_so():
    decision = decide(a_run(), landings=(landed(),), waiting=("ref locked",), waiting_why="publish_failed")
    assert (shown(decision), decision.detail) == ("landing publish_failed", "ref locked")


def test_an_accepted_task_whose_tip_was_deleted_is_a_persons():
    decision = decide(a_run(), landings=(landed(),), stopped="tip_missing")
    assert shown(decision) == "needs_review tip_missing"
    assert "refs/toryo/" in decision.detail


def test_work_whose_commits_were_deleted_is_a_persons_and_not_tried_again():
    gone = a_landing(ended="problem", problem=Problem("unknown_commit", "c1 of toryo/x is not in the hub"))
    decision = decide(a_run(), landings=(gone,))
    assert shown(decision) == "needs_review worktree_missing"
    assert decision.detail == "its commits were deleted: c1 of toryo/x is not in the hub"


def test_a_done_task_has_its_worktree_retired_and_no_other():
    done = decide(a_run(1), a_run(2, FIX), landings=(landed(2, 2, published=True),))
    assert [(order.kind, order.run) for order in done.orders] == [(OrderKind.CLEAN, "r2")]


def test_decide_is_never_told_the_old_status():
    assert not {"status", "reason", "detail"} & {field.name for field in fields(TaskFacts)}
    assert "status" not in str(a_task())


def test_a_task_whose_dependency_was_taken_away_waits_for_it_also_between_two_runs() -> None:
    empty = a_run(collected=work(0))
    taken = (Dependency("t0", accepted=False),)
    assert shown(decide(empty, dependencies=taken)) == "blocked dependency"
    given_up = (Dependency("t0", accepted=False, at_rest=True),)
    assert shown(decide(empty, dependencies=given_up)) == "blocked dependency_failed:t0"
