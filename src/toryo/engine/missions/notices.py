"""Notices of missions: which of their events a person is told of, and as what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toryo.domain.words import MissionStatus, Verb
from toryo.engine.missions import attention, judge_questions
from toryo.reconciler.notices import DONE, FAILED, NEEDS_YOU, Change
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import EventRow

STATUS, ASKS = "mission_status", "mission_asks"
_SAID = ("approved", "rejected", "said", "answered", "budget", "set", *Verb)
KINDS = frozenset({STATUS, ASKS, *(f"mission_{one}" for one in _SAID)})
"""Events that are looked at: a change of status, a question, or a person's own word."""


def mission_of(event: EventRow) -> str:
    return str(event.body.get("mission") or "") if event.kind in KINDS else ""


def kind_of(tx: Tx, row: MissionRow) -> str:
    """What a person would be told of it as it is now; a question about one stuck task counts, too."""
    return NEEDS_YOU if judge_questions.open_of(tx, row) else _kind(row)


def change(event: EventRow, row: MissionRow) -> Change:
    if event.kind == ASKS:
        return Change(event.seq, event.at, row.id, NEEDS_YOU)
    if event.kind != STATUS:
        return Change(event.seq, event.at, row.id, by_person=True)
    body = event.body
    then = replace(row, status=str(body.get("status", "")), reason=str(body.get("reason", "")))
    return Change(event.seq, event.at, row.id, _kind(then))


def about(tx: Tx, row: MissionRow) -> dict[str, Any]:
    """What is said of it: why, and the line to type."""
    found = attention.of_mission(tx, row)
    return {"mission": row.id, "why": found["why"], "type": found["type"]}


def _kind(row: MissionRow) -> str:
    if row.status == MissionStatus.COMPLETED:
        return DONE
    if row.status == MissionStatus.FAILED:
        return FAILED
    return NEEDS_YOU if row.status != MissionStatus.CANCELLED and attention.waits(row) else ""
