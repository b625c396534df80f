"""The glossary's words as types; every layer uses exactly these. Standard library only."""

from __future__ import annotations

from enum import StrEnum


class TaskStatus(StrEnum):
    OPEN = "open"
    BLOCKED = "blocked"
    READY = "ready"
    RUNNING = "running"
    VERIFYING = "verifying"
    LANDING = "landing"
    NEEDS_REVIEW = "needs_review"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Purpose(StrEnum):
    IMPLEMENT = "implement"
    FIX = "fix"
    RESOLVE = "resolve"
    DECOMPOSE = "decompose"
    INTEGRATE = "integrate"
    REVIEW = "review"
    SUBMIT = "submit"
    REVERT = "revert"


BY_HAND = frozenset({Purpose.SUBMIT, Purpose.REVERT})
"""Runs without an agent: a person finished a task, or takes a done one back."""


class Outcome(StrEnum):
    """What became of a run, from facts only."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    LOST = "lost"
    PARKED = "parked"
    UNKNOWN = "unknown"


class OrderKind(StrEnum):
    SURVEY = "survey"
    ADOPT = "adopt"
    READ = "read"
    RESTORE = "restore"
    PREPARE = "prepare"
    RUN = "run"
    STOP = "stop"
    SAY = "say"
    NOTIFY = "notify"
    COLLECT = "collect"
    REVERT = "revert"
    CANDIDATE = "candidate"
    CHECK = "check"
    ACCEPT = "accept"
    PUBLISH = "publish"
    CLEAN = "clean"


class OrderState(StrEnum):
    OPEN = "open"
    TAKEN = "taken"
    REPORTED = "reported"
    WITHDRAWN = "withdrawn"


class CheckResult(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    COULD_NOT_RUN = "could_not_run"
    FLAKY = "flaky"


class Verdict(StrEnum):
    """A gate's verdict on one tree; the first three may land."""

    GREEN = "green"
    FLAKY = "flaky"
    UNCHECKED = "unchecked"
    RED = "red"
    COULD_NOT_RUN = "could_not_run"


MAY_LAND = frozenset({Verdict.GREEN, Verdict.FLAKY, Verdict.UNCHECKED})


class Verb(StrEnum):
    """What a person said about a task: a fact like any other."""

    RELEASE = "release"
    RETRY = "retry"
    CANCEL = "cancel"
    APPROVE = "approve"
    REJECT = "reject"
    SUBMIT = "submit"
    REVERT = "revert"
    ANSWER = "answer"
    """To the question that a run ended with: the same attempt goes on."""


class ClaimResult(StrEnum):
    SUCCESS = "success"
    FAILED = "failed"
    BLOCKED = "blocked"


class Access(StrEnum):
    SEALED = "sealed"
    CONNECTED = "connected"


class Style(StrEnum):
    """How an agent CLI is driven: one command that ends by itself, or its terminal screen."""

    EXEC = "exec"
    INTERACTIVE = "interactive"


class Terminal(StrEnum):
    PLAIN = "plain"
    TMUX = "tmux"


class Priority(StrEnum):
    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


PRIORITY_RANK: dict[Priority, int] = {
    Priority.CRITICAL: 0,
    Priority.HIGH: 1,
    Priority.MEDIUM: 2,
    Priority.LOW: 3,
}

AT_REST = frozenset({TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.NEEDS_REVIEW})
"""A task here moves no further by itself; so does one that is blocked by a dependency that failed."""

WAITING_FOR_INPUT = "waiting_for_input"
"""Reason of a running task whose agent asks a person on its screen."""
DEPENDENCY_FAILED = "dependency_failed"
"""Reason of a blocked task that rests because a dependency failed, was cancelled or needs review."""

TARGET_MOVED = "target_moved"
"""Code of a preparation that was left because a person moved the target since the run was claimed."""
OVERTAKEN = f"withdrawn:{TARGET_MOVED}"
"""Outcome reason of that run."""

OUTSIDE_STATUS: dict[TaskStatus, str] = {
    TaskStatus.OPEN: "open",
    TaskStatus.BLOCKED: "open",
    TaskStatus.READY: "open",
    TaskStatus.RUNNING: "in_progress",
    TaskStatus.VERIFYING: "in_progress",
    TaskStatus.LANDING: "in_progress",
    TaskStatus.NEEDS_REVIEW: "in_progress",
    TaskStatus.DONE: "done",
    TaskStatus.FAILED: "failed",
    TaskStatus.CANCELLED: "cancelled",
}
"""The five states that outside orchestrators know (S4-31)."""


def is_at_rest(status: TaskStatus, reason: str) -> bool:
    return status in AT_REST or (status is TaskStatus.BLOCKED and reason.startswith(DEPENDENCY_FAILED))
