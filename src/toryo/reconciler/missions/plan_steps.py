"""Way to an approved plan: questions, plan, mends, analysis, approval; each asked of a model once. Pure."""

from __future__ import annotations

from toryo.domain.reasons import Reason
from toryo.domain.words import Approval, MissionStatus, OrderKind, Size
from toryo.reconciler.missions.calls import call_of, waiting, was_answered
from toryo.reconciler.missions.facts import CallState, MissionDecision, MissionFacts, PlannerWish, PlanVersion
from toryo.reconciler.plans.rules import MOST_MENDS
from toryo.reconciler.plans.sentences import CHECKS_OF_ALL

_QUESTIONING, _PLANNING = MissionStatus.QUESTIONING, MissionStatus.PLANNING
_AWAITING = MissionStatus.AWAITING_APPROVAL
NO_CHECKS = f"no command checks its tasks; name one {CHECKS_OF_ALL} and commit it: it is judged again then"


def toward_plan(facts: MissionFacts) -> MissionDecision | None:
    """What is to do before the newest request has an approved plan; None: it has one."""
    if facts.open_questions:
        return MissionDecision(_QUESTIONING, Reason.QUESTIONS)
    plan = facts.plan
    if plan is None or plan.request != facts.request:
        return _first_answer(facts)
    return _of_plan(facts, plan)


def is_offered(facts: MissionFacts) -> bool:
    """Whether its newest plan waits for a person's verdict, also while the mission is paused."""
    plan = facts.plan
    if plan is None or plan.approved or plan.rejected or plan.request != facts.request:
        return False
    step = toward_plan(facts)
    return step is None or step.status is _AWAITING


def _first_answer(facts: MissionFacts) -> MissionDecision:
    if _is_taken_in(facts):
        return MissionDecision(_PLANNING, Reason.READING)
    demand = facts.demand
    if facts.in_force and demand and not demand.weighed:
        return _ask(facts, OrderKind.IMPACT, 0, _PLANNING, Reason.WEIGHING, demand.request)
    if not (facts.taken_in or facts.in_force) and not was_answered(facts, OrderKind.QUESTION):
        return _ask(facts, OrderKind.QUESTION, 0, _QUESTIONING, Reason.ASKING)
    return _ask(facts, OrderKind.PLAN, 0, _PLANNING, Reason.DRAFTING)


def _of_plan(facts: MissionFacts, plan: PlanVersion) -> MissionDecision | None:
    if plan.rejected:  # the next request says why; until it is there nothing is asked
        return MissionDecision(_PLANNING, Reason.DRAFTING)
    if plan.faults and _may_be_mended(facts, plan):
        return _ask(facts, OrderKind.PLAN, plan.mends + 1, _PLANNING, Reason.MENDING)
    if plan.open_points and not plan.points_asked:
        return MissionDecision(_QUESTIONING, Reason.QUESTIONS, ask_points=plan.version)
    if plan.open_points and not _is_taken_in(facts):  # the answers make the next request
        return MissionDecision(_QUESTIONING, Reason.QUESTIONS)
    if plan.faults:
        return MissionDecision(_AWAITING, Reason.PLAN_FAULTY, NO_CHECKS if plan.unchecked else "")
    if plan.approved:
        return None
    if _is_to_be_analyzed(facts, plan):
        return _ask(facts, OrderKind.ANALYZE, plan.mends, _PLANNING, Reason.ANALYZING)
    if facts.plan_only:
        return MissionDecision(_AWAITING, Reason.PLAN_ONLY)
    if facts.approval is not Approval.AUTO:
        return MissionDecision(_AWAITING, Reason.PLAN_READY)
    return MissionDecision(_AWAITING, Reason.FINDINGS) if plan.fatal else None


def _may_be_mended(facts: MissionFacts, plan: PlanVersion) -> bool:
    tried = call_of(facts, OrderKind.PLAN, request=plan.request, n=plan.mends + 1)
    failed = tried is not None and tried.state is CallState.PROBLEM
    return facts.planner and plan.mends < MOST_MENDS and not failed and not _is_taken_in(facts)


def _is_to_be_analyzed(facts: MissionFacts, plan: PlanVersion) -> bool:
    """Once, before a person sees it; an analysis that brought nothing to use holds nothing up."""
    if facts.size is Size.SMALL or not facts.planner or _is_taken_in(facts):
        return False
    asked = call_of(facts, OrderKind.ANALYZE, request=plan.request, n=plan.mends)
    return asked is None or asked.state is CallState.OPEN


def _is_taken_in(facts: MissionFacts) -> bool:
    """What a person wrote is not mended, analyzed or written anew by a model, unless they ask for more."""
    return facts.taken_in and facts.request == 1


def _ask(
    facts: MissionFacts, purpose: OrderKind, n: int, status: MissionStatus, reason: Reason, request: int = 0
) -> MissionDecision:
    """Wish the call if nobody made it; otherwise say what became of it."""
    asked = call_of(facts, purpose, request=request or facts.request, n=n)
    if asked is not None and asked.state is CallState.PROBLEM:
        return MissionDecision(status, Reason.PLANNER_FAILED)
    if not facts.planner:
        return MissionDecision(status, Reason.NO_PLANNER)
    wish = PlannerWish(purpose, request or facts.request, n)
    return MissionDecision(status, waiting(facts) or reason, wishes=() if asked else (wish,))
