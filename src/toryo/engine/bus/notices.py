"""Notices of Toryo to a parent unit: what became of a child, by facts. A child's own post is a claim."""

from __future__ import annotations

from typing import Any

from toryo.domain.words import MessageType, TaskStatus
from toryo.engine.bus.delivery import store
from toryo.engine.ids import new_id
from toryo.reconciler.bus.lines import said_in
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.database.unit_rows import UnitMessageRow
from toryo.store.tables import claims, runs, tasks
from toryo.store.tables.units import unit_messages

_RESTS = (TaskStatus.DONE, TaskStatus.FAILED, TaskStatus.CANCELLED)
_OVER = (TaskStatus.DONE, TaskStatus.CANCELLED)


def tell_parent(tx: Tx, child: TaskRow, status: TaskStatus, reason: str, detail: str) -> None:
    """The child has landed, or it will not."""
    parent = tasks.get(tx, child.parent) if status in _RESTS else None
    if parent is None or not parent.unit or parent.status in _OVER:
        return
    posted = unit_messages.newest_result(tx, child.id)
    if status is TaskStatus.DONE:
        data = _completed(tx, child, posted)
    elif posted is not None and posted.data.get("is_error") and posted.at >= _begun_at(tx, child):
        return  # the parent was told by the child itself
    else:
        why = f"{reason}: {detail}" if reason and detail else reason or detail
        data = {"is_error": True, "message": f"{status} ({why})" if why else str(status)}
    row = UnitMessageRow(
        id=new_id("m"),
        mission=child.mission,
        receiver=parent.id,
        type=MessageType.RESULT,
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
