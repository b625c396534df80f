"""Messages of the page's event channel: what an event of the daemon means to a browser. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from typing_extensions import TypedDict

from toryo.domain.words import MONITOR_STATUS, TaskStatus

if TYPE_CHECKING:
    from toryo.protocol.views.status import EventView
    from toryo.protocol.views.tasks import NeedsPerson


class TaskUpdate(TypedDict):
    id: int
    type: Literal["task_update"]
    task_id: str
    status: str
    """pending, completed or error."""
    message: str
    state: str
    """The status itself."""
    reason: str


class TaskAdded(TypedDict):
    id: int
    type: Literal["task_added"]
    task_id: str
    parent_id: str | None


class TaskChanged(TypedDict):
    """Something else about a task than its status: its title or agent, a run, a check, what was said."""

    id: int
    type: Literal["task_changed"]
    task_id: str
    kind: str
    """Of the event, such as `check_finished`."""


class SubjectUpdate(TypedDict):
    """What is about no task and no mission: an agent, a project, a target, an account."""

    id: int
    type: Literal["subject_update"]
    subject: str
    kind: str


class MissionUpdate(TypedDict):
    id: int
    type: Literal["mission_update"]
    mission_id: str
    kind: str
    """Of the event, such as `mission_status`."""


class AttentionUpdate(TypedDict):
    """What needs a person is another list than before."""

    id: int
    type: Literal["attention"]
    total: int
    subjects: list[str]


class Resync(TypedDict):
    """What was heard before does not lead to now: load everything again, then go on from `id`."""

    id: int
    type: Literal["resync"]


class DaemonUpdate(TypedDict):
    """Whether the daemon answers: while it does not, all that the page shows is stale."""

    id: int
    type: Literal["daemon"]
    reachable: bool
    error: str
    hint: str


Message = (
    TaskUpdate
    | TaskAdded
    | TaskChanged
    | SubjectUpdate
    | MissionUpdate
    | AttentionUpdate
    | Resync
    | DaemonUpdate
)


def of_event(event: EventView) -> Message | None:
    """None: the page learns nothing from it."""
    kind, subject, body = event["kind"], event["subject"] or "", event["body"]
    if kind == "task_status" and event["task"]:
        return _task_update(event["seq"], event["task"], body)
    if kind == "task_added" and event["task"]:
        parent = str(body.get("parent") or "") or None
        return {"id": event["seq"], "type": "task_added", "task_id": event["task"], "parent_id": parent}
    if subject.startswith("mission:"):
        mission = subject.partition(":")[2]
        return {"id": event["seq"], "type": "mission_update", "mission_id": mission, "kind": kind}
    if event["task"]:
        return {"id": event["seq"], "type": "task_changed", "task_id": event["task"], "kind": kind}
    if subject:
        return {"id": event["seq"], "type": "subject_update", "subject": subject, "kind": kind}
    return None


def _task_update(seq: int, task: str, body: dict[str, Any]) -> TaskUpdate:
    state, reason = str(body.get("status") or ""), str(body.get("reason") or "")
    return {
        "id": seq,
        "type": "task_update",
        "task_id": task,
        "status": monitor_status(state),
        "message": message(reason, str(body.get("detail") or "")),
        "state": state,
        "reason": reason,
    }


def monitor_status(state: str) -> str:
    """A status that a newer daemon knows and we do not is still under way, as far as we know."""
    known = state in TaskStatus.__members__.values()
    return MONITOR_STATUS[TaskStatus(state)] if known else "pending"


def message(reason: str, detail: str) -> str:
    """What stands beside a node of the tree."""
    return detail or reason.replace("_", " ")


def attention(seq: int, needs: list[NeedsPerson], counts: dict[str, int]) -> AttentionUpdate:
    subjects = [one["subject"] for one in needs]
    return {"id": seq, "type": "attention", "total": sum(counts.values()), "subjects": subjects}


def away(seq: int, error: str, hint: str) -> DaemonUpdate:
    return {"id": seq, "type": "daemon", "reachable": False, "error": error, "hint": hint}


def back(seq: int) -> DaemonUpdate:
    return {"id": seq, "type": "daemon", "reachable": True, "error": "", "hint": ""}
