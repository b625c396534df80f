"""Outbox of facts that the daemon has not acknowledged yet: one durable file each, numbers only grow.

Sending them is left to the reporter; nothing here is given up before it was acknowledged.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toryo.files import sync_folder, write_whole
from toryo.place.fitting import fitted
from toryo.protocol.kinds.table import FINAL
from toryo.protocol.order import Fact
from toryo.protocol.wire import LONGEST_LINE

BATCH_FACTS = 100
BATCH_BYTES = LONGEST_LINE - 65536
"""Room for the envelope stays."""

_BLOCK = 10_000
_BLOCK_NAME = ".block"
_BLOCKS_KEPT = 100
"""How many used block names are kept: a process with an old listing must not reserve one twice."""

_JSON = json.JSONEncoder(ensure_ascii=False)
_FINAL = frozenset().union(*FINAL.values())


def is_final(fact: Fact) -> bool:
    """Whether this fact ends its order."""
    return bool(fact.order) and fact.kind in _FINAL


@dataclass(frozen=True)
class _Pending:
    fact: Fact
    size: int
    has_blobs: bool
    subject: str


@dataclass(frozen=True)
class Batch:
    facts: tuple[Fact, ...]
    blobs: dict[str, str]


class Outbox:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = threading.Lock()
        self._next = self._end = 0
        self._pending: dict[int, _Pending] = {}
        for path in sorted(folder.glob("*.json")):
            self._load(path)

    def add(
        self,
        kind: str,
        body: Mapping[str, Any],
        *,
        order: str = "",
        generation: int = 0,
        blobs: Mapping[str, str] | None = None,
        subject: str = "",
        keep: bool = True,
    ) -> Fact:
        """Durable when this returns, unless `keep` comes later by `keep_waiting`.

        A pending fact with the same `subject` is replaced by the newer one."""
        with self._lock:
            text = _as_told(body)
            fact = Fact(
                seq=self._number(), kind=kind, order=order, generation=generation, body=json.loads(text)
            )
            # a fact that never fits a line would hold up all others
            fit = fitted(fact, blobs or {}, BATCH_BYTES, len(text))
            if keep:
                self._keep(fit.fact, fit.blobs, subject)
            older = [seq for seq, one in self._pending.items() if subject and one.subject == subject]
            self._pending[fact.seq] = _Pending(fit.fact, fit.size, bool(fit.blobs), subject)
            self._drop(older)
            return fit.fact

    def keep_waiting(self, fact: Fact) -> None:
        """Make a fact durable that was not acknowledged at once."""
        with self._lock:
            if fact.seq in self._pending:
                self._keep(fact, {}, "")

    def batch(self, aside: Iterable[int] = ()) -> Batch | None:
        """The oldest facts that fit one call, without those set aside; None if there is nothing to send."""
        skipped = set(aside)
        facts: list[Fact] = []
        blobs: dict[str, str] = {}
        length = 0
        with self._lock:
            for seq, one in self._pending.items():
                if seq in skipped:
                    continue
                length += one.size
                if facts and (length > BATCH_BYTES or len(facts) == BATCH_FACTS):
                    break
                facts.append(one.fact)
                if one.has_blobs:
                    blobs |= self._blobs(seq)
        return Batch(tuple(facts), blobs) if facts else None

    def alone(self, fact: Fact) -> Batch:
        """One fact with its own blobs."""
        with self._lock:
            one = self._pending.get(fact.seq)
            return Batch((fact,), self._blobs(fact.seq) if one is not None and one.has_blobs else {})

    def acknowledge(self, numbers: Iterable[int]) -> None:
        with self._lock:
            self._drop(numbers)

    def answered_orders(self) -> frozenset[str]:
        """Orders whose final fact is on the way."""
        with self._lock:
            return frozenset(one.fact.order for one in self._pending.values() if is_final(one.fact))

    def __len__(self) -> int:
        return len(self._pending)

    def _path(self, seq: int) -> Path:
        return self._folder / f"{seq:015d}.json"

    def _keep(self, fact: Fact, blobs: Mapping[str, str], subject: str) -> None:
        record = {"fact": fact.model_dump(mode="json"), "blobs": dict(blobs), "subject": subject}
        write_whole(self._path(fact.seq), json.dumps(record).encode(), durably=True)

    def _load(self, path: Path) -> None:
        try:
            record = json.loads(path.read_bytes())
            fact = Fact.model_validate(record["fact"])
            fit = fitted(fact, dict(record["blobs"]), BATCH_BYTES)
            subject = str(record["subject"])
        except (OSError, ValueError, KeyError, TypeError):
            # written whole or not at all, so this is damage: kept for a person, never sent
            path.rename(path.with_suffix(".damaged"))
            return
        self._pending[fact.seq] = _Pending(fit.fact, fit.size, bool(fit.blobs), subject)

    def _blobs(self, seq: int) -> dict[str, str]:
        try:
            return dict(json.loads(self._path(seq).read_bytes())["blobs"])
        except (OSError, ValueError, KeyError):
            return {}

    def _drop(self, numbers: Iterable[int]) -> None:
        for seq in numbers:
            if self._pending.pop(seq, None) is not None:
                with suppress(OSError):  # one that stays is sent once more after a restart
                    self._path(seq).unlink(missing_ok=True)

    def _number(self) -> int:
        if self._next == self._end:
            self._next = self._reserve()
            self._end = self._next + _BLOCK
        self._next += 1
        return self._next - 1

    def _reserve(self) -> int:
        """The first number of a block that no other process, before or beside us, was given.

        By a name that only one can make: behind a lock, a stopped process would stop its successor, too."""
        taken = sorted(self._folder.glob(f"*{_BLOCK_NAME}"))
        first = max(self._counted(), *(seq + 1 for seq in (*self._pending, 0)))
        first = max(first, *(int(one.stem) + _BLOCK for one in taken[-1:]), 0)
        while True:
            name = self._folder / f"{first:020d}{_BLOCK_NAME}"
            try:
                os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
                break
            except FileExistsError:
                first += _BLOCK
        sync_folder(self._folder)
        for old in taken[:-_BLOCKS_KEPT]:
            old.unlink(missing_ok=True)
        return first

    def _counted(self) -> int:
        """Up to where an older version gave numbers."""
        try:
            text = (self._folder / "numbers").read_text().strip()
        except OSError:
            return 1
        return int(text) if text.isdigit() else 1


def _as_told(body: Mapping[str, Any]) -> bytes:
    """As the other side reads it: tuples become lists, lone surrogates of odd file names question marks."""
    return _JSON.encode(dict(body)).encode("utf-8", "replace")
