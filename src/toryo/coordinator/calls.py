"""The daemon's tools as a coordinator calls them; typed answers. One `Daemon` per thread."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from toryo.domain.errors import ToryoError
from toryo.protocol.models import Fact, Order
from toryo.protocol.wire import Connection, WireError
from toryo.workbench.contexts.profiles import SubordinateProfile

log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """Who we are to the daemon; a later registration of the same id supersedes us."""

    id: str
    incarnation: int


@dataclass(frozen=True)
class Target:
    name: str
    published: str = ""
    """The commit that Toryo last published there; empty where the daemon does not say."""


@dataclass(frozen=True)
class Project:
    id: str
    machine: str
    """Empty where the daemon does not say: then it is here."""
    directory: str
    agents: tuple[str, ...]
    targets: tuple[Target, ...]


@dataclass(frozen=True)
class Claim:
    claimed: bool
    run: str = ""
    order: Order | None = None
    then: Order | None = None
    """To be carried out after `order`, without asking again."""
    waiting_for: str = ""
    superseded: bool = False
    is_last: bool = False
    """No other task of the pair is ready."""


@dataclass(frozen=True)
class OrderSet:
    version: str
    orders: tuple[Order, ...]
    look: bool
    superseded: bool
    startable: tuple[tuple[str, str], ...] = ()
    """(agent, project) pairs of which a claim would get a run now."""


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

    def register(self, about: Mapping[str, Any]) -> Place:
        return self._ask(
            "register_coordinator",
            about,
            lambda answer: Place(str(answer["coordinator"]), int(answer["incarnation"])),
        )

    def is_healthy(self) -> bool:
        return self._ask("health_check", {}, lambda answer: answer.get("status") == "ok")

    def projects(self, place: Place) -> tuple[Project, ...]:
        return self._ask(
            "list_active_projects_with_agents",
            {"coordinator": place.id},
            lambda answer: tuple(map(_project, answer["projects"])),
        )

    def should_start(self, agent: str, project: str) -> bool:
        return self._ask(
            "should_start",
            {"agent_id": agent, "project_id": project},
            lambda answer: answer.get("should_start") is True,
        )

    def claim(self, place: Place, agent: str, project: str, request: str) -> Claim:
        return self._ask(
            "claim_run",
            {"agent_id": agent, "project_id": project, **_who(place), "request_id": request},
            _claim,
        )

    def next_orders(self, place: Place, seen: str, wait_s: float) -> OrderSet:
        return self._ask(
            "next_orders",
            {**_who(place), "seen": seen, "wait_s": wait_s},
            lambda answer: OrderSet(
                version=str(answer["version"]),
                orders=_orders(answer["orders"]),
                look=bool(answer.get("look")),
                superseded=bool(answer.get("superseded")),
                startable=tuple((str(agent), str(project)) for agent, project in answer.get("startable", ())),
            ),
            timeout_s=wait_s + 15,
        )

    def report(self, place: Place, facts: Sequence[Fact], blobs: Mapping[str, str]) -> Receipt:
        lines = [vars(fact) for fact in facts]  # their bodies are plain
        return self._ask(
            "report_facts",
            {**_who(place), "facts": lines, "blobs": dict(blobs)},
            lambda answer: Receipt(tuple(map(int, answer["acknowledged"])), bool(answer.get("superseded"))),
            timeout_s=10,
        )

    def subordinate_profile(self, agent: str, project: str) -> SubordinateProfile:
        return self._ask("get_subordinate_profile", {"agent_id": agent, "project_id": project}, _profile)

    def fetch_blob(self, blob: str) -> str:
        return self._ask("fetch_blob", {"hash": blob}, lambda answer: str(answer["text"]))

    def begin_fetch(self, blob: str) -> None:
        """Asked for, while the caller does something else."""
        self._renew()
        self._connection.begin("fetch_blob", {"hash": blob})

    def finish_fetch(self) -> str:
        return _read("fetch_blob", self._connection.finish(), lambda answer: str(answer["text"]))

    def heartbeat(self, place: Place, live_runs: Sequence[str], hindered: Sequence[ToryoError] = ()) -> bool:
        """True: another process of our name took over."""
        told = [{"what": one.message[:500], "hint": one.hint[:500]} for one in hindered[:20]]
        return self._ask(
            "heartbeat",
            {**_who(place), "live_runs": list(live_runs), **({"hindered": told} if told else {})},
            lambda answer: bool(answer.get("superseded")),
        )

    def _ask(
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


def _who(place: Place) -> dict[str, Any]:
    return {"coordinator": place.id, "incarnation": place.incarnation}


def _project(raw: Mapping[str, Any]) -> Project:
    return Project(
        id=str(raw["project_id"]),
        machine=str(raw.get("machine") or ""),
        directory=str(raw["working_directory"]),
        agents=tuple(map(str, raw["agents"])),
        targets=tuple(map(_target, raw.get("targets", ()))),
    )


def _target(raw: str | Mapping[str, Any]) -> Target:
    return Target(raw) if isinstance(raw, str) else Target(str(raw["name"]), str(raw.get("published") or ""))


def _profile(answer: Mapping[str, Any]) -> SubordinateProfile:
    skills = answer.get("skills") or {}
    return SubordinateProfile(
        str(answer["agent_id"]),
        str(answer.get("system_prompt") or ""),
        {str(name): str(text) for name, text in skills.items()},
    )


def _claim(answer: Mapping[str, Any]) -> Claim:
    if not answer.get("claimed"):
        waiting_for = str(answer.get("waiting_for") or "")
        return Claim(False, waiting_for=waiting_for, superseded=bool(answer.get("superseded")))
    order, then = (
        Order.model_validate(answer[name]) if answer.get(name) else None for name in ("order", "then")
    )
    return Claim(True, str(answer["run_id"]), order, then, is_last=answer.get("is_last") is True)


def _orders(raw: Sequence[Any]) -> tuple[Order, ...]:
    """An order of a kind that this version does not know must not hold up the others."""
    known = []
    for one in raw:
        try:
            known.append(Order.model_validate(one))
        except ValidationError:
            log.warning("Order of an unknown kind skipped", extra={"order": str(one)[:40]})
    return tuple(known)
