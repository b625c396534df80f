"""The journal of orders: `orders/{id}.json` holds the intent before an effect and its outcome after it.

A repeated order is answered from here without doing its effect again; what a lone intent means is left to
each kind of order.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toryo import processes
from toryo.clock import passed
from toryo.domain.words import OrderKind
from toryo.protocol.models import VERSION, Order

KEPT_S = 7 * 24 * 3600.0
"""How long the file of an order that nobody asks about any more is kept."""

_DONE_ONCE = frozenset({OrderKind.RESTORE})
"""What a repetition would refuse: its outcome is to outlive a power cut, too. Every other effect can be
repeated, and the daemon commits what it acknowledges (ADR 28)."""

_ORDER_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Outcome:
    """The fact that ends an order."""

    fact: str
    body: dict[str, Any]
    blobs: dict[str, str] = field(default_factory=dict)
    """Hash → text; large texts travel beside the fact."""


@dataclass(frozen=True)
class Entry:
    """Written about an order: at least that we meant to do it."""

    outcome: Outcome | None


class Journal:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def find(self, order_id: str) -> Entry | None:
        """None: never begun. A file that is half or damaged still says that it was begun.

        OSError: it cannot be read now, so nobody knows."""
        path = self._path(order_id)
        try:
            raw = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError:
            return Entry(None)
        try:
            outcome = raw["outcome"]
            return Entry(Outcome(str(outcome["fact"]), dict(outcome["body"]), dict(outcome["blobs"])))
        except (TypeError, KeyError, ValueError):
            return Entry(None)

    def intend(self, order: Order) -> None:
        """Before the effect. Inputs stay out of the file: they may hold a run's token."""
        if self._outcome(order.id) is None:
            self._write(order, None)

    def conclude(self, order: Order, outcome: Outcome) -> Outcome:
        """After the effect, before it is reported; the outcome that stands: the first one."""
        earlier = self._outcome(order.id)
        if earlier is not None:
            return earlier
        self._write(order, {"fact": outcome.fact, "body": outcome.body, "blobs": outcome.blobs})
        return outcome

    def forget(self, open_orders: Collection[str], now: float | None = None) -> int:
        """Remove what was concluded 7 days ago and is no longer asked for; how many."""
        limit = (passed() if now is None else now) - KEPT_S
        gone = 0
        for path in self.folder.glob("*.json"):
            if path.stem in open_orders:
                continue
            try:
                if path.stat().st_mtime < limit:
                    path.unlink()
                    gone += 1
            except FileNotFoundError:
                continue  # another process of the same name removed it
        return gone

    def _outcome(self, order_id: str) -> Outcome | None:
        entry = self.find(order_id)
        return entry.outcome if entry is not None else None

    def _path(self, order_id: str) -> Path:
        if not _ORDER_ID.fullmatch(order_id):
            raise ValueError(f"not an order's id: {order_id!r}")
        return self.folder / f"{order_id}.json"

    def _write(self, order: Order, outcome: dict[str, Any] | None) -> None:
        text = json.dumps(
            {
                "version": VERSION,
                "order": order.id,
                "kind": order.kind,
                "key": order.key,
                "run": order.run,
                "generation": order.generation,
                "outcome": outcome,
            }
        )
        durably = outcome is not None and order.kind in _DONE_ONCE
        write_whole(self._path(order.id), text.encode(), durably=durably)


def write_whole(path: Path, content: bytes, *, durably: bool = False) -> None:
    """Whole or not at all, 0600; `durably`: also after a power cut."""
    # two processes of one name may write at once (one supersedes the other): never into the same half file
    half = path.with_name(f"{path.name}.{processes.own_pid()}.{threading.get_ident()}")
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with open(handle, "wb", closefd=False) as file:
            file.write(content)
        if durably:
            os.fsync(handle)
    except OSError:
        half.unlink(missing_ok=True)
        raise
    finally:
        os.close(handle)
    half.replace(path)
    if durably:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """A new name is on the disk only after this."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
