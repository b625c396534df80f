"""What every use case is given: the store and its surroundings, and who is asking.

The daemon fills it in once at start-up; use cases take from it and never look for these things themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from toryo.settings import Home
from toryo.store.blobs import Blobs
from toryo.store.engine import Store


class CallerKind(StrEnum):
    """By which credential somebody speaks."""

    OPERATOR = "operator"
    COORDINATOR = "coordinator"
    RUN = "run"
    OUTSIDE = "outside"


@dataclass(frozen=True)
class Caller:
    kind: CallerKind
    coordinator: str = ""
    run: str = ""


OUTSIDE = Caller(CallerKind.OUTSIDE)


@dataclass(frozen=True)
class WorkingCopy:
    """What the last look at a checkout's settings found; the next daemon looks again."""

    looked_at: float = 0
    problem: str = ""


@dataclass(frozen=True)
class HeadContext:
    """Use cases run in the writer, one at a time: nothing here needs a lock."""

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
    read_settings: dict[str, Any] = field(default_factory=dict)
    """What `home_settings` read last, and of which state of the file."""
