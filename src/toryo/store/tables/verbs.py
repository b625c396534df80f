"""Verbs: what a person said about a subject. Only ever added; what follows is decided by the reconciler."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from toryo.domain import subjects
from toryo.domain.ids import MissionId, TaskId
from toryo.domain.subjects import Subject
from toryo.store.database.engine import Tx
from toryo.store.database.rows import VerbRow
from toryo.store.database.schema import verbs
from toryo.store.database.statements import add as add_row
from toryo.store.database.statements import every

_OF = select(verbs).where(verbs.c.subject == bindparam("it")).order_by(verbs.c.seq)


def add(tx: Tx, row: VerbRow) -> int:
    return add_row(tx, verbs, row)


def of(tx: Tx, subject: Subject) -> list[VerbRow]:
    """The oldest first."""
    return every(tx, VerbRow, _OF, it=subject)


def of_task(tx: Tx, id: str) -> list[VerbRow]:
    return of(tx, subjects.task(TaskId(id)))


def of_mission(tx: Tx, id: MissionId) -> list[VerbRow]:
    return of(tx, subjects.mission(id))
