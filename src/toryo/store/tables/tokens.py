"""Tokens: who may speak for a run. They end by themselves or by a word; occupancy is not their business."""

from __future__ import annotations

from sqlalchemy import bindparam, case, func, select, update

from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TokenRow
from toryo.store.database.schema import tokens
from toryo.store.database.statements import add, every, first

_GET = select(tokens).where(tokens.c.hash == bindparam("it"))
_NOT_ENDED = select(tokens).where(tokens.c.ended_at.is_(None)).order_by(tokens.c.expires_at)
_ACTIVE_OF_PAIR = _NOT_ENDED.where(
    tokens.c.agent == bindparam("agent"),
    tokens.c.project == bindparam("project"),
    tokens.c.expires_at > bindparam("now"),
)
_ACTIVE = _NOT_ENDED.where(tokens.c.expires_at > bindparam("now"))
_EXPIRED = _NOT_ENDED.where(tokens.c.expires_at <= bindparam("now"))
_OF_RUN = select(tokens).where(tokens.c.run == bindparam("it")).order_by(tokens.c.expires_at)
_END = (
    update(tokens)
    .where(tokens.c.hash == bindparam("it"), tokens.c.ended_at.is_(None))
    .values(ended_at=bindparam("now"), ended_by=bindparam("by"))
)
_END_OF_RUN = (
    update(tokens)
    .where(tokens.c.run == bindparam("it"), tokens.c.ended_at.is_(None))
    .values(ended_at=bindparam("now"), ended_by=bindparam("by"))
)
_RENEW = (
    update(tokens)
    .where(tokens.c.run == bindparam("it"), tokens.c.ended_at.is_(None))
    .values(
        expires_at=case((tokens.c.limit_at < bindparam("until"), tokens.c.limit_at), else_=bindparam("until"))
    )
)


def insert(tx: Tx, row: TokenRow) -> None:
    add(tx, tokens, row)


def get(tx: Tx, hash: str) -> TokenRow | None:
    return first(tx, TokenRow, _GET, it=hash)


def end(tx: Tx, hash: str, by: str) -> None:
    """A token ends once: the first reason stays."""
    prepared.write(tx.conn, _END, {"it": hash, "now": tx.now, "by": by})


def end_of_run(tx: Tx, run: str, by: str) -> None:
    """All that were given for it."""
    prepared.write(tx.conn, _END_OF_RUN, {"it": run, "now": tx.now, "by": by})


def active_of_pair(tx: Tx, agent: str, project: str, now: float) -> list[TokenRow]:
    return every(tx, TokenRow, _ACTIVE_OF_PAIR, agent=agent, project=project, now=now)


def active(tx: Tx, now: float) -> list[TokenRow]:
    return every(tx, TokenRow, _ACTIVE, now=now)


def of_run(tx: Tx, run: str) -> list[TokenRow]:
    return every(tx, TokenRow, _OF_RUN, it=run) if run else []


def renew(tx: Tx, run: str, expires_at: float) -> None:
    """Have the run's tokens live until then, but never beyond their own limit."""
    if run:
        prepared.write(tx.conn, _RENEW, {"it": run, "until": expires_at})


def expired(tx: Tx, now: float) -> list[TokenRow]:
    """Those whose time is over and that nobody has ended yet."""
    return every(tx, TokenRow, _EXPIRED, now=now)


_PUT_EXPIRY = update(tokens).where(tokens.c.hash == bindparam("it")).values(expires_at=bindparam("until"))
_BIND = update(tokens).where(tokens.c.hash == bindparam("it")).values(run=bindparam("to"))
_NEXT_EXPIRY = select(func.min(tokens.c.expires_at)).where(tokens.c.ended_at.is_(None))


def put_expiry(tx: Tx, hash: str, until: float) -> None:
    prepared.write(tx.conn, _PUT_EXPIRY, {"it": hash, "until": until})


def bind(tx: Tx, hash: str, run: str) -> None:
    """From now on the token speaks for that run."""
    prepared.write(tx.conn, _BIND, {"it": hash, "to": run})


def next_expiry(tx: Tx) -> float | None:
    found = prepared.value(tx.conn, _NEXT_EXPIRY)
    return None if found is None else float(found)
