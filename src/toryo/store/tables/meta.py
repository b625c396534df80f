"""Installation-wide values by name, and secrets that are made on first use."""

from __future__ import annotations

import secrets as random

from sqlalchemy import bindparam, delete, insert, select

from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.schema import meta, secrets

_GET = select(meta.c.value).where(meta.c.key == bindparam("it"))
_DELETE = delete(meta).where(meta.c.key == bindparam("it"))
_INSERT = insert(meta)
_SECRET = select(secrets.c.value).where(secrets.c.name == bindparam("it"))
_INSERT_SECRET = insert(secrets)


def get(tx: Tx, key: str) -> str | None:
    found = prepared.value(tx.conn, _GET, {"it": key})
    return None if found is None else str(found)


def put(tx: Tx, key: str, value: str) -> None:
    prepared.write(tx.conn, _DELETE, {"it": key})
    prepared.write(tx.conn, _INSERT, {"key": key, "value": value})


def drop(tx: Tx, key: str) -> None:
    prepared.write(tx.conn, _DELETE, {"it": key})


def secret(tx: Tx, name: str) -> bytes:
    """32 random bytes, the same for that name ever after."""
    found = prepared.value(tx.conn, _SECRET, {"it": name})
    if found is not None:
        return bytes(found)
    made = random.token_bytes(32)
    prepared.write(tx.conn, _INSERT_SECRET, {"name": name, "value": made})
    return made
