"""Messages on their way in: a unit's post to its parent or child, and a person's words to any unit.

Stored first; the delivery follows from what is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toryo.domain.errors import Refused
from toryo.domain.ids import TaskId
from toryo.domain.words import MessageType, TaskStatus
from toryo.engine.bus.delivery import store
from toryo.engine.context import HeadContext
from toryo.engine.ids import new_id
from toryo.protocol.views import bus as views
from toryo.reconciler.bus.validation import BadMessage, checked_data, checked_type, refuse_strangers
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.database.unit_rows import UnitMessageRow
from toryo.store.tables import tasks
from toryo.usecases.bus.units import bare, in_tree, is_named, member, own_unit, the_unit

_OVER = (TaskStatus.DONE, TaskStatus.CANCELLED)


@dataclass(frozen=True)
class Post:
    type: str
    data: Any
    to: str = ""
    """Empty: the parent."""
    sender: str = ""
    """Who it says that it is from; it must be the run's own unit."""
    about: str = ""
    """The task it says that it is about; the run's own, too."""
    message: str = ""
    """An id of the sender's: the same one is stored once."""


def post(context: HeadContext, run: str, token: str, wish: Post) -> dict[str, Any]:
    """What a run says on behalf of its unit."""
    type = checked_type(wish.type)
    data = checked_data(type, wish.data)
    with context.store.change() as tx:
        speaker, unit = own_unit(tx, run, token)
        for given, option in ((wish.sender, "--from"), (wish.about, "--task")):
            if not is_named(unit, given):
                raise BadMessage(
                    f"{option} {given[:80]} is not this run's own unit, {unit.unit}.",
                    hint=f"Leave {option} out, or give {unit.unit}.",
                )
        receiver = _receiver(tx, unit, type, data, wish.to)
        row = UnitMessageRow(
            id=wish.message or new_id("m"),
            mission=unit.mission,
            sender=unit.id,
            receiver=receiver.id if receiver else TaskId(""),
            type=type,
            task=unit.id,
            data=data,
            at=tx.now,
            # what nobody is told has arrived
            delivered_at=None if receiver else tx.now,
        )
        store(tx, row, unit.project)
    to = f"unit:{receiver.unit}" if receiver else ""
    return {"success": True, "message": row.id, "to": to, "run": speaker.id, "instruction": _next(type, to)}


def _receiver(tx: Tx, unit: TaskRow, type: MessageType, data: dict[str, Any], to: str) -> TaskRow | None:
    """None: it is kept for people, and nobody is told.

    A result that claims success is told once the work has landed, and then by Toryo."""
    named = in_tree(tx, unit, to) if bare(to) else tasks.get(tx, unit.parent) if unit.parent else None
    if named is not None:
        refuse_strangers(member(unit), member(named))
    upward = named is not None and named.id == unit.parent
    is_claim = type is MessageType.RESULT and not data["is_error"] and upward
    if named is None or type is MessageType.LOG or is_claim:
        return None
    return _still_there(named)


def _still_there(receiver: TaskRow) -> TaskRow:
    if receiver.status in _OVER:
        raise Refused(
            f"{receiver.unit} is {receiver.status}: nobody is there to be told.",
            hint=f"`toryo task show {receiver.id}` shows how it ended.",
        )
    return receiver


def _next(type: MessageType, to: str) -> str:
    if type is MessageType.RESULT:
        return (
            "Kept as your claim. End here: Toryo verifies the work and tells your parent once it has landed."
        )
    return "Go on." if not to else "Go on; an answer comes by itself, or by read_messages."


def send_to_unit(
    context: HeadContext, type: str, data: Any, to: str, message: str, project: str, path: str
) -> views.SentMessage:
    """What a person says to a unit, whichever it is."""
    checked = checked_type(type)
    kept = checked_data(checked, data)
    with context.store.change() as tx:
        unit = the_unit(tx, to, project, path)
        row = say_to_unit(tx, unit, checked, kept, message)
    return {"success": True, "message": row.id, "to": f"unit:{unit.unit}" if row.receiver else ""}


def say_to_unit(
    tx: Tx, unit: TaskRow, type: MessageType, data: dict[str, Any], message: str = ""
) -> UnitMessageRow:
    """A person's words, kept; a line of the log is told to nobody."""
    receiver = None if type is MessageType.LOG else _still_there(unit)
    row = UnitMessageRow(
        id=message or new_id("m"),
        mission=unit.mission,
        receiver=receiver.id if receiver else TaskId(""),
        type=type,
        task=unit.id,
        data=data,
        at=tx.now,
        delivered_at=None if receiver else tx.now,
    )
    store(tx, row, unit.project)
    return row
