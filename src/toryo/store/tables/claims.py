"""Claims: what agents said. Only ever added."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from toryo.store.database.engine import Tx
from toryo.store.database.rows import ClaimRow
from toryo.store.database.schema import claims
from toryo.store.database.statements import add, every

_OF_TASK = select(claims).where(claims.c.task == bindparam("it")).order_by(claims.c.seq)
_OF_RUN = select(claims).where(claims.c.run == bindparam("it")).order_by(claims.c.seq)


def insert(tx: Tx, row: ClaimRow) -> int:
    return add(tx, claims, row)


def of_task(tx: Tx, task: str) -> list[ClaimRow]:
    return every(tx, ClaimRow, _OF_TASK, it=task)


def of_run(tx: Tx, run: str) -> list[ClaimRow]:
    return every(tx, ClaimRow, _OF_RUN, it=run)
