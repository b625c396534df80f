"""Facts as they were reported: only ever added."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, select

from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import FactRow
from toryo.store.database.schema import FACT_OF_GATE, FACT_OF_LANDING, NOT_APPLIED, facts
from toryo.store.database.statements import add, every

_BY_SEQ = select(facts).where(facts.c.standing == bindparam("standing")).order_by(facts.c.seq)
_OF_RUN = _BY_SEQ.where(facts.c.run == bindparam("it"))
_TOLD_OF_RUN = (
    select(facts.c.kind, facts.c.body, facts.c.at)
    .where(facts.c.standing == "applied", facts.c.run == bindparam("it"))
    .order_by(facts.c.seq)
)
_OF_LANDING = _BY_SEQ.where(facts.c.landing == bindparam("it"), FACT_OF_LANDING)
_OF_GATE = _BY_SEQ.where(facts.c.gate == bindparam("it"), FACT_OF_GATE)
_WITH_STANDING = (
    select(facts)
    .where(facts.c.standing == bindparam("standing"), NOT_APPLIED)
    .order_by(facts.c.seq.desc())
    .limit(bindparam("most"))
)


def insert(tx: Tx, row: FactRow) -> int:
    return add(tx, facts, row)


def of_run(tx: Tx, run: str, standing: str = "applied") -> list[FactRow]:
    return every(tx, FactRow, _OF_RUN, it=run, standing=standing)


def told_of_run(tx: Tx, run: str) -> list[tuple[str, dict[str, Any], float]]:
    """Kind, body and time of those that were applied."""
    return [(str(kind), body, at) for kind, body, at in prepared.rows(tx.conn, _TOLD_OF_RUN, {"it": run})[1]]


def of_landing(tx: Tx, landing: str, standing: str = "applied") -> list[FactRow]:
    return every(tx, FactRow, _OF_LANDING, it=landing, standing=standing)


def of_gate(tx: Tx, gate: str, standing: str = "applied") -> list[FactRow]:
    return every(tx, FactRow, _OF_GATE, it=gate, standing=standing)


def with_standing(tx: Tx, standing: str, limit: int = 100) -> list[FactRow]:
    """Late or orphan ones, the newest first: they are shown to people."""
    return every(tx, FactRow, _WITH_STANDING, standing=standing, most=limit)


_OF_ORDER = select(facts).where(facts.c.order == bindparam("it")).order_by(facts.c.seq)
_HAS = (
    select(facts.c.seq)
    .where(
        facts.c.order == bindparam("it"),
        facts.c.kind == bindparam("kind"),
        facts.c.standing.in_(bindparam("standings", expanding=True)),
    )
    .limit(1)
)


def of_order(tx: Tx, order: str) -> list[FactRow]:
    return every(tx, FactRow, _OF_ORDER, it=order)


def has(tx: Tx, order: str, kind: str, standing: str) -> bool:
    """Whether it was taken before: applied, or kept with that standing."""
    given = {"it": order, "kind": kind, "standings": ["applied", standing]}
    return prepared.value(tx.conn, _HAS, given) is not None
