"""What a person may type about a task in some state: one table for every front and hint. Pure."""

from __future__ import annotations

from toryo.domain.words import TaskStatus

APPROVE, REJECT, RETRY, CANCEL = "approve", "reject", "retry", "cancel"

_REVIEW: dict[str, tuple[str, ...]] = {
    "claimed_failed": (APPROVE, REJECT, RETRY),
    "claimed_blocked": (APPROVE, REJECT, RETRY),
    "scope_violation": (APPROVE, REJECT, RETRY),
    "outside_run": (APPROVE, REJECT),
    "could_not_run": (APPROVE, REJECT),
    "flaky": (APPROVE, REJECT),
    "usage_limit": (APPROVE, REJECT),
    "outage": (APPROVE, REJECT),
    "parked": (RETRY,),
    "problem": (APPROVE, RETRY),
    "target_rewound": (APPROVE,),
    "foreign_move": (APPROVE,),
    "base_red": (RETRY, APPROVE),
    "base_could_not_run": (RETRY, APPROVE),
    "base_flaky": (APPROVE, RETRY),
    "target_conflict": (RETRY,),
    "publish_failed": (RETRY,),
}


def next_lines(task: str, status: TaskStatus, reason: str, detail: str = "") -> tuple[str, ...]:
    """The lines to type, the likeliest first; none where nothing waits for a person."""
    if detail.startswith("type: "):
        return (detail.removeprefix("type: "),)
    if status is TaskStatus.OPEN:
        verbs: tuple[str, ...] = (APPROVE, CANCEL)
    elif reason in _REVIEW:
        verbs = _REVIEW[reason]
    elif status is TaskStatus.NEEDS_REVIEW:
        verbs = (RETRY, REJECT)
    elif status in (TaskStatus.FAILED, TaskStatus.CANCELLED):
        verbs = (RETRY,)
    else:
        verbs = ()
    return tuple(f"toryo task {verb} {task}" for verb in verbs)
