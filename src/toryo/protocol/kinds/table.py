"""Every kind of order in one table: its inputs, and the facts that end it or come on the way."""

from __future__ import annotations

from toryo.domain.words import OrderKind
from toryo.protocol.base import Kind, Model
from toryo.protocol.kinds import (
    branch,
    files,
    gate,
    landing,
    notify,
    planner,
    repository,
    run,
    say,
    units,
    work,
)
from toryo.protocol.kinds.target import TargetSeen

KINDS: tuple[Kind, ...] = (
    *repository.KINDS,
    *run.KINDS,
    *work.KINDS,
    *say.KINDS,
    *gate.KINDS,
    *landing.KINDS,
    *notify.KINDS,
    *files.KINDS,
    *units.KINDS,
    *branch.KINDS,
    *planner.KINDS,
)

INPUTS: dict[OrderKind, type[Model]] = {one.kind: one.inputs for one in KINDS}
FINAL: dict[OrderKind, frozenset[str]] = {one.kind: frozenset(one.ends_by) for one in KINDS}
"""The facts that end an order; any other fact about it is a report on the way."""
FACTS: dict[str, type[Model]] = {
    **{name: body for one in KINDS for name, body in {**one.ends_by, **one.reports}.items()},
    "target_seen": TargetSeen,
}
