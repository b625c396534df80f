"""Asks that are open: held in memory, handed over beside orders, ended by an answer, their asker or time.

Who may ask and what is asked are the tools'; who may answer is the coordinator that took one.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from toryo.daemon.core.changes import Changes, asks_topic
from toryo.domain.errors import Unavailable
from toryo.engine.ids import new_id
from toryo.usecases.asks.read import Read
from toryo.usecases.runs.remote_reads import nobody_answered

MOST_OF_PLACE = 64
MOST_OF_ASKER = 8


class TooManyAsks(Unavailable):
    """So many asks are open that one more would only wait."""

    way_out = "Again in a moment, when one of them is answered."


class DaemonLeaves(Unavailable):
    """The daemon ends before a coordinator could answer."""

    way_out = "Again in a moment; `toryo up` starts it, if nobody does."


@dataclass
class _Open:
    id: str
    asker: int
    place: str
    read: dict[str, Any]
    until: float
    answer: asyncio.Future[dict[str, Any]]
    taker: str = ""


class Asks:
    """Changed in the event loop's thread; asked by the writer's thread as well."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._loop = asyncio.get_running_loop()
        self._open: dict[str, _Open] = {}
        self._lock = threading.Lock()
        self._closed = False

    def __len__(self) -> int:
        return len(self._open)

    async def ask(
        self, asker: int, read: Read, within_s: float, *, taken_within_s: float | None = None
    ) -> dict[str, Any]:
        """The answer's body. `asker`: its connection; when that ends this is cancelled, and nobody is asked
        any more. `taken_within_s`: a coordinator that listens takes an ask at once; one that does not is not
        waited for."""
        one = self._begin(asker, read, within_s)
        self._changes.bump((asks_topic(read.place),))
        try:
            async with asyncio.timeout(within_s):
                if taken_within_s is not None:
                    await asyncio.wait((one.answer,), timeout=taken_within_s)
                    if not one.taker:
                        raise TimeoutError
                return await one.answer
        except TimeoutError:
            raise nobody_answered(str(one.read["what"])) from None
        finally:
            with self._lock:
                del self._open[one.id]

    def _begin(self, asker: int, read: Read, within_s: float) -> _Open:
        if self._closed:
            raise DaemonLeaves
        of_askers = Counter(one.asker for one in self._open.values())
        of_places = Counter(one.place for one in self._open.values())
        if of_askers[asker] >= MOST_OF_ASKER:
            raise TooManyAsks(f"This connection has {MOST_OF_ASKER} asks open.")
        if of_places[read.place] >= MOST_OF_PLACE:
            raise TooManyAsks(f"{MOST_OF_PLACE} asks are open at {read.place}.")
        one = _Open(
            id=new_id("k"),
            asker=asker,
            place=read.place,
            read=read.inputs.model_dump(mode="json"),
            until=self._loop.time() + within_s,
            answer=self._loop.create_future(),
        )
        with self._lock:
            self._open[one.id] = one
        return one

    def are_waiting(self, places: Collection[str]) -> bool:
        """Whether nobody took one that is addressed there."""
        with self._lock:
            return any(not one.taker and one.place in places for one in self._open.values())

    def take(self, taker: str, places: Collection[str], *, anew: bool) -> list[dict[str, Any]]:
        """Those that nobody took, as they travel. `anew`: the taker knows of none, so those that it took
        before are handed over once more."""
        with self._lock:
            found = [
                one
                for one in self._open.values()
                if one.place in places and (not one.taker or (anew and one.taker == taker))
            ]
            for one in found:
                one.taker = taker
        now = self._loop.time()
        return [
            {"id": one.id, "within_s": round(max(0.0, one.until - now), 3), "read": one.read} for one in found
        ]

    def put(self, taker: str, id: str, body: dict[str, Any]) -> bool:
        """False: nobody waits for it any more, or it was handed to another one."""
        one = self._open.get(id)
        if one is None or one.taker != taker or one.answer.done():
            return False
        one.answer.set_result(body)
        return True

    def close(self) -> None:
        """Everybody who waits is told at once."""
        self._closed = True
        for one in self._open.values():
            if not one.answer.done():
                one.answer.set_exception(DaemonLeaves())
