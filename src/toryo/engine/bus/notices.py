"""Notices of Toryo to a parent unit: what became of a child, by facts. A child's own post is a claim."""

from __future__ import annotations

from typing import Any

from toryo.domain.reasons import Reason
from toryo.domain.words import ENDED, MessageType, TaskStatus, is_at_rest
from toryo.engine.bus.delivery import store
from toryo.engine.ids import new_id
from toryo.reconciler.bus.lines import said_in
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.database.unit_rows import UnitMessageRow
from toryo.store.tables import claims, runs, tasks
from toryo.store.tables.units import unit_messages

_OVER = (TaskStatus.DONE, TaskStatus.CANCELLED)


def tell_parent(tx: Tx, child: TaskRow, status: TaskStatus, reason: str, detail: str) -> None:
    """Once as the child comes to rest, by its landing or without one, and once as its landing begins to wait
    for the parent's worktree. `child` is as it was before."""
    if not _is_news(child, status, reason):
        return
    parent = tasks.get(tx, child.parent)
    if parent is None or not parent.unit or parent.status in _OVER:
        return
    if reason == Reason.WAITING_FOR_PARENT:
        _tell(tx, child, parent, MessageType.PROGRESS, {"message": _waits(detail)})
        return
    posted = unit_messages.newest_result(tx, child.id)
    if status is TaskStatus.DONE:
        data = _completed(tx, child, posted)
    elif posted is not None and posted.data.get("is_error") and posted.at >= _begun_at(tx, child):
        return  # the parent was told by the child itself
    else:
        why = f"{reason}: {detail}" if reason and detail else reason or detail
        data = {"is_error": True, "message": f"{status} ({why})" if why else str(status)}
    _tell(tx, child, parent, MessageType.RESULT, data)


def _is_news(child: TaskRow, status: TaskStatus, reason: str) -> bool:
    """Other words about the same rest are none."""
    if status == child.status and (status in ENDED or reason == child.reason):
        return False
    return is_at_rest(status, reason) or reason == Reason.WAITING_FOR_PARENT


def _waits(detail: str) -> str:
    paths = detail.partition(": ")[2] or detail
    return f"its work waits for your worktree: {paths}; commit what you changed there, or put it back"


def _tell(tx: Tx, child: TaskRow, parent: TaskRow, type: MessageType, data: dict[str, Any]) -> None:
    row = UnitMessageRow(
        id=new_id("m"),
        mission=child.mission,
        receiver=parent.id,
        type=type,
        task=child.id,
        data=data,
        at=tx.now,
    )
    store(tx, row, child.project)


def _completed(tx: Tx, child: TaskRow, posted: UnitMessageRow | None) -> dict[str, Any]:
    """What the child said of its work stays its words; that it is complete, Toryo says."""
    data = dict(posted.data) if posted is not None and not posted.data.get("is_error") else {}
    if not said_in(data):
        summaries = [claim.summary for claim in claims.of_task(tx, child.id) if claim.summary]
        data["message"] = summaries[-1] if summaries else child.title
    return {**data, "is_error": False}


def _begun_at(tx: Tx, child: TaskRow) -> float:
    newest = next(reversed(runs.of_task(tx, child.id)), None)
    return newest.created_at if newest else 0
