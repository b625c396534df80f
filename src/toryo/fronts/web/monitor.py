"""Monitor of the source's page: the map of tasks, the end of a task's log, the attention list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import TypedDict

from toryo.domain.naming import is_unit_id
from toryo.fronts.web import messages
from toryo.protocol.views.tasks import NeedsPerson
from toryo.protocol.wire import ToolFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toryo.fronts.daemon_line import DaemonLine
    from toryo.protocol.views.tasks import TaskLine

RECENT = 2000
PAGE = 1000
LOG_BYTES = 64 * 1024
END = 2**62


class MonitoredTask(TypedDict):
    id: str
    unit: str | None
    """Its place in a tree of units, such as `root-a`; null: it is no unit."""
    status: str
    """pending, completed or error."""
    state: str
    """The status itself."""
    reason: str
    message: str
    children: list[str]
    """Ids of the tasks that are a part of it, as far as they are in this map."""


class MonitoredLog(TypedDict):
    task_id: str
    content: str
    """The last 64 kB of its newest run's output."""
    last_updated: str | None


class Attention(TypedDict):
    needs_you: list[NeedsPerson]
    """Ranked by what an answer unblocks; at most 30."""
    needs_you_counts: dict[str, int]
    """How many there are in all, by status."""


async def tasks(line: DaemonLine, project: str) -> dict[str, MonitoredTask]:
    found = await line.call("list_tasks", {"project": project, "recent": RECENT})
    return as_map(found["tasks"])


async def tasks_page(line: DaemonLine, project: str, after: int) -> tuple[dict[str, MonitoredTask], int]:
    """And where the next page begins; 0: this was the last."""
    found = await line.call("list_tasks", {"project": project, "limit": PAGE, "after_seq": after})
    return as_map(found["tasks"]), int(found["next_after"]) if found["more"] else 0


def as_map(lines: list[TaskLine]) -> dict[str, MonitoredTask]:
    found: dict[str, MonitoredTask] = {
        one["id"]: {
            "id": one["id"],
            "unit": one["unit"],
            "status": messages.monitor_status(one["status"]),
            "state": one["status"],
            "reason": one["reason"],
            "message": messages.message(one["reason"], one["detail"]),
            "children": [],
        }
        for one in lines
    }
    for one in lines:
        if one["parent"] in found:
            found[one["parent"]]["children"].append(one["id"])
    return found


async def log(line: DaemonLine, task: str, project: str) -> MonitoredLog:
    """A unit's id is that of the newest tree; `project`: of the newest one there."""
    named = f"{task}@{project}" if project and is_unit_id(task) else task
    shown = (await line.call("get_task", {"task": named}))["task"]
    runs = shown["runs"]
    if not runs:
        return {"task_id": shown["id"], "content": "", "last_updated": None}
    asked: Mapping[str, Any] = {"run": runs[-1]["id"], "before": END, "limit": LOG_BYTES}
    try:
        page = await line.call("read_log", asked)
    except ToolFailed as refused:
        if refused.body.get("kind") in ("refused", "user"):  # an outside agent's, or it has not begun
            return {"task_id": shown["id"], "content": "", "last_updated": runs[-1]["ended_at"]}
        raise
    text = str(page["text"]).encode("utf-8", "replace")[-LOG_BYTES:].decode("utf-8", "ignore")
    times = [str(at) for _, at in page["times"]]
    updated = page["ended_at"] or (times[-1] if times else page["started_at"])
    return {"task_id": shown["id"], "content": text, "last_updated": updated}


async def attention(line: DaemonLine, project: str = "") -> Attention:
    status = await line.call("get_status", {"project": project} if project else {})
    return {"needs_you": status["needs_you"], "needs_you_counts": status["needs_you_counts"]}
