"""What `decide` answers: plain data that the drain carries out in one transaction."""

from __future__ import annotations

from dataclasses import dataclass

from toryo.domain.ids import GateId, LandingId, RunId
from toryo.domain.words import OrderKind, Purpose, TaskStatus, Verdict


@dataclass(frozen=True)
class OrderWish:
    """An order that should exist. Its key makes wishing twice harmless; usecases compose the inputs."""

    kind: OrderKind
    key: str
    run: RunId = RunId("")
    landing: LandingId = LandingId("")
    gate: GateId = GateId("")
    command: str = ""
    attempt: int = 0
    old: str = ""
    new: str = ""


@dataclass(frozen=True)
class Enqueue:
    """The head of a run asks to land."""

    run: RunId
    generation: int
    head: str
    trusted: bool = False
    """A person saw its flaky gate and said yes."""


@dataclass(frozen=True)
class TaskDecision:
    status: TaskStatus
    reason: str = ""
    detail: str = ""
    purpose: Purpose | None = None
    """What the next run is for, when ready."""
    orders: tuple[OrderWish, ...] = ()
    enqueue: Enqueue | None = None
    end_landings: tuple[LandingId, ...] = ()
    end_runs: tuple[RunId, ...] = ()
    """Runs that nobody began and nobody should."""
    pauses: bool = False
    """Its live run is stopped by its mission: what follows goes on with it."""


@dataclass(frozen=True)
class GateWish:
    commit: str
    tree: str
    landing: LandingId = LandingId("")
    """Empty: the gate of the tip itself."""


@dataclass(frozen=True)
class NewLanding:
    kind: str
    head: str


@dataclass(frozen=True)
class EndedLanding:
    id: LandingId
    reason: str
    detail: str = ""
    again: bool = False
    """The same files queue up once more, to be written on the tip of then."""


@dataclass(frozen=True)
class QueueDecision:
    stopped: str = ""
    begin: str = ""
    orders: tuple[OrderWish, ...] = ()
    withdraw: tuple[str, ...] = ()
    gates: tuple[GateWish, ...] = ()
    create: tuple[NewLanding, ...] = ()
    end: tuple[EndedLanding, ...] = ()


@dataclass(frozen=True)
class GateDecision:
    verdict: Verdict | None
    order: OrderWish | None = None


@dataclass(frozen=True)
class CoordinatorDecision:
    unseen: bool
    look_at: float | None
