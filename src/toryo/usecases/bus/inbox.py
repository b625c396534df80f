"""Inboxes of units: what a run reads of its own, what a person sees of any; dead letters are cleared here."""

from __future__ import annotations

from typing import Any

from toryo.engine.bus.delivery import note_read
from toryo.engine.bus.letters import exported, line_of, viewed
from toryo.engine.context import HeadContext
from toryo.engine.units.files import status_text
from toryo.protocol.views import bus as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import RunRow
from toryo.store.database.unit_rows import UnitMessageRow
from toryo.store.gather import unit_facts
from toryo.store.tables.units import unit_messages
from toryo.usecases.bus.units import own_unit, the_unit
from toryo.usecases.finding import project_at

MOST = 100


def read_messages(context: HeadContext, run: str, token: str, after: int, *, peek: bool) -> dict[str, Any]:
    """What is new for the run's unit behind that place, and what this run has read behind it before: asked
    again with the same place after a broken line, the answer is the same.

    It is noted as read, as is what lies before the place. A peek shows only what is new, and leaves it."""
    with context.store.change() as tx:
        speaker, unit = own_unit(tx, run, token)
        waiting = unit_messages.waiting(tx, unit.id)
        told = [] if peek else unit_messages.told_to(tx, unit.id, speaker.id)
        again = [one for one in told if _read_by(one, speaker)]
        found = sorted((*waiting, *again), key=lambda one: one.seq)
        found = [one for one in found if one.seq > after][:MOST]
        shown = [_shown(tx, one) for one in found]
        taken = {one.seq for one in waiting if one.seq <= after}
        if not peek:
            taken |= {one.seq for one in found}
        note_read(tx, [one for one in waiting if one.seq in taken], speaker)
        status = status_text(tx, unit) if unit_facts.children(tx, unit) else ""
    place = found[-1].seq if found else after
    hint = f"Go on. `after`: {place} asks for later ones only." if found else "Nothing new. Go on."
    return {
        "success": True,
        "messages": shown,
        "next": place,
        "children_status": status,
        "instruction": hint,
    }


def _read_by(row: UnitMessageRow, run: RunRow) -> bool:
    """Not what its prompt had: that was told when the run was made."""
    return row.delivered_at is not None and row.delivered_at > run.created_at


def _shown(tx: Tx, row: UnitMessageRow) -> dict[str, Any]:
    return {
        **exported(tx, row),
        "seq": row.seq,
        "line": line_of(tx, row),
        "is_new": row.delivered_at is None,
    }


def list_messages(
    context: HeadContext, unit: str, project: str, path: str, after: int, limit: int
) -> views.ListedMessages:
    with context.store.read() as tx:
        row = the_unit(tx, unit, project, path)
        found = unit_messages.addressed_to(tx, row.id, after, limit)
        return {
            "success": True,
            "unit": row.unit,
            "task": row.id,
            "messages": [viewed(tx, one) for one in found],
        }


def clear_messages(context: HeadContext, unit: str, project: str, path: str) -> views.ClearedMessages:
    """A person has seen to the dead letters of a unit: they wait for nobody any more."""
    with context.store.change() as tx:
        row = the_unit(tx, unit, project, path)
        dead = [one for one in unit_messages.waiting(tx, row.id) if one.dead]
        unit_messages.deliver(tx, dead, "")
        if dead:
            tx.emit("messages_cleared", {"count": len(dead)}, project=row.project, task=row.id)
        return {"success": True, "unit": row.unit, "cleared": len(dead)}


def export_messages(
    context: HeadContext, after: int, limit: int, project: str, path: str
) -> views.ExportedMessages:
    """A page of bus.jsonl, one line a stored message."""
    with context.store.read() as tx:
        here = project_at(tx, project, path)
        found = unit_messages.page(tx, after, limit, here.id if here else "")
        return {
            "success": True,
            "messages": [exported(tx, one) for one in found],
            "next": found[-1].seq if found else after,
        }
