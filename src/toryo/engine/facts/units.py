"""Unit facts: a unit's branch is a target from now on, and its children may start."""

from __future__ import annotations

from typing import Any

from toryo.domain import subjects
from toryo.store.database.engine import Tx
from toryo.store.database.rows import OrderRow, TargetRow
from toryo.store.tables import projects, tasks


def apply_target_opened(tx: Tx, order: OrderRow, body: dict[str, Any]) -> None:
    if order.inputs.get("close"):
        return
    unit, name = tasks.get(tx, order.task), str(order.inputs["target"])
    problem = body.get("problem")
    if unit is None or problem:
        told = {"target": name, **(problem or {})}
        tx.emit("target_not_opened", told, project=order.project, task=order.task)
        return
    known = projects.target(tx, order.project, name)
    if known is not None and not known.closed:
        return
    row = TargetRow(
        project=order.project,
        name=name,
        tip=body["commit"],
        tip_tree=body["tree"],
        published=body["commit"],
        seen=body["commit"],
        seen_tree=body["tree"],
        waiting=[],
        unit=unit.id,
    )
    projects.put_target(tx, row)
    about = subjects.target(order.project, name)
    tx.emit("target_opened", {"target": name, "commit": row.tip}, project=order.project, subject=about)
    tx.mark(subjects.queue(order.project, name))
    tasks.mark_of_target(tx, order.project, name)
