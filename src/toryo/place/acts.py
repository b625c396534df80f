"""Interface between the worker and the effects of orders: what becomes of one, how its kind is treated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from toryo.protocol.base import Model
from toryo.protocol.order import Order


@dataclass(frozen=True)
class Done:
    """The order has its final fact."""

    fact: str
    model: Model
    blobs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Again:
    """Not yet: what it waits for is a fact on the way."""

    fact: str
    model: Model
    after_s: float = 1.0
    """When to look again."""


@dataclass(frozen=True)
class Begun:
    """Under way; its watcher reports its end."""

    tell: Callable[[], None]
    """Reports that it began."""


Result = Done | Again | Begun


@dataclass(frozen=True)
class Handling:
    """How the worker treats a kind of order."""

    lane: str
    """In which it is carried out; one of `Acts.lanes`."""
    has_intent: bool = True
    """False: the effect notes its own intent, and none is written before it."""
    is_synced: bool = False
    """True: its outcome is to outlive a power cut, because a repetition would be refused."""


class Acts(Protocol):
    """The effects of one kind of place. What a subclass leaves out is as below: nothing special."""

    lanes: Mapping[str, int]
    """Name → how many hands."""

    def handling(self, order: Order) -> Handling: ...

    def carry_out(self, order: Order) -> Result:
        """Its effect. WireError and Hindered: no outcome, it is tried again."""
        ...

    def failed(self, order: Order, error: Exception) -> Result:
        """What becomes of an order whose effect raised."""
        ...

    def may_begin(self, order: Order) -> bool:
        """False: it comes after another order that makes what it needs."""
        return True

    def follower(self, order: Order, wanted: Iterable[Order]) -> Order | None:
        """The order that begins once this one's effect is done, before that is reported."""
        return None

    def let_begin(self, order: Order) -> None:
        """A follower has begun: wait while a report would be in its way."""
        return

    def after(self, order: Order, told: Mapping[str, Any]) -> None:
        """Its final fact was reported."""
        return

    def writes_in(self, order: Order) -> list[Path]:
        """Where it writes besides the place's folder: a full disk there is no failure of the order."""
        return []
