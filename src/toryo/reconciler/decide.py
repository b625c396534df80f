"""The status decision, per subject: from these facts, which state, which orders? Pure.

`decide` never receives the old status, so a lost, doubled or late wake-up changes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from toryo.domain.ids import RunId
from toryo.domain.reasons import IS_AWAY, Reason
from toryo.domain.words import WAITING_FOR_INPUT, OrderKind, OrderState, Outcome, TaskStatus, Verb
from toryo.reconciler.attempts import Attempt, current_attempt
from toryo.reconciler.cleanup import left_by_hand, preparation_is_untold, retired, uncollected
from toryo.reconciler.decisions import CoordinatorDecision, OrderWish, TaskDecision
from toryo.reconciler.dispatch import first_start, why_stopped
from toryo.reconciler.retries import after_run
from toryo.reconciler.subjects import (
    REMOVED,
    UNWANTED,
    CoordinatorFacts,
    LandingFacts,
    Policy,
    RunFacts,
    TaskFacts,
)


def decide_task(task: TaskFacts, policy: Policy) -> TaskDecision:
    attempt = current_attempt(task)
    landed = attempt.accepted
    if landed:
        return _landed(task, attempt, landed)
    live = next((run for run in reversed(task.runs) if not run.ended), None)
    if attempt.said(Verb.CANCEL):
        return _end(task, attempt, live, TaskStatus.CANCELLED, "cancelled")
    if attempt.said(Verb.REJECT):
        return _end(task, attempt, live, TaskStatus.FAILED, "rejected")
    if live:
        return _running(task, live)
    last = attempt.last_run
    left = uncollected(task)
    if left or (last and preparation_is_untold(task, last)):
        if task.stopped in IS_AWAY:  # what the run left is looked at once the repository is found again
            return TaskDecision(TaskStatus.BLOCKED, task.stopped, why_stopped(task), orders=left)
        return TaskDecision(TaskStatus.VERIFYING, "collecting", orders=left)
    if last is None:
        return replace(first_start(task, attempt), orders=left_by_hand(task))
    return after_run(task, attempt, last, last.policy or policy)


def decide_coordinator(coordinator: CoordinatorFacts, policy: Policy, now: float) -> CoordinatorDecision:
    """A coordinator that does not speak is unseen; what its runs do is then unknown, and stays theirs."""
    deadline = coordinator.seen_at + policy.unseen_after * coordinator.interval_s
    if now >= deadline:
        return CoordinatorDecision(unseen=True, look_at=None)
    return CoordinatorDecision(unseen=False, look_at=deadline)


def _landed(task: TaskFacts, attempt: Attempt, landing: LandingFacts) -> TaskDecision:
    if landing.published and landing.ended == REMOVED:
        gone = f"no longer on {task.target}"
        return TaskDecision(TaskStatus.DONE, REMOVED, gone, orders=retired(attempt.last_run))
    if landing.published:
        return TaskDecision(TaskStatus.DONE, orders=retired(attempt.last_run))
    if landing.ended == UNWANTED and not task.stopped:
        return TaskDecision(
            TaskStatus.LANDING, "taken_off", "it is being taken back before it reaches your branch"
        )
    if task.stopped:
        return TaskDecision(TaskStatus.NEEDS_REVIEW, task.stopped, why_stopped(task))
    if task.waiting_why == "publish_failed":
        return TaskDecision(TaskStatus.LANDING, "publish_failed", "; ".join(task.waiting[:3]))
    if task.waiting_why:
        paths = ", ".join(task.waiting[:5]) or task.waiting_why
        if task.above:
            detail = f"waiting for the worktree of {task.above}: {paths}"
            return TaskDecision(TaskStatus.LANDING, Reason.WAITING_FOR_PARENT, detail)
        return TaskDecision(TaskStatus.LANDING, "waiting_for_checkout", f"waiting for your checkout: {paths}")
    return TaskDecision(TaskStatus.LANDING, "publishing")


def _end(
    task: TaskFacts, attempt: Attempt, live: RunFacts | None, status: TaskStatus, reason: str
) -> TaskDecision:
    """A person ended it: ask the live run to stop, keep what it left, take its landing out of the queue."""
    if any(order.kind is OrderKind.ACCEPT and order.state is OrderState.TAKEN for order in task.orders):
        return TaskDecision(
            TaskStatus.VERIFYING, "accepting", "its work is being put onto the target just now"
        )
    orders = list(uncollected(task))
    unstarted: tuple[RunId, ...] = ()
    if live and not live.outside:
        taken = [order for order in task.orders if order.state is OrderState.TAKEN]
        begun = {order.kind for order in taken if order.run == live.id}
        if live.started or OrderKind.RUN in begun:
            # before its start it waits in the run's directory: then the agent never begins
            orders.append(OrderWish(OrderKind.STOP, f"stop/{live.id}/{live.generation}", run=live.id))
        elif OrderKind.PREPARE not in begun:
            unstarted = (live.id,)  # nobody began it: it ends here
    if not live:
        orders += retired(attempt.last_run)
    alive = tuple(landing.id for landing in attempt.landings if not landing.ended)
    return TaskDecision(status, reason, orders=tuple(orders), end_landings=alive, end_runs=unstarted)


def _running(task: TaskFacts, run: RunFacts) -> TaskDecision:
    if run.unseen:
        detail = "its machine does not answer: release its run if you know that it is gone"
        return TaskDecision(TaskStatus.RUNNING, Outcome.UNKNOWN, detail)
    if not run.prepared:
        return TaskDecision(TaskStatus.RUNNING, "preparing")
    if run.outside:
        return TaskDecision(TaskStatus.RUNNING, "outside")
    order = OrderWish(OrderKind.RUN, f"run/{run.id}/{run.generation}", run=run.id)
    if task.mission_stop and run.started:
        stop = OrderWish(OrderKind.STOP, f"stop/{run.id}/{run.generation}", run=run.id)
        return TaskDecision(
            TaskStatus.RUNNING, run.purpose, "it is being stopped", orders=(stop,), pauses=True
        )
    if run.started and run.asks:
        return TaskDecision(TaskStatus.RUNNING, WAITING_FOR_INPUT, run.asks)
    return TaskDecision(TaskStatus.RUNNING, run.purpose, orders=() if run.started else (order,))
