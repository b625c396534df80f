"""Whether a task may be started, and what holds it back. Pure; slots and overlap are tested at the claim."""

from __future__ import annotations

from toryo.domain.advice import missing
from toryo.domain.reasons import Reason, meaning, parse
from toryo.domain.words import DEPENDENCY_FAILED, HELD, Purpose, TaskStatus, Verb, Verdict
from toryo.reconciler.attempts import Attempt
from toryo.reconciler.decisions import TaskDecision
from toryo.reconciler.subjects import Policy, TaskFacts


def first_start(task: TaskFacts, attempt: Attempt) -> TaskDecision:
    """The first run of an attempt needs everything: release, agent, dependencies, a base that is green."""
    if task.held and not (attempt.said(Verb.RELEASE) or _ever_released(task)):
        return TaskDecision(TaskStatus.OPEN, HELD, "it waits for your yes")
    purpose = Purpose.DECOMPOSE if task.unit else Purpose.IMPLEMENT
    holds = _no_hands(task) or _needed(task) or _held(task, attempt, purpose)
    holds = holds or _of_mission(task, purpose) or _base_holds(task)
    return holds or TaskDecision(TaskStatus.READY, purpose=purpose)


def _held(task: TaskFacts, attempt: Attempt, purpose: Purpose, why: str = "") -> TaskDecision | None:
    """Before the base: whoever starts it then takes that as it is."""
    if not task.dispatch_held or attempt.released:
        return None
    after = f"{why}; " if why else ""
    detail = f"{after}dispatch is hold: a person or an orchestrator starts it"
    return TaskDecision(TaskStatus.BLOCKED, HELD, detail, purpose=purpose)


_PAUSES = (Reason.PAUSED, Reason.BUDGET)


def _of_mission(task: TaskFacts, purpose: Purpose) -> TaskDecision | None:
    """Its mission starts nothing now: paused, or another mission goes first, or it is planned anew."""
    if task.unit and task.unit.pauses:
        return TaskDecision(
            TaskStatus.READY, Reason.PAUSED, "a unit above it, or it, is paused", purpose=purpose
        )
    if not task.mission_hold:
        return None
    code, argument = parse(task.mission_hold)
    if code in _PAUSES:
        return TaskDecision(TaskStatus.READY, Reason.PAUSED, argument, purpose=purpose)
    if code is Reason.PLAN_READY:
        detail = "the first breakdown of its tree waits for your yes"
        return TaskDecision(TaskStatus.BLOCKED, Reason.PLAN_READY, detail)
    if code is Reason.TREE_STOPPED:
        return TaskDecision(TaskStatus.BLOCKED, Reason.TREE_STOPPED, argument)
    if code is Reason.REPLANNING:
        return TaskDecision(TaskStatus.BLOCKED, Reason.REPLANNING, "its mission is planned anew")
    return TaskDecision(
        TaskStatus.BLOCKED, Reason.OTHER_MISSIONS, "missions approved before its own go first"
    )


def _needed(task: TaskFacts) -> TaskDecision | None:
    """What it waits for; also in the middle of an attempt, where work that it stands on may be taken away."""
    for dependency in task.dependencies:
        if dependency.at_rest and not dependency.accepted:
            return TaskDecision(
                TaskStatus.BLOCKED, f"{DEPENDENCY_FAILED}:{dependency.id}", f"{dependency.id} did not land"
            )
    waiting = [dependency.id for dependency in task.dependencies if not dependency.accepted]
    if waiting:
        return TaskDecision(TaskStatus.BLOCKED, "dependency", "waits for " + ", ".join(waiting[:5]))
    return None


def again(
    task: TaskFacts, attempt: Attempt, purpose: Purpose, why: str, policy: Policy, detail: str = ""
) -> TaskDecision:
    """One more run in the same attempt, within the hard cap."""
    if len(attempt.runs) >= policy.runs_per_attempt:
        return TaskDecision(TaskStatus.NEEDS_REVIEW, "run_cap", f"{len(attempt.runs)} runs did not settle it")
    held = _held(task, attempt, purpose, detail or why)
    lacking = _no_hands(task) or _needed(task) or held or _of_mission(task, purpose) or _base_holds(task)
    return lacking or TaskDecision(TaskStatus.READY, why, detail, purpose=purpose)


def _ever_released(task: TaskFacts) -> bool:
    return any(fact.verb in (Verb.RELEASE, Verb.RETRY) for fact in task.verbs)


def _no_hands(task: TaskFacts) -> TaskDecision | None:
    if not task.project_active:
        return TaskDecision(TaskStatus.BLOCKED, Reason.PROJECT_ARCHIVED)
    if not task.agent:
        return TaskDecision(TaskStatus.BLOCKED, Reason.NO_AGENT, "no agent of the project may be started")
    if not task.agent_active:
        return TaskDecision(TaskStatus.BLOCKED, Reason.AGENT_DISABLED)
    if not task.agent_assigned:
        return TaskDecision(TaskStatus.BLOCKED, Reason.AGENT_UNASSIGNED)
    if not task.client:
        return TaskDecision(TaskStatus.BLOCKED, Reason.NO_CLIENT)
    if task.lacks_program:
        return TaskDecision(TaskStatus.BLOCKED, Reason.NO_PROGRAM, missing(task.program or task.client))
    return None


def _base_holds(task: TaskFacts) -> TaskDecision | None:
    if task.stopped:
        return TaskDecision(TaskStatus.BLOCKED, task.stopped, why_stopped(task))
    match task.base:
        case None:
            return TaskDecision(TaskStatus.BLOCKED, "base_gate", "the base is being checked first")
        case Verdict.RED | Verdict.COULD_NOT_RUN:
            reason = f"base_{task.base}"
            return TaskDecision(TaskStatus.BLOCKED, reason, why_stopped(task, reason))
        case _:
            return None


def why_stopped(task: TaskFacts, reason: str = "") -> str:
    reason = reason or task.stopped
    detail = task.base_detail if reason.startswith("base_") else ""
    return meaning(reason).sentence + (f": {detail}" if detail else "")
