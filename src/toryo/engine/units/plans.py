"""Breakdowns of a tree's root as plans: the first one is shown to a person before any child starts."""

from __future__ import annotations

from collections.abc import Sequence

from toryo.domain import subjects
from toryo.domain.units import Breakdown
from toryo.domain.words import Approval
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import PlanRow
from toryo.store.database.rows import TaskRow
from toryo.store.tables import missions, plans


def offer(tx: Tx, root: TaskRow, spawned: Sequence[TaskRow], wanted: Breakdown) -> None:
    """A version once nothing was approved yet; what the root divides anew later is its own affair."""
    mission = missions.get(tx, root.mission)
    newest = plans.newest(tx, root.mission)
    if mission is None or (newest is not None and newest.approved_at is not None):
        return
    of = {one.id: one for one in wanted.children}
    listed = [
        {
            "id": one.planned,
            "title": one.title,
            "description": one.description,
            "depends_on": list(of[one.planned].depends_on),
            "agent": one.agent,
            "write": None if one.write is None else list(one.write),
            "checks": list(one.checks),
        }
        for one in spawned
    ]
    row = PlanRow(
        mission=root.mission,
        version=newest.version + 1 if newest else 1,
        request=mission.request,
        spec="",
        plan=f"The root divides the work into {len(listed)} parts.",
        tasks=listed,
        parallelism=0,  # only a person limits a tree
        created_at=tx.now,
        approved_at=tx.now if mission.approval == Approval.AUTO else None,
        made_at=tx.now,
    )
    plans.insert(tx, row)
    tx.mark(subjects.mission(root.mission))
