"""A read and the place that can answer it; refused at once where nobody is heard of there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toryo.domain.words import PlaceKind
from toryo.protocol.base import Model
from toryo.store.database.engine import Tx
from toryo.store.tables import coordinators
from toryo.usecases.coordinators.coordinators import addresses
from toryo.usecases.runs.remote_reads import NobodyAnswered


@dataclass(frozen=True)
class Read:
    place: str
    """A coordinator, or any of a machine."""
    inputs: Model
    about: dict[str, Any] = field(default_factory=dict)
    """What the answer to the asker says besides."""


def insist_heard(tx: Tx, place: str) -> None:
    """Else the asker would wait for nothing."""
    for row in coordinators.listing(tx, PlaceKind.COORDINATOR):
        if place in addresses(row) and row.incarnation and not row.unseen:
            return
    raise NobodyAnswered(
        "No coordinator is there to look.", hint="See `toryo status`; start one with `toryo up`."
    )
