"""Whether a task may be started, and what holds it back. Pure; slots and overlap are tested at the claim."""

from __future__ import annotations

from toryo.domain.words import DEPENDENCY_FAILED, Purpose, TaskStatus, Verb, Verdict
from toryo.reconciler.attempts import Attempt
from toryo.reconciler.decisions import TaskDecision
from toryo.reconciler.subjects import Policy, TaskFacts

STOPPED = {
    "target_rewound": "the target was moved back by hand; approve to go on from where it is now",
    "target_missing": "the target branch is gone; make it again",
    "repository_missing": "the repository is not where it was; say where it is now",
    "repository_replaced": "another repository lies where the project's own was",
    "owned_elsewhere": "another installation of Toryo lands on this repository; stop it, then take over",
    "tip_missing": "Toryo's own refs (refs/toryo/) were deleted; retry to go on with what is left",
    "foreign_move": "somebody moved Toryo's own tip; approve to put it back",
    "base_red": "the checks fail on the base itself; mend it and commit on the target, it goes on by itself",
    "base_could_not_run": "the checks cannot run on the base; mend that, then commit on the target or retry",
    "base_flaky": "a check of the base failed and then passed; approve to go on",
}


AWAY = ("repository_missing", "repository_replaced")
"""Nothing can be told about a run that has ended there."""


def first_start(task: TaskFacts, attempt: Attempt) -> TaskDecision:
    """The first run of an attempt needs everything: release, agent, dependencies, a base that is green."""
    if task.held and not (attempt.said(Verb.RELEASE) or _ever_released(task)):
        return TaskDecision(TaskStatus.OPEN, "held", "waits for `toryo task approve`")
    lacking = _no_hands(task)
    if lacking:
        return lacking
    needed = _needed(task)
    return needed or _base_holds(task) or TaskDecision(TaskStatus.READY, purpose=Purpose.IMPLEMENT)


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
    lacking = _no_hands(task) or _needed(task) or _base_holds(task)
    return lacking or TaskDecision(TaskStatus.READY, why, detail, purpose=purpose)


def _ever_released(task: TaskFacts) -> bool:
    return any(fact.verb in (Verb.RELEASE, Verb.RETRY) for fact in task.verbs)


def _no_hands(task: TaskFacts) -> TaskDecision | None:
    if not task.project_active:
        return TaskDecision(TaskStatus.BLOCKED, "project_archived")
    if not task.agent:
        return TaskDecision(TaskStatus.BLOCKED, "no_agent", "no agent of the project may be started")
    if not task.agent_active:
        return TaskDecision(TaskStatus.BLOCKED, "agent_disabled", f"type: toryo agent enable {task.agent}")
    if not task.agent_assigned:
        return TaskDecision(TaskStatus.BLOCKED, "agent_unassigned", f"type: toryo agent assign {task.agent}")
    if not task.client:
        hint = f"type: toryo agent add {task.agent} --client command --command 'sh agent.sh {{prompt_file}}'"
        return TaskDecision(TaskStatus.BLOCKED, "no_client", hint)
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
    return f"{STOPPED.get(reason, reason)}" + (f": {detail}" if detail else "")
