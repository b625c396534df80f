"""Insertion of orders: one row, open for its place or taken with a claim."""

from __future__ import annotations

from toryo.domain.errors import ToryoError
from toryo.domain.ids import GateId, LandingId, MissionId, OrderId, ProjectId, RunId, TaskId
from toryo.domain.words import OrderKind, OrderState
from toryo.engine.ids import new_id
from toryo.protocol.base import Model
from toryo.store.database.engine import Tx
from toryo.store.database.rows import OrderRow, ProjectRow
from toryo.store.tables import orders

SLACK_S = 60
"""What an order may take beyond the time its effect is allowed."""


class OrderImpossible(ToryoError):
    """An order was wished for something that is not in the store."""


def hub(project: ProjectRow) -> str:
    """Any coordinator on the machine where the repository lives."""
    return f"machine:{project.machine}"


def insert(
    tx: Tx,
    kind: OrderKind,
    key: str,
    place: str,
    inputs: Model,
    *,
    project: str = "",
    task: str = "",
    run: str = "",
    landing: str = "",
    gate: str = "",
    mission: str = "",
    generation: int = 0,
    limit_s: float = SLACK_S,
    taken_by: str = "",
) -> OrderRow:
    row = OrderRow(
        id=OrderId(new_id("o")),
        kind=kind,
        key=key,
        project=ProjectId(project),
        place=place,
        taken_by=taken_by,
        task=TaskId(task),
        run=RunId(run),
        landing=LandingId(landing),
        gate=GateId(gate),
        mission=MissionId(mission),
        generation=generation,
        inputs=inputs.model_dump(mode="json"),
        limit_s=limit_s,
        state=OrderState.TAKEN if taken_by else OrderState.OPEN,
        created_at=tx.now,
    )
    orders.insert(tx, row)
    return row
