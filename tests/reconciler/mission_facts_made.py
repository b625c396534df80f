"""Facts of missions for tests: a few usual ones, and any at all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from toryo.domain.words import Approval, OrderKind, Size, TaskStatus
from toryo.reconciler.missions.facts import (
    CallState,
    Demand,
    Landed,
    MissionFacts,
    PlannerCall,
    PlanVersion,
    Slot,
    TaskCounts,
    TroubledTask,
)

ANSWERED, OPEN, PROBLEM = CallState.ANSWERED, CallState.OPEN, CallState.PROBLEM
ASKED = PlannerCall(OrderKind.QUESTION, 1, 0, ANSWERED)
PLANNED = PlannerCall(OrderKind.PLAN, 1, 0, ANSWERED)
ANALYZED = PlannerCall(OrderKind.ANALYZE, 1, 0, ANSWERED)
MADE = PlanVersion(approved=True, made=True)


def a_mission(**more: Any) -> MissionFacts:
    return MissionFacts(**{"scanned": True, **more})


def a_planned(plan: PlanVersion | None = None, **more: Any) -> MissionFacts:
    """Its questions are answered, its plan made and analyzed."""
    return a_mission(**{"calls": (ASKED, PLANNED, ANALYZED), "plan": plan or PlanVersion(), **more})


def an_active(tasks: TaskCounts | None = None, **more: Any) -> MissionFacts:
    counts = tasks or TaskCounts(total=3, done=1, at_rest=1, moving=2, live_runs=2)
    return a_planned(MADE, **{"in_force": MADE, "begun": True, "tasks": counts, **more})


PURPOSES = (OrderKind.QUESTION, OrderKind.PLAN, OrderKind.ANALYZE, OrderKind.IMPACT, OrderKind.SUMMARISE)
STATES = st.sampled_from(list(CallState))
SMALL = st.integers(0, 3)
CALLS = st.builds(PlannerCall, st.sampled_from(PURPOSES), st.integers(1, 3), st.integers(0, 2), STATES)
JUDGED = st.builds(
    PlannerCall,
    st.just(OrderKind.JUDGE),
    st.just(1),
    st.integers(1, 3),
    STATES,
    st.sampled_from(["t1", "t2"]),
)
PLANS = st.builds(
    PlanVersion,
    version=st.integers(1, 3),
    request=st.integers(1, 3),
    faults=st.integers(0, 1),
    mends=st.integers(0, 2),
    fatal=st.integers(0, 1),
    open_points=st.integers(0, 1),
    points_asked=st.booleans(),
    approved=st.booleans(),
    rejected=st.booleans(),
    made=st.booleans(),
)
TROUBLED = st.builds(
    TroubledTask,
    id=st.sampled_from(["t1", "t2"]),
    status=st.sampled_from([TaskStatus.FAILED, TaskStatus.NEEDS_REVIEW]),
    reason=st.sampled_from(["exit:1", "checks_failed", "scope_violation"]),
    attempt=st.integers(1, 3),
    given_up=st.sampled_from([False, False, True]),
)
DEMANDS = st.builds(Demand, st.integers(1, 3), st.booleans(), st.booleans(), st.sampled_from([(), ("T001",)]))


@st.composite
def counts(draw: st.DrawFn) -> TaskCounts:
    done, cancelled, given_up, waiting, moving, behind = (draw(SMALL) for _ in range(6))
    rest = done + cancelled + given_up
    return TaskCounts(
        total=rest + waiting + moving + behind,
        done=done,
        cancelled=cancelled,
        at_rest=rest + draw(st.sampled_from([0, waiting])),
        moving=moving,
        waiting_for_person=waiting,
        given_up=given_up,
        live_runs=draw(st.integers(0, moving)),
    )


@st.composite
def _any_missions(draw: st.DrawFn) -> MissionFacts:
    plan = draw(st.one_of(st.none(), PLANS))
    in_force = draw(st.sampled_from([None, replace(plan or MADE, approved=True, made=True)]))
    return MissionFacts(
        cancelled=draw(st.sampled_from([False, False, False, True])),
        paused=draw(st.sampled_from([False, False, True])),
        budget_reached=draw(st.sampled_from(["", "", "", "tokens"])),
        approval=draw(st.sampled_from(list(Approval))),
        plan_only=draw(st.booleans()),
        taken_in=draw(st.booleans()),
        size=draw(st.sampled_from(list(Size))),
        request=draw(st.integers(1, 3)),
        calls=tuple(draw(st.lists(st.one_of(CALLS, JUDGED), max_size=6))),
        scanned=draw(st.booleans()),
        open_questions=draw(st.sampled_from([0, 0, 2])),
        plan=plan,
        in_force=in_force if plan else None,
        demand=draw(st.one_of(st.none(), DEMANDS)),
        slot=Slot(holders=draw(st.integers(0, 1))),
        begun=draw(st.booleans()),
        tasks=draw(counts()),
        troubled=tuple(draw(st.lists(TROUBLED, max_size=2, unique_by=lambda task: task.id))),
        unclean=draw(st.integers(0, 1)),
        writes_files=draw(st.booleans()),
        spec=draw(st.sampled_from(list(Landed))),
        ticks=draw(st.sampled_from(list(Landed))),
        planner=draw(st.booleans()),
        planner_waits=draw(st.sampled_from(["", "outage"])),
    )


@st.composite
def missions_with_tasks(draw: st.DrawFn) -> MissionFacts:
    """Those whose plan is in force and answers the newest request: all that moves is their tasks."""
    facts = draw(_any_missions())
    tasks = draw(counts())
    over = TaskCounts(
        total=tasks.done + tasks.cancelled + tasks.given_up + tasks.waiting_for_person,
        done=tasks.done,
        cancelled=tasks.cancelled,
        at_rest=tasks.done + tasks.cancelled + tasks.given_up,
        waiting_for_person=tasks.waiting_for_person,
        given_up=tasks.given_up,
    )
    all_over = TaskCounts(tasks.done + tasks.cancelled, tasks.done, tasks.cancelled)
    files = draw(st.sampled_from([facts.spec, Landed.DONE]))
    return replace(
        facts,
        cancelled=False,
        paused=False,
        budget_reached="",
        request=1,
        plan=MADE,
        in_force=MADE,
        demand=None,
        calls=tuple(draw(st.lists(JUDGED, max_size=6))),
        troubled=tuple(draw(st.lists(TROUBLED, max_size=2, unique_by=lambda task: task.id))),
        spec=files,
        ticks=files,
        begun=True,
        planner=True,
        scanned=True,
        tasks=draw(st.sampled_from([tasks, over, all_over])),
    )


def missions() -> st.SearchStrategy[MissionFacts]:
    return st.one_of(_any_missions(), missions_with_tasks())
