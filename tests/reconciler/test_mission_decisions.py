"""A mission's way, decision by decision: questions, plan, approval, queue, tasks, files, end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mission_facts_made import (
    ANALYZED,
    ANSWERED,
    ASKED,
    MADE,
    OPEN,
    PLANNED,
    PROBLEM,
    a_mission,
    a_planned,
    an_active,
)

from toryo.domain.words import Approval, MissionStatus, OrderKind, Size, TaskStatus
from toryo.reconciler.missions.decide import decide_mission
from toryo.reconciler.missions.facts import (
    Demand,
    Landed,
    MissionDecision,
    MissionFacts,
    PlannerCall,
    PlanVersion,
    Slot,
    TaskCounts,
    TroubledTask,
    count_tasks,
    holds_slot,
)
from toryo.reconciler.missions.judgements import may_be_judged

NEXT = PlanVersion(version=2, request=2)
OVER = TaskCounts(total=3, done=2, cancelled=1, at_rest=3)


def shown(facts: MissionFacts) -> str:
    decision = decide_mission(facts)
    return f"{decision.status} {decision.reason}".strip()


def wished(facts: MissionFacts) -> list[str]:
    return [wish.key for wish in decide_mission(facts).wishes]


def call(purpose: OrderKind, request: int = 1, n: int = 0, state=ANSWERED, task: str = "") -> PlannerCall:
    return PlannerCall(purpose, request, n, state, task)


def test_a_request_is_read_then_asked_about_then_planned_then_analyzed() -> None:
    assert decide_mission(a_mission(scanned=False)).scan
    assert (shown(a_mission()), wished(a_mission())) == ("questioning asking", ["question/1/0"])
    asked = a_mission(calls=(replace(ASKED, state=OPEN),))
    assert (shown(asked), wished(asked)) == ("questioning asking", [])
    assert shown(a_mission(calls=(ASKED,), open_questions=2)) == "questioning questions"
    assert wished(a_mission(calls=(ASKED,))) == ["plan/1/0"]
    planned = a_planned(calls=(ASKED, PLANNED))
    assert (shown(planned), wished(planned)) == ("planning analyzing", ["analyze/1/0"])
    assert (shown(a_planned()), wished(a_planned())) == ("awaiting_approval plan_ready", [])


def test_only_what_is_about_the_work_as_a_whole_waits_for_the_repository_to_be_read() -> None:
    said = an_active(request=2, demand=Demand(2), scanned=False)
    assert (wished(said), decide_mission(said).scan) == (["impact/2/0"], False)
    weighed = replace(said, demand=Demand(2, weighed=True, replan=True))
    assert (wished(weighed), decide_mission(weighed).scan) == ([], True)
    stuck = TroubledTask("t1", TaskStatus.FAILED, "checks_failed")
    both = replace(weighed, troubled=(stuck,))
    assert (wished(both), decide_mission(both).scan) == (["judge/t1/1"], True)


def test_a_small_mission_is_not_analyzed() -> None:
    assert shown(a_planned(calls=(ASKED, PLANNED), size=Size.SMALL)) == "awaiting_approval plan_ready"


def test_an_analysis_that_brought_nothing_holds_nothing_up() -> None:
    assert (
        shown(a_planned(calls=(ASKED, PLANNED, replace(ANALYZED, state=PROBLEM))))
        == "awaiting_approval plan_ready"
    )


def test_a_faulty_plan_is_mended_twice_and_then_shown() -> None:
    faulty = a_planned(PlanVersion(faults=1))
    assert (shown(faulty), wished(faulty)) == ("planning mending", ["plan/1/1"])
    assert wished(a_planned(PlanVersion(version=2, faults=1, mends=1))) == ["plan/1/2"]
    assert shown(a_planned(PlanVersion(version=3, faults=1, mends=2))) == "awaiting_approval plan_faulty"
    failed = a_planned(PlanVersion(faults=1), calls=(ASKED, PLANNED, call(OrderKind.PLAN, 1, 1, PROBLEM)))
    assert (shown(failed), wished(failed)) == ("awaiting_approval plan_faulty", [])


def test_a_plan_with_open_points_is_not_offered_and_its_points_are_asked() -> None:
    decision = decide_mission(a_planned(PlanVersion(version=4, open_points=2)))
    assert (decision.status, decision.ask_points) == ("questioning", 4)
    asked = decide_mission(a_planned(PlanVersion(open_points=2, points_asked=True), open_questions=2))
    assert (asked.status, asked.reason, asked.ask_points) == ("questioning", "questions", 0)


def test_the_points_of_a_plan_that_nobody_mends_are_asked_and_their_answers_plan_it_anew() -> None:
    plan = PlanVersion(version=3, faults=1, mends=2, open_points=1)
    decision = decide_mission(a_planned(plan))
    assert (decision.status, decision.reason, decision.ask_points) == ("questioning", "questions", 3)
    mended = a_planned(replace(plan, mends=1))
    assert shown(mended) == "planning mending", "a mend may settle them"
    answered = a_planned(replace(plan, points_asked=True), request=2)
    assert wished(answered) == ["plan/2/0"]
    written = a_planned(replace(plan, points_asked=True), taken_in=True)
    assert shown(written) == "awaiting_approval plan_faulty"


def test_a_rejected_plan_is_planned_anew_for_the_next_request() -> None:
    assert wished(a_planned(PlanVersion(rejected=True))) == []
    assert wished(a_planned(PlanVersion(rejected=True), request=2)) == ["plan/2/0"]


def test_approval_makes_the_tasks_at_once_and_another_missions_slot_holds_them() -> None:
    approved = a_planned(PlanVersion(version=2, approved=True))
    assert decide_mission(approved) == MissionDecision("active", create_tasks=2)
    behind = decide_mission(replace(approved, slot=Slot(holders=1)))
    assert behind == MissionDecision("queued", "other_missions", create_tasks=2, hold=True)
    made = a_planned(MADE, in_force=MADE, slot=Slot(ahead=1), writes_files=True, tasks=TaskCounts(total=1))
    assert decide_mission(made) == MissionDecision("queued", "other_missions", hold=True)
    assert shown(replace(made, begun=True)) == "active"
    assert shown(replace(made, slot=Slot(at_once=2, ahead=1))) == "active"


def test_auto_approves_only_what_has_no_fault_and_no_fatal_finding() -> None:
    assert decide_mission(a_planned(approval=Approval.AUTO)).create_tasks == 1
    assert shown(a_planned(PlanVersion(fatal=1), approval=Approval.AUTO)) == "awaiting_approval findings"
    assert shown(a_planned(approval=Approval.AUTO, plan_only=True)) == "awaiting_approval plan_only"
    assert shown(a_planned(PlanVersion(approved=True), plan_only=True)) == "active"


def test_a_folder_that_is_taken_in_needs_no_model() -> None:
    taken = MissionFacts(taken_in=True, planner=False, plan=PlanVersion())
    assert shown(taken) == "awaiting_approval plan_ready"
    assert wished(replace(taken, planner=True)) == []
    assert shown(replace(taken, planner=True, plan=None)) == "planning reading"
    assert shown(replace(taken, planner=True, plan=PlanVersion(faults=1))) == "awaiting_approval plan_faulty"
    answered = PlanVersion(open_points=1, points_asked=True)
    assert shown(replace(taken, plan=answered)) == "awaiting_approval plan_ready"


def test_without_a_model_a_mission_says_so_and_an_outage_is_waited_for() -> None:
    assert (shown(a_mission(planner=False)), wished(a_mission(planner=False))) == (
        "questioning no_planner",
        [],
    )
    waiting = a_mission(calls=(ASKED, call(OrderKind.PLAN, state=OPEN)), planner_waits="outage")
    assert (shown(waiting), wished(waiting)) == ("planning planner_waits:outage", [])
    assert shown(a_mission(calls=(call(OrderKind.QUESTION, state=PROBLEM),))) == "questioning planner_failed"
    again = a_mission(calls=(call(OrderKind.QUESTION, state=PROBLEM),), request=2)
    assert wished(again) == ["question/2/0"]


def test_a_demand_is_weighed_while_the_tasks_go_on_and_only_affected_ones_are_held() -> None:
    said = an_active(request=2, demand=Demand(2))
    assert (shown(said), wished(said)) == ("active weighing", ["impact/2/0"])
    weighed = replace(said, demand=Demand(2, weighed=True, replan=True, affected=("T003",)))
    decision = decide_mission(weighed)
    assert (decision.reason, decision.hold_tasks, decision.hold) == ("replanning", ("T003",), False)
    assert wished(weighed) == ["plan/2/0"]
    offered = replace(weighed, plan=NEXT, calls=(*weighed.calls, call(OrderKind.ANALYZE, 2)))
    assert (shown(offered), wished(offered)) == ("active plan_ready", [])
    approved = decide_mission(replace(offered, plan=replace(NEXT, approved=True)))
    assert (approved.status, approved.create_tasks, approved.hold_tasks) == ("active", 2, ("T003",))


def test_a_demand_that_changes_nothing_needs_no_plan() -> None:
    weighed = an_active(request=2, demand=Demand(2, weighed=True))
    assert (shown(weighed), wished(weighed)) == ("active", [])
    assert shown(replace(weighed, tasks=OVER)) == "completed"


def test_the_spec_lands_first_and_the_ticks_when_every_task_is_over() -> None:
    begun = decide_mission(an_active(writes_files=True))
    assert (begun.land_spec, begun.land_ticks) == (True, False)
    over = an_active(OVER, writes_files=True, spec=Landed.DONE)
    assert decide_mission(over) == MissionDecision("active", "landing_files", land_ticks=True)
    assert shown(replace(over, ticks=Landed.OPEN)) == "active landing_files"
    assert shown(replace(over, ticks=Landed.STUCK)) == "active files_stuck"
    assert shown(replace(over, ticks=Landed.DONE, unclean=1)) == "active cleaning"
    assert shown(replace(over, ticks=Landed.DONE)) == "completed"
    assert shown(an_active(OVER)) == "completed"


def test_a_mission_fails_when_a_task_was_given_up_and_the_rest_is_at_rest() -> None:
    counts = TaskCounts(total=3, done=1, at_rest=3, given_up=1, waiting_for_person=1)
    assert shown(an_active(counts)) == "failed given_up"
    assert shown(an_active(replace(counts, at_rest=2, moving=1))) == "active"
    assert shown(an_active(replace(counts, given_up=0))) == "active needs_you"


def test_a_task_in_trouble_is_judged_once_an_attempt_and_twice_at_most() -> None:
    counts = TaskCounts(total=1, at_rest=1, waiting_for_person=1)
    task = TroubledTask("t1", TaskStatus.FAILED, "checks_failed")
    facts = an_active(counts, troubled=(task,))
    assert (shown(facts), wished(facts)) == ("active judging", ["judge/t1/1"])
    once = replace(facts, calls=(*facts.calls, call(OrderKind.JUDGE, 1, 1, ANSWERED, "t1")))
    assert (shown(once), wished(once)) == ("active needs_you", [])
    retried = replace(once, troubled=(replace(task, attempt=2),))
    assert wished(retried) == ["judge/t1/2"]
    twice = replace(retried, calls=(*once.calls, call(OrderKind.JUDGE, 1, 2, ANSWERED, "t1")))
    assert wished(replace(twice, troubled=(replace(task, attempt=3),))) == []
    assert (shown(replace(facts, planner=False)), wished(replace(facts, planner=False))) == (
        "active needs_you",
        [],
    )
    assert shown(replace(facts, planner_waits="outage")) == "active planner_waits:outage"


@pytest.mark.parametrize(
    ("status", "reason", "judged"),
    [
        ("failed", "checks_failed", True),
        ("failed", "exit:1", True),
        ("failed", "timed_out", True),
        ("needs_review", "no_commit", True),
        ("needs_review", "conflict", True),
        ("failed", "api_error", True),
        ("needs_review", "scope_violation", False),
        ("failed", "login", False),
        ("failed", "stopped", False),
        ("failed", "rejected", False),
        ("needs_review", "asked", False),
        ("needs_review", "usage_limit", False),
        ("needs_review", "worktree_missing", False),
        ("ready", "checks_failed", False),
    ],
)
def test_what_another_try_may_mend_is_judged_and_the_rest_is_a_persons(status, reason, judged) -> None:
    assert may_be_judged(TaskStatus(status), reason) is judged


def test_a_pause_wishes_nothing_and_stops_runs_only_when_it_says_so() -> None:
    assert decide_mission(a_mission(paused=True)) == MissionDecision("paused", "paused", hold=True)
    assert decide_mission(an_active(paused_now=True)).stop
    reached = decide_mission(an_active(budget_reached="tokens"))
    assert reached == MissionDecision("paused", "budget:tokens", hold=True)
    assert decide_mission(an_active(cancelled=True)) == MissionDecision(
        "cancelled", "cancelled", hold=True, stop=True
    )
    assert shown(an_active(OVER, paused=True)) == "completed"


def test_tasks_are_counted_from_one_grouped_query() -> None:
    groups = [
        (TaskStatus.DONE, "", 2),
        (TaskStatus.CANCELLED, "cancelled", 1),
        (TaskStatus.RUNNING, "implement", 2),
        (TaskStatus.RUNNING, "waiting_for_input", 1),
        (TaskStatus.NEEDS_REVIEW, "conflict", 1),
        (TaskStatus.BLOCKED, "dependency:t9", 3),
        (TaskStatus.BLOCKED, "dependency_failed:t8", 1),
        (TaskStatus.READY, "", 1),
    ]
    assert count_tasks(groups, live_runs=3) == TaskCounts(
        total=12, done=2, cancelled=1, at_rest=5, moving=3, waiting_for_person=3, live_runs=3
    )


def test_a_mission_that_waits_for_a_person_holds_up_no_other() -> None:
    active = MissionStatus.ACTIVE
    assert holds_slot(active, "", 0)
    assert holds_slot(active, "plan_ready", 1)
    assert not holds_slot(active, "needs_you", 0)
    assert not holds_slot(MissionStatus.PAUSED, "paused", 1)


def test_a_mission_that_was_resumed_a_moment_ago_waits_for_nobody() -> None:
    """Its tasks are looked at after it."""
    assert count_tasks([(TaskStatus.READY, "paused", 2)]).waiting_for_person == 0
