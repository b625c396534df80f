"""Client of the daemon: the tools that every place calls, with typed answers. One `Daemon` per thread."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from toryo.domain.errors import ToryoError
from toryo.domain.words import PlaceKind
from toryo.protocol.asks import Answered, Ask
from toryo.protocol.order import Fact, Order
from toryo.protocol.wire import Connection, WireError

log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class Registered:
    """Who we are to the daemon; a later registration of the same id supersedes us."""

    id: str
    incarnation: int


@dataclass(frozen=True)
class NextOrders:
    """The complete set of one moment."""

    version: str
    orders: tuple[Order, ...]
    look: bool
    superseded: bool
    startable: tuple[tuple[str, str], ...] = ()
    """(agent, project) pairs of which a claim would get a run now."""
    programs: tuple[str, ...] = ()
    """What their agents start: to be looked for first."""
    asks: tuple[Ask, ...] = ()
    """Handed over with this set, and with no other one."""


@dataclass(frozen=True)
class Receipt:
    acknowledged: tuple[int, ...]
    superseded: bool


class Daemon:
    def __init__(self, socket_path: Path, key: str | Callable[[], str], *, timeout_s: float = 30) -> None:
        self._socket_path = socket_path
        self._key = key if callable(key) else lambda: key
        self._timeout_s = timeout_s
        self._connect()

    def _connect(self) -> None:
        self._used = self._key()
        self._connection = Connection(self._socket_path, self._used, timeout_s=self._timeout_s)

    def close(self) -> None:
        self._connection.close()

    def register(self, kind: PlaceKind, about: Mapping[str, Any]) -> Registered:
        return self.ask(
            f"register_{kind}",
            about,
            lambda answer: Registered(str(answer["coordinator"]), int(answer["incarnation"])),
        )

    def is_healthy(self) -> bool:
        return self.ask("health_check", {}, lambda answer: answer.get("status") == "ok")

    def next_orders(self, place: Registered, seen: str, wait_s: float) -> NextOrders:
        return self.ask(
            "next_orders",
            {**who(place), "seen": seen, "wait_s": wait_s},
            lambda answer: NextOrders(
                version=str(answer["version"]),
                orders=_orders(answer["orders"]),
                look=bool(answer.get("look")),
                superseded=bool(answer.get("superseded")),
                startable=tuple((str(agent), str(project)) for agent, project in answer.get("startable", ())),
                programs=tuple(map(str, answer.get("programs", ()))),
                asks=tuple(map(Ask.model_validate, answer.get("asks", ()))),
            ),
            timeout_s=wait_s + 15,
        )

    def report(self, place: Registered, facts: Sequence[Fact], blobs: Mapping[str, str]) -> Receipt:
        lines = [vars(fact) for fact in facts]  # their bodies are plain
        return self.ask(
            "report_facts",
            {**who(place), "facts": lines, "blobs": dict(blobs)},
            lambda answer: Receipt(tuple(map(int, answer["acknowledged"])), bool(answer.get("superseded"))),
            timeout_s=10,
        )

    def answer_asks(self, place: Registered, answers: Sequence[Answered]) -> bool:
        """True: another process of our name took over."""
        return self.ask(
            "answer_asks",
            {**who(place), "answers": [one.model_dump(mode="json") for one in answers]},
            lambda answer: bool(answer.get("superseded")),
            timeout_s=10,
        )

    def fetch_blob(self, blob: str) -> str:
        return self.ask("fetch_blob", {"hash": blob}, lambda answer: str(answer["text"]))

    def begin_fetch(self, blob: str) -> None:
        """Asked for, while the caller does something else."""
        self._renew()
        self._connection.begin("fetch_blob", {"hash": blob})

    def finish_fetch(self) -> str:
        return _read("fetch_blob", self._connection.finish(), lambda answer: str(answer["text"]))

    def heartbeat(
        self, place: Registered, hindered: Sequence[ToryoError] = (), told: Mapping[str, Any] | None = None
    ) -> bool:
        """True: another process of our name took over. `told`: what this kind of place says besides."""
        said = [{"what": one.message[:500], "hint": one.hint[:500]} for one in hindered[:20]]
        return self.ask(
            "heartbeat",
            {**who(place), **({"hindered": said} if said else {}), **(told or {})},
            lambda answer: bool(answer.get("superseded")),
        )

    def ask(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        read: Callable[[dict[str, Any]], T],
        timeout_s: float | None = None,
    ) -> T:
        self._renew()
        return _read(tool, self._connection.call(tool, dict(arguments), timeout_s=timeout_s), read)

    def _renew(self) -> None:
        if self._key() != self._used:
            self.close()
            self._connect()


def _read(tool: str, answer: dict[str, Any], read: Callable[[dict[str, Any]], T]) -> T:
    try:
        return read(answer)
    except (KeyError, TypeError, ValueError) as strange:
        raise WireError(f"The daemon's answer to {tool} cannot be read: {strange!r}") from strange


def who(place: Registered) -> dict[str, Any]:
    """As each call names its caller; the argument is called so for every kind of place."""
    return {"coordinator": place.id, "incarnation": place.incarnation}


def _orders(raw: Sequence[Any]) -> tuple[Order, ...]:
    """An order of a kind that this version does not know must not hold up the others."""
    known = []
    for one in raw:
        try:
            known.append(Order.model_validate(one))
        except ValidationError:
            log.warning("Order of an unknown kind skipped", extra={"order": str(one)[:40]})
    return tuple(known)
