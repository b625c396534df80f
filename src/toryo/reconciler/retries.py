"""What follows a run that has ended: failed, once more, a person, or on to the queue. Pure."""

from __future__ import annotations

from toryo.domain.reasons import Reason
from toryo.domain.words import BY_HAND, ClaimResult, Purpose, TaskStatus
from toryo.reconciler import units
from toryo.reconciler.agent_questions import asks, last_words
from toryo.reconciler.attempts import Attempt
from toryo.reconciler.decisions import Enqueue, TaskDecision
from toryo.reconciler.dispatch import again, why_stopped
from toryo.reconciler.parking import after_parked
from toryo.reconciler.problems import Problem
from toryo.reconciler.subjects import CollectedFacts, LandingFacts, Policy, RunFacts, TaskFacts


def after_run(task: TaskFacts, attempt: Attempt, run: RunFacts, policy: Policy) -> TaskDecision:
    """The run has ended and, if it ever had a worktree, was collected."""
    if run.prepare_problem:
        if run.prepare_problem.code in MISSING:
            return _review("worktree_missing", run.prepare_problem.words)
        if run.prepare_problem.code == "conflict_excluded":
            return _review("conflict", run.prepare_problem.words)
        failures = sum(1 for other in attempt.runs if other.prepare_problem)
        if failures <= policy.prepare_retries:
            return again(task, attempt, run.purpose, "prepare_failed", policy)
        return _review("prepare_failed", str(run.prepare_problem))
    if run.withdrawn:
        return again(task, attempt, run.purpose, "", policy)
    if attempt.paused(run.generation) and (run.stopped or run.lost):
        return again(task, attempt, run.purpose, Reason.RESUMED, policy)
    if run.lost and run.stopped:
        return _failed("stopped", "a person stopped the run; how it ended was not seen")
    if run.lost or run.expired:
        waits = units.before_judging(task, attempt, run, None, policy)
        if waits:
            return waits
        said = _held_back(attempt, run)
        if said:
            return said
        losses = sum(1 for other in attempt.runs if other.lost or other.expired)
        if losses <= policy.lost_runs:
            return again(task, attempt, run.purpose, "lost", policy)
        return _review("lost", f"{losses} runs were lost")
    if run.disk_full:
        failures = sum(1 for other in attempt.runs if other.disk_full)
        if failures <= policy.lost_runs:
            return again(task, attempt, run.purpose, "disk_full", policy)
        return _review("disk_full", f"{failures} runs failed on a full disk")
    if run.parked:
        return _held_back(attempt, run) or after_parked(task, attempt, run, run.parked, policy)
    if run.released:
        return _review("released", "a person freed this run; look at what it left")
    gone = run.collected.problem if run.could_not_start and run.collected else None
    if gone and gone.code in MISSING:
        return _review("worktree_missing", gone.words)
    judged = units.before_judging(task, attempt, run, _failure(run), policy)
    return judged or _judge(task, attempt, run, policy)


MISSING = ("worktree_missing", "branch_missing")
"""Codes of what a person deleted under a task: no run goes on in what is not there."""


NO_COMMIT = "unknown_commit"
"""Code of a candidate whose work is not in the repository any more."""


def _failure(run: RunFacts) -> TaskDecision | None:
    """Exit code, signal and time limit decide; no words of the agent do (S4-27, S4-28)."""
    if run.purpose in BY_HAND or (run.outside and run.exit_code is None and not run.signal):
        return None  # there was no agent, or nobody saw or told its end
    if run.stopped:
        return _failed("stopped", "a person stopped the run")
    if run.timed_out:
        return _failed("timed_out", "the run reached its time limit")
    if run.could_not_start:
        return _failed("could_not_start", run.could_not_start)
    if run.signal:
        return _failed(f"signal:{run.signal}", f"ended by {run.signal}{_denied(run)}")
    if run.problem:
        text = (
            NO_RESULT if run.problem.code == "no_result" else run.problem.message or "its record says error"
        )
        return _failed(run.problem.code, f"{run.client or 'the client'}: {text}{_denied(run)}")
    if run.exit_code != 0:
        return _failed(f"exit:{run.exit_code}", f"the agent exited {run.exit_code}{_denied(run)}")
    return None


NO_RESULT = "exited 0, but its record has no result"


def _denied(run: RunFacts) -> str:
    return f"; denied: {', '.join(run.denied)}" if run.denied else ""


def _judge(task: TaskFacts, attempt: Attempt, run: RunFacts, policy: Policy) -> TaskDecision:
    work = run.collected
    if work is None:
        return _review("no_commit", "the agent ended before it had a worktree")
    if work.problem and run.purpose is Purpose.REVERT:
        return _not_reverted(work.problem)
    if work.problem:
        missing = work.problem.code in MISSING
        return _review("worktree_missing" if missing else "collect_failed", work.problem.words)
    said = _held_back(attempt, run)
    if said:
        return said
    if _is_empty(run, work) and run.purpose in BY_HAND:
        named = ", ".join(work.unmerged[:5])
        return _review("no_commit", f"still in conflict: {named}" if named else "there is no commit to land")
    nothing = _brought_nothing(task, attempt, run, policy) if _is_empty(run, work) else None
    if nothing:
        return nothing
    if run.outside and run.exit_code is None and not attempt.approved("outside_run", run.generation):
        return _review("outside_run", "an outside agent leaves no exit record: approve it to verify and land")
    if work.violations and not _approved_violations(attempt, work):
        return _review("scope_violation", "; ".join(work.violations[:5]))
    if units.has_landed_children(task, attempt):
        return _land(task, attempt, run, work, policy)
    if not work.changes and not attempt.approved("no_change", run.generation):
        return _review("no_change", "its commits change no file: approve it if nothing was to be changed")
    if attempt.commented(run.generation) and run.purpose not in BY_HAND:
        return again(task, attempt, Purpose.FIX, Reason.COMMENTED, policy)
    return _land(task, attempt, run, work, policy)


def _not_reverted(problem: Problem) -> TaskDecision:
    """A reverse that could not be made: a retry has an agent do it."""
    match problem.code:
        case "revert_conflict":
            return _review("conflict", problem.words)
        case "not_on_target":
            return _failed("not_on_target", problem.words)
        case _:
            return _review("collect_failed", problem.words)


def _brought_nothing(task: TaskFacts, attempt: Attempt, run: RunFacts, policy: Policy) -> TaskDecision | None:
    """An answer is waited for; without a question it is run once more, and then a person looks. None: of a
    unit, whose children's work is there to land."""
    if attempt.answered(run.generation):
        return again(task, attempt, run.purpose, "answered", policy)
    if asks(run):
        return _review("asked", f"the agent asks: {last_words(run)}")
    if run.purpose in units.OWN_PURPOSES:
        return units.brought_nothing(task, attempt)
    if _was_idle_before(attempt, run):
        return _idle(attempt, run)
    if run.outside:
        return _review("no_commit", "the agent reported without a commit")
    return again(task, attempt, run.purpose, "no_commit", policy, _denied(run).removeprefix("; "))


def _idle(attempt: Attempt, run: RunFacts) -> TaskDecision:
    """Two runs left everything as it was: named is what they were to mend, if there was something."""
    more = _denied(run) + (f"; its last words: {last_words(run)}" if run.words else "")
    wanted = {Purpose.FIX: "red", Purpose.RESOLVE: "conflict"}.get(run.purpose)
    cause = next((one for one in reversed(attempt.landings) if one.ended == wanted), None)
    if cause is None:
        return _review("no_commit", f"two runs exited 0 without a commit{more}")
    detail = f"{cause.detail}; two runs to mend it brought no commit{more}".removeprefix("; ")
    if run.purpose is Purpose.FIX:
        return _failed("checks_failed", detail)
    return _review("conflict", detail)


def _was_idle_before(attempt: Attempt, run: RunFacts) -> bool:
    """Whether the run before brought nothing either; one that was parked or only asked is passed over."""
    earlier = [
        other
        for other in attempt.runs
        if other.generation < run.generation and not (other.parked or attempt.answered(other.generation))
    ]
    before = earlier[-1] if earlier else None
    return bool(before and before.collected and before.exit_code == 0 and _is_empty(before, before.collected))


def _held_back(attempt: Attempt, run: RunFacts) -> TaskDecision | None:
    """An agent that says no is not started again, and its work goes no further, without a person's yes."""
    reason = f"claimed_{run.claim}"
    if run.claim not in (ClaimResult.FAILED, ClaimResult.BLOCKED) or attempt.approved(reason, run.generation):
        return None
    return _review(reason, f"the agent says {run.claim}")


def _approved_violations(attempt: Attempt, work: CollectedFacts) -> bool:
    """A yes to these paths holds for later runs of the attempt that touch no others."""
    for run in attempt.runs:
        seen = set(run.collected.violations) if run.collected else set()
        if attempt.approved("scope_violation", run.generation) and set(work.violations) <= seen:
            return True
    return False


def _is_empty(run: RunFacts, work: CollectedFacts) -> bool:
    if work.unmerged:
        return True
    if work.commits == 0:
        return True
    return run.purpose not in (Purpose.IMPLEMENT, Purpose.DECOMPOSE, *BY_HAND) and work.new_commits == 0


def _land(
    task: TaskFacts, attempt: Attempt, run: RunFacts, work: CollectedFacts, policy: Policy
) -> TaskDecision:
    landing = attempt.newest_landing(run.generation)
    if landing is None:
        return _enqueue(run, work)
    if not landing.ended and task.stopped:
        return _review(task.stopped, why_stopped(task))
    if not landing.ended:
        return TaskDecision(TaskStatus.VERIFYING, "checking" if landing.begun else "queued")
    match landing.ended:
        case "stale" | "withdrawn" | "dropped":
            return _enqueue(run, work, trusted=attempt.approved(Reason.REVIEW, run.generation))
        case "conflict":
            if run.purpose not in BY_HAND and attempt.count(Purpose.RESOLVE) < policy.resolve_runs:
                return again(task, attempt, Purpose.RESOLVE, "conflict", policy)
            return _review("conflict", landing.detail)
        case "red":
            if run.purpose not in BY_HAND and attempt.count(Purpose.FIX) < policy.fix_runs:
                return again(task, attempt, Purpose.FIX, "checks_failed", policy)
            return _failed("checks_failed", landing.detail)
        case "problem" if landing.problem and landing.problem.code == NO_COMMIT:
            return _review("worktree_missing", f"its commits were deleted: {landing.problem.words}")
        case reason:
            return _ask(attempt, run, work, landing, reason)


def _ask(
    attempt: Attempt, run: RunFacts, work: CollectedFacts, landing: LandingFacts, reason: str
) -> TaskDecision:
    """could_not_run, flaky under review, or a problem of git: a person's yes means once more."""
    if attempt.approved_after(reason, landing):
        return _enqueue(run, work, trusted=reason in ("flaky", Reason.REVIEW))
    return _review(reason, landing.detail)


def _enqueue(run: RunFacts, work: CollectedFacts, *, trusted: bool = False) -> TaskDecision:
    wish = Enqueue(run.id, run.generation, work.head, trusted)
    return TaskDecision(TaskStatus.VERIFYING, "queued", enqueue=wish)


def _review(reason: str, detail: str) -> TaskDecision:
    return TaskDecision(TaskStatus.NEEDS_REVIEW, reason, detail)


def _failed(reason: str, detail: str) -> TaskDecision:
    return TaskDecision(TaskStatus.FAILED, reason, detail)
