"""Context of every use case: the store and its surroundings, and who is calling.

The daemon fills it in once at start-up; use cases take from it and never look for these things themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from toryo.settings import Home
from toryo.store.database.blobs import Blobs
from toryo.store.database.engine import Store


class CallerKind(StrEnum):
    """By which credential somebody speaks."""

    OPERATOR = "operator"
    ORCHESTRATOR = "orchestrator"
    COORDINATOR = "coordinator"
    PLANNER = "planner"
    RUN = "run"
    OUTSIDE = "outside"


@dataclass(frozen=True)
class Caller:
    kind: CallerKind
    place: str = ""
    """The id of a coordinator or a planner."""
    run: str = ""
    connection: int = 0
    """By which the call came: what it asks ends with it."""


OUTSIDE = Caller(CallerKind.OUTSIDE)


@dataclass(frozen=True)
class WorkingCopy:
    """What the last look at a checkout's settings found; the next daemon looks again."""

    looked_at: float = 0
    problem: str = ""


@dataclass(frozen=True)
class Capacity:
    """What a coordinator's own settings allow."""

    max_concurrent: int = 0
    """0: not known."""
    serves: frozenset[str] | None = None
    """None: every agent."""

    def does_serve(self, agent: str) -> bool:
        return self.serves is None or agent in self.serves


@dataclass(frozen=True)
class HeadContext:
    """Changes run in the writer, one at a time; reads run beside them and see each value here whole."""

    store: Store
    blobs: Blobs
    clock: Callable[[], float]
    home: Home
    installation: str
    secret: bytes
    version: str
    started_at: float
    pid: int
    working_copies: dict[str, WorkingCopy] = field(default_factory=dict)
    """By project."""
    hindrances: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """By coordinator, what keeps its orders waiting now and the line to type."""
    capacities: dict[str, Capacity] = field(default_factory=dict)
    """By coordinator."""
    read_settings: dict[str, Any] = field(default_factory=dict)
    """What `home_settings` read last, and of which state of the file."""
