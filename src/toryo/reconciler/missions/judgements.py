"""Tasks in trouble: which of them a model may judge, and which only a person. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from toryo.domain.reasons import Reason, parse
from toryo.domain.words import OrderKind, TaskStatus
from toryo.reconciler.missions.facts import CallState, MissionFacts, PlannerWish, TroubledTask

MOST_JUDGEMENTS = 2
"""A task; then a person looks."""
JUDGED = frozenset(
    {
        Reason.CHECKS_FAILED,
        Reason.EXIT,
        Reason.SIGNAL,
        Reason.CLIENT_ERROR,
        Reason.NO_RESULT,
        Reason.TIMED_OUT,
        Reason.NO_COMMIT,
        Reason.NOT_SPLIT,
        Reason.CHILDREN_FAILED,
        Reason.CONFLICT,
    }
)
"""What another try may mend. Scope, login, protected paths and everything else is a person's."""
LOGIN = "login"
"""Code of every client whose service refuses it: a person signs in."""


def may_be_judged(status: TaskStatus, reason: str) -> bool:
    code, argument = parse(reason)
    if status not in (TaskStatus.FAILED, TaskStatus.NEEDS_REVIEW) or code not in JUDGED:
        return False
    return not (code is Reason.CLIENT_ERROR and argument == LOGIN)


def judge_wishes(facts: MissionFacts) -> Iterator[PlannerWish]:
    """Each attempt once, a task twice at most, and none while an answer about it is outstanding."""
    for task in facts.troubled if facts.planner else ():
        if is_to_be_judged(facts, task) and task.attempt not in _judged(facts, task):
            yield PlannerWish(OrderKind.JUDGE, facts.request, task.attempt, task.id)


def is_to_be_judged(facts: MissionFacts, task: TroubledTask) -> bool:
    """Whether a judgement of it is still to come or to be asked for."""
    if not facts.planner or task.given_up or task.held or not may_be_judged(task.status, task.reason):
        return False
    judged = _judged(facts, task)
    if task.attempt in judged:
        return judged[task.attempt]
    return len(judged) < MOST_JUDGEMENTS


def _judged(facts: MissionFacts, task: TroubledTask) -> dict[int, bool]:
    """Attempts of the task about which a model was asked, and whether its answer is outstanding."""
    about = [call for call in facts.calls if call.purpose is OrderKind.JUDGE and call.task == task.id]
    return {call.n: call.state is CallState.OPEN for call in about}
