"""Order journal: `orders/{id}.json` holds the intent before an effect and its outcome after it.

A repeated order is answered from here without doing its effect again; what a lone intent means is left to
each kind of order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toryo.clock import passed
from toryo.files import write_whole
from toryo.protocol.order import VERSION, Order

KEPT_S = 7 * 24 * 3600.0
"""How long the file of an order that nobody asks about any more is kept."""

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

    def conclude(self, order: Order, outcome: Outcome, *, durably: bool = False) -> Outcome:
        """After the effect, before it is reported; the outcome that stands: the first one.

        `durably`: also for a power cut. Most effects can be repeated, and the daemon commits what it
        acknowledges (ADR 28)."""
        earlier = self._outcome(order.id)
        if earlier is not None:
            return earlier
        told = {"fact": outcome.fact, "body": outcome.body, "blobs": outcome.blobs}
        self._write(order, told, durably)
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

    def _write(self, order: Order, outcome: dict[str, Any] | None, durably: bool = False) -> None:
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
        write_whole(self._path(order.id), text.encode(), durably=durably)
