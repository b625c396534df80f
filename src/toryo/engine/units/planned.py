"""Planned units: tasks of an approved plan that may divide themselves, each the top of a tree of its own."""

from __future__ import annotations

from itertools import count

from toryo.domain.units import planned_unit
from toryo.domain.words import MISSION_ENDED
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import TaskRow
from toryo.store.database.unit_rows import UnitRow
from toryo.store.tables import missions, texts
from toryo.store.tables.units import units
from toryo.yaml.unit_files import dump


def unit_id(tx: Tx, mission: MissionRow, planned: str, title: str) -> str:
    """No other mission of the project that goes on has a unit of that id; the task of an earlier version of
    this plan, in whose place the new one comes, is the same unit."""
    for number in count(1):
        unit = planned_unit(planned, title, number)
        taken = units.newest_named(tx, unit, mission.project)
        if taken is None or (taken.mission, taken.planned) == (mission.id, planned):
            break
        other = missions.get(tx, taken.mission)
        if other is None or other.status in MISSION_ENDED:
            break
    return unit


def unit_row(tx: Tx, task: TaskRow) -> UnitRow:
    """What is wanted of the whole tree is the task: its agent has no other requirements."""
    wanted = {"title": task.title, **({"description": task.description} if task.description else {})}
    scoped = {"unit": task.unit, "id": task.planned, **wanted, "checks": list(task.checks)}
    return UnitRow(
        task=task.id,
        project=task.project,
        mission=task.mission,
        depth=1,
        requirements=texts.put(tx, dump(wanted)),
        scoped=texts.put(tx, dump({name: value for name, value in scoped.items() if value})),
    )
