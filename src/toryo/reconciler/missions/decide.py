"""The status decision of a mission: from these facts, which status, which model calls, which tasks? Pure.

`decide_mission` never receives the old status. It asks a model only for what has no answer yet: a mission
that rests, waits or is paused, or whose agents work, wishes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from toryo.domain.reasons import Reason
from toryo.domain.words import MissionStatus, OrderKind
from toryo.reconciler.missions.calls import waiting
from toryo.reconciler.missions.facts import (
    Landed,
    MissionDecision,
    MissionFacts,
    PlannerWish,
)
from toryo.reconciler.missions.judgements import is_to_be_judged, judge_wishes
from toryo.reconciler.missions.plan_steps import toward_plan

_ACTIVE = MissionStatus.ACTIVE
ABOUT_THE_REPOSITORY = frozenset({OrderKind.QUESTION, OrderKind.PLAN, OrderKind.ANALYZE})
"""Purposes whose brief describes the repository; a judgement and an impact are about tasks that exist."""


def decide_mission(facts: MissionFacts) -> MissionDecision:
    if facts.cancelled:
        return MissionDecision(MissionStatus.CANCELLED, Reason.CANCELLED, hold=True, stop=True)
    ended = _ended(facts)
    if ended:
        return ended
    if facts.stopped:
        return MissionDecision(MissionStatus.PAUSED, Reason.TREE_STOPPED, facts.stopped, hold=True)
    if facts.paused or facts.paused_now:
        return MissionDecision(MissionStatus.PAUSED, Reason.PAUSED, hold=True, stop=facts.paused_now)
    if facts.budget_reached:
        return MissionDecision(MissionStatus.PAUSED, f"{Reason.BUDGET}:{facts.budget_reached}", hold=True)
    return _asked_in_turn(facts, _live(facts))


def _live(facts: MissionFacts) -> MissionDecision:
    pending = toward_plan(facts) if _wants_plan(facts) else None
    if pending and facts.in_force is None:
        return pending
    found = _active(facts, pending)
    if facts.begun or facts.slot.holders + facts.slot.ahead < facts.slot.at_once:
        return found
    reason = pending.reason if pending else Reason.OTHER_MISSIONS
    status = MissionStatus.QUEUED
    return replace(found, status=status, reason=reason, hold=True, land_spec=False, land_ticks=False)


def _ended(facts: MissionFacts) -> MissionDecision | None:
    """At rest for good, as far as nobody retries a task or asks for more."""
    if facts.in_force is None or facts.tasks.live_runs or _wants_plan(facts) or _new_plan(facts):
        return None
    if _all_over(facts) and _published(facts) and not facts.unclean:
        return MissionDecision(MissionStatus.COMPLETED)
    if facts.tasks.given_up and facts.tasks.at_rest == facts.tasks.total and not _judging(facts):
        return MissionDecision(MissionStatus.FAILED, Reason.GIVEN_UP)
    return None


def _wants_plan(facts: MissionFacts) -> bool:
    """Whether the newest request is not answered by an approved plan, and needs one."""
    demand = facts.demand
    if facts.in_force and demand and demand.request == facts.request and demand.weighed and not demand.replan:
        return False
    plan = facts.plan
    is_answered = plan is not None and plan.request == facts.request
    return not (is_answered and plan is not None and (plan.made or toward_plan(facts) is None))


def _new_plan(facts: MissionFacts) -> int:
    """The approved version whose tasks do not exist yet; 0: there is none."""
    plan = facts.plan
    if plan is None or plan.made or plan.request != facts.request or toward_plan(facts):
        return 0
    return plan.version


def _active(facts: MissionFacts, pending: MissionDecision | None) -> MissionDecision:
    """Its tasks are the reconciler's of tasks; here is only what nobody else sees."""
    new = _new_plan(facts)
    held = facts.demand.affected if facts.demand and (pending or new) else ()
    found = MissionDecision(_ACTIVE, create_tasks=new, hold_tasks=held)
    if facts.in_force is None or new:
        return found
    over = not pending and _all_over(facts)
    published = facts.writes_files and facts.spec is Landed.DONE
    return replace(
        found,
        reason=_why_planning(pending) if pending else _why_active(facts, over),
        wishes=(*(pending.wishes if pending else ()), *judge_wishes(facts)),
        ask_points=pending.ask_points if pending else 0,
        land_spec=facts.writes_files and facts.spec is Landed.NO,
        land_ticks=over and published and facts.ticks is Landed.NO,
    )


def _why_planning(pending: MissionDecision) -> str:
    at_work = (Reason.DRAFTING, Reason.MENDING, Reason.ANALYZING)
    return Reason.REPLANNING if pending.reason in at_work else pending.reason


def _why_active(facts: MissionFacts, over: bool) -> str:
    if over and facts.writes_files and Landed.STUCK in (facts.spec, facts.ticks):
        return Reason.FILES_STUCK
    if over:
        return Reason.CLEANING if _published(facts) else Reason.LANDING_FILES
    tasks = facts.tasks
    if tasks.moving or tasks.live_runs:
        return Reason.NONE
    if _judging(facts):
        return waiting(facts) or Reason.JUDGING
    return Reason.NEEDS_YOU if tasks.waiting_for_person or not tasks.total else Reason.NONE


def _judging(facts: MissionFacts) -> bool:
    return any(is_to_be_judged(facts, task) for task in facts.troubled)


def _all_over(facts: MissionFacts) -> bool:
    """Without a task nothing was done, unless every one was ticked in the folder that was taken in."""
    tasks = facts.tasks
    return tasks.done + tasks.cancelled == tasks.total and (tasks.total > 0 or facts.taken_in)


def _published(facts: MissionFacts) -> bool:
    return not facts.writes_files or (facts.spec is Landed.DONE and facts.ticks is Landed.DONE)


def _asked_in_turn(facts: MissionFacts, found: MissionDecision) -> MissionDecision:
    """Before a model is asked about the work as a whole the repository is read, once."""
    if not found.wishes:
        return found
    if not facts.planner:
        return replace(found, wishes=())
    is_ready = facts.scanned or {wish.purpose for wish in found.wishes}.isdisjoint(ABOUT_THE_REPOSITORY)
    if not is_ready:
        reason = found.reason if found.status is _ACTIVE else Reason.READING.value
        found = replace(found, reason=reason, wishes=_but(found.wishes, ABOUT_THE_REPOSITORY), scan=True)
    return replace(found, wishes=()) if facts.planner_parked else found


def _but(wishes: tuple[PlannerWish, ...], those: frozenset[OrderKind]) -> tuple[PlannerWish, ...]:
    return tuple(wish for wish in wishes if wish.purpose not in those)
