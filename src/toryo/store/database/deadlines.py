"""Every deadline in the store, moved together when the machine slept."""

from __future__ import annotations

from sqlalchemy import bindparam, update

from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.schema import coordinators, marks, targets, tokens

_EXTEND = (
    update(tokens)
    .where(tokens.c.ended_at.is_(None))
    .values(expires_at=tokens.c.expires_at + bindparam("gap"), limit_at=tokens.c.limit_at + bindparam("gap")),
    update(coordinators)
    .where(coordinators.c.seen_at.is_not(None))
    .values(seen_at=coordinators.c.seen_at + bindparam("gap")),
    update(targets).where(targets.c.retry_at > 0).values(retry_at=targets.c.retry_at + bindparam("gap")),
    update(marks).where(marks.c.look_at > 0).values(look_at=marks.c.look_at + bindparam("gap")),
)


def extend(tx: Tx, gap_s: float) -> None:
    for statement in _EXTEND:
        prepared.write(tx.conn, statement, {"gap": gap_s})
