"""Evidence: the bundle of facts that a done task stands on. Only ever added."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from toryo.store.database.engine import Tx
from toryo.store.database.rows import EvidenceRow
from toryo.store.database.schema import evidence
from toryo.store.database.statements import add, every, first

_GET = select(evidence).where(evidence.c.id == bindparam("it"))
_OF_TASK = select(evidence).where(evidence.c.task == bindparam("it")).order_by(evidence.c.at, evidence.c.id)


def insert(tx: Tx, row: EvidenceRow) -> None:
    add(tx, evidence, row)


def get(tx: Tx, id: str) -> EvidenceRow | None:
    return first(tx, EvidenceRow, _GET, it=id)


def of_task(tx: Tx, task: str) -> list[EvidenceRow]:
    """The oldest first."""
    return every(tx, EvidenceRow, _OF_TASK, it=task)
