"""Client of the daemon for a coordinator: projects, claims, clients, profiles; the rest is every place's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toryo.place.daemon_client import Daemon, Registered, who
from toryo.protocol.order import Order
from toryo.workbench.contexts.profiles import SubordinateProfile


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
    resting: frozenset[str] = frozenset()
    """Live runs of units that only wait for their children."""
    programs: tuple[str, ...] = ()
    """What its agents of the client `command` start."""


@dataclass(frozen=True)
class Claim:
    claimed: bool
    run: str = ""
    order: Order | None = None
    then: Order | None = None
    """To be carried out after `order`, without asking again."""
    waiting_for: str = ""
    superseded: bool = False
    """No other task of the pair is ready."""


class CoordinatorDaemon(Daemon):
    def projects(self, place: Registered) -> tuple[Project, ...]:
        return self.ask(
            "list_active_projects_with_agents",
            {"coordinator": place.id},
            lambda answer: tuple(map(_project, answer["projects"])),
        )

    def should_start(self, agent: str, project: str) -> bool:
        return self.ask(
            "should_start",
            {"agent_id": agent, "project_id": project},
            lambda answer: answer.get("should_start") is True,
        )

    def claim(self, place: Registered, agent: str, project: str, request: str) -> Claim:
        return self.ask(
            "claim_run",
            {"agent_id": agent, "project_id": project, **who(place), "request_id": request},
            _claim,
        )

    def subordinate_profile(self, agent: str, project: str) -> SubordinateProfile:
        return self.ask("get_subordinate_profile", {"agent_id": agent, "project_id": project}, _profile)

    def tell_clients(self, place: Registered, clients: Mapping[str, str]) -> None:
        """What is installed has changed since it was told; an empty path is a program that is not there."""
        self.ask("tell_clients", {**who(place), "clients": dict(clients)}, lambda answer: None)


def _project(raw: Mapping[str, Any]) -> Project:
    return Project(
        id=str(raw["project_id"]),
        machine=str(raw.get("machine") or ""),
        directory=str(raw["working_directory"]),
        agents=tuple(map(str, raw["agents"])),
        targets=tuple(map(_target, raw.get("targets", ()))),
        resting=frozenset(map(str, raw.get("resting_runs", ()))),
        programs=tuple(map(str, raw.get("programs", ()))),
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
    return Claim(True, str(answer["run_id"]), order, then)
