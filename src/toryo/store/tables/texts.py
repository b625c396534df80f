"""Text blobs (prompts, titles) by the SHA-256 of their text: committed together with what needs them."""

from __future__ import annotations

from sqlalchemy import bindparam, select

from toryo.store.database import prepared
from toryo.store.database.blobs import blob_hash
from toryo.store.database.engine import Tx
from toryo.store.database.rows import storable
from toryo.store.database.schema import texts
from toryo.store.database.statements import add_if_absent

_GET = select(texts.c.text).where(texts.c.hash == bindparam("it"))


def put(tx: Tx, text: str) -> str:
    """The text's hash; the text is kept when the transaction is."""
    kept = storable({"text": text})["text"]
    name = blob_hash(kept)
    add_if_absent(tx, texts, {"hash": name, "text": kept}, "hash")
    return name


def get(tx: Tx, hash: str) -> str | None:
    found = prepared.value(tx.conn, _GET, {"it": hash})
    return None if found is None else str(found)
