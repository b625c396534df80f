"""Letters of the bus: a stored message as the line that its receiver reads, and as its row of the export."""

from __future__ import annotations

from toryo.domain.times import iso
from toryo.domain.words import MessageType
from toryo.protocol.views.bus import ExportedMessage, MessageView
from toryo.reconciler.bus import lines
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.database.unit_rows import UnitMessageRow
from toryo.store.tables import tasks

PERSON, TORYO = "person", "toryo"


def line_of(tx: Tx, row: UnitMessageRow) -> str:
    receiver = tasks.get(tx, row.receiver)
    about = _speaker(tx, row)
    if about is None or receiver is None:
        return lines.from_person(row.type, row.data)
    if about.parent == receiver.id:
        return lines.from_child(about.unit, row.type, row.data, about.title)
    return lines.from_parent(about.unit, row.type, row.data)


def _speaker(tx: Tx, row: UnitMessageRow) -> TaskRow | None:
    """The unit that says it, or of which Toryo says it; None: a person does."""
    if row.sender:
        return tasks.get(tx, row.sender)
    return tasks.get(tx, row.task) if _is_ours(row) else None


def _is_ours(row: UnitMessageRow) -> bool:
    """What a person says to a unit is about that unit; what Toryo tells a parent, about its child."""
    return not row.sender and row.task not in ("", row.receiver)


def exported(tx: Tx, row: UnitMessageRow) -> ExportedMessage:
    return {
        "id": row.id,
        "ts": iso(row.at),
        "from": _address(tx, row.sender) or (TORYO if _is_ours(row) else PERSON),
        # a claim or a line of the log has no other reader than Toryo
        "to": _address(tx, row.receiver) or (MessageType.LOG if row.type == MessageType.LOG else TORYO),
        "type": row.type,
        "task_id": row.task,
        "data": dict(row.data),
    }


def viewed(tx: Tx, row: UnitMessageRow) -> MessageView:
    if row.delivered_at is not None:
        state = "delivered" if row.delivered_run or not row.receiver else "cleared"
    else:
        state = "dead" if row.dead else "waiting"
    return {
        **exported(tx, row),
        "seq": row.seq,
        "line": line_of(tx, row) if row.receiver else "",
        "state": state,
        "attempts": row.attempts,
        "delivered_at": iso(row.delivered_at) if row.delivered_at is not None else None,
        "run": row.delivered_run,
    }


def _address(tx: Tx, task: str) -> str:
    row = tasks.get(tx, task) if task else None
    return f"unit:{row.unit}" if row else ""
