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


class MissionStatus(StrEnum):
    QUESTIONING = "questioning"
    PLANNING = "planning"
    AWAITING_APPROVAL = "awaiting_approval"
    QUEUED = "queued"
    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


MISSION_ENDED = frozenset({MissionStatus.COMPLETED, MissionStatus.FAILED, MissionStatus.CANCELLED})


class Approval(StrEnum):
    """Who starts the tasks of a plan."""

    AUTO = "auto"
    PLAN = "plan"
    EACH = "each"


class FilesPurpose(StrEnum):
    """What a mission lands of its own."""

    SPEC = "spec"
    TICKS = "ticks"


class Size(StrEnum):
    SMALL = "small"
    NORMAL = "normal"


class Speaker(StrEnum):
    """Whose words a line of a mission's conversation are."""

    PERSON = "person"
    PLANNER = "planner"
    PROGRESS = "progress"
    SYSTEM = "system"


class MessageType(StrEnum):
    """Of messages between a parent unit and its children, or from a person to a unit."""

    SPAWN = "spawn"
    TASK_DECOMPOSED = "task_decomposed"
    PROGRESS = "progress"
    CHILD_COMPLETED = "child_completed"
    RESULT = "result"
    PR_CREATED = "pr_created"
    MERGE_REQUEST = "merge_request"
    CONFLICT_FOUND = "conflict_found"
    QUERY = "query"
    RESPONSE = "response"
    INSTRUCT = "instruct"
    LOG = "log"


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
    UNADOPT = "unadopt"
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
    OPEN_TARGET = "open_target"
    REFRESH = "refresh"
    SCAN = "scan"
    WRITE = "write"
    DROP_BRANCH = "drop_branch"
    OPEN_BRANCH = "open_branch"
    # the planner's
    QUESTION = "question"
    PLAN = "plan"
    ANALYZE = "analyze"
    JUDGE = "judge"
    IMPACT = "impact"
    SUMMARISE = "summarise"


PLANNER_KINDS = frozenset(
    {
        OrderKind.QUESTION,
        OrderKind.PLAN,
        OrderKind.ANALYZE,
        OrderKind.JUDGE,
        OrderKind.IMPACT,
        OrderKind.SUMMARISE,
    }
)
"""Orders that ask a model; every other kind is a coordinator's."""


class PlaceKind(StrEnum):
    """What a process does with the orders it takes."""

    COORDINATOR = "coordinator"
    PLANNER = "planner"


PLANNERS = "planners"
"""Address of an order that any planner may carry out."""


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
    COMMENT = "comment"
    """A person's comments on its change: a fix run carries them."""
    PAUSE = "pause"
    """Of a mission: nothing new starts."""
    PAUSE_NOW = "pause_now"
    """The same, and its runs are stopped."""
    RESUME = "resume"
    DISMISS = "dismiss"
    """Of a failed task: seen, and asked about no more. It stays failed."""


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

ENDED_BADLY = ("red", "could_not_run", "flaky", "conflict", "problem")
"""How a landing ended that brought nothing: what was checked or merged did not pass."""
ENDED = frozenset({TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED})
AT_REST = ENDED | {TaskStatus.NEEDS_REVIEW}
"""A task here moves no further by itself; so does one that is blocked by a dependency that failed."""

WAITING_FOR_INPUT = "waiting_for_input"
"""Reason of a running task whose agent asks a person on its screen."""
HELD = "held"
"""Reason of a task that nobody starts before an orchestrator or a person says so."""
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


MONITOR_STATUS: dict[TaskStatus, str] = {
    TaskStatus.OPEN: "pending",
    TaskStatus.BLOCKED: "pending",
    TaskStatus.READY: "pending",
    TaskStatus.RUNNING: "pending",
    TaskStatus.VERIFYING: "pending",
    TaskStatus.LANDING: "pending",
    TaskStatus.NEEDS_REVIEW: "pending",
    TaskStatus.DONE: "completed",
    TaskStatus.FAILED: "error",
    TaskStatus.CANCELLED: "error",
}
"""The three states of a monitor (S2-53)."""


def is_at_rest(status: TaskStatus, reason: str) -> bool:
    return status in AT_REST or (status is TaskStatus.BLOCKED and reason.startswith(DEPENDENCY_FAILED))
