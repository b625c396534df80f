"""Units of trees and their breakdowns; the unit itself is a task."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, func, select

from toryo.domain.naming import top_of
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.database.schema import IS_PLANNED, IS_UNIT, OF_A_MISSION, tasks
from toryo.store.database.statements import add, every, first
from toryo.store.database.unit_rows import BreakdownRow, UnitRow
from toryo.store.database.unit_schema import breakdowns, units

_GET = select(units).where(units.c.task == bindparam("it"))
_OF_MISSION = select(units).where(units.c.mission == bindparam("it"))
_TASKS_OF = (
    select(tasks).where(tasks.c.mission == bindparam("it"), OF_A_MISSION, IS_UNIT).order_by(tasks.c.seq)
)
_IN_TREE = func.substr(tasks.c.unit.concat("-"), 1, bindparam("length")) == bindparam("top")
_TREE = _TASKS_OF.where(_IN_TREE)
_TREE_COUNTS = (
    select(tasks.c.status, func.count())
    .where(tasks.c.mission == bindparam("it"), OF_A_MISSION, IS_UNIT, _IN_TREE)
    .group_by(tasks.c.status)
)
_BREAKDOWNS = select(breakdowns).where(breakdowns.c.task == bindparam("it")).order_by(breakdowns.c.seq)
_NAMED = (
    select(tasks)
    .where(tasks.c.unit == bindparam("unit"), IS_UNIT)
    .order_by(tasks.c.seq.desc())
    .limit(bindparam("most"))
)
_NEWEST_TOP = select(tasks).where(IS_UNIT, IS_PLANNED).order_by(tasks.c.seq.desc()).limit(bindparam("most"))
_NEWEST_TOP_IN = _NEWEST_TOP.where(tasks.c.project == bindparam("project"))
_NAMED_IN = _NAMED.where(tasks.c.project == bindparam("project"))


def insert(tx: Tx, row: UnitRow) -> None:
    add(tx, units, row)


def get(tx: Tx, task: str) -> UnitRow | None:
    return first(tx, UnitRow, _GET, it=task)


def of_mission(tx: Tx, mission: str) -> list[UnitRow]:
    return every(tx, UnitRow, _OF_MISSION, it=mission)


def tasks_of(tx: Tx, mission: str) -> list[TaskRow]:
    """Every unit of a mission, parents first."""
    return every(tx, TaskRow, _TASKS_OF, it=mission)


def tree_of(tx: Tx, unit: TaskRow) -> list[TaskRow]:
    """Every unit of its tree, the uppermost first; a mission may have several."""
    return every(tx, TaskRow, _TREE, it=unit.mission, **_within(unit))


def tree_counts(tx: Tx, unit: TaskRow) -> dict[str, int]:
    """How many units of its tree have each status."""
    found = tx.conn.execute(_TREE_COUNTS, {"it": unit.mission, **_within(unit)})
    return {str(status): int(number) for status, number in found}


def _within(unit: TaskRow) -> dict[str, Any]:
    top = f"{top_of(unit.unit)}-"
    return {"top": top, "length": len(top)}


def newest_named(tx: Tx, unit: str, project: str = "") -> TaskRow | None:
    """The unit of the newest tree that has one of that name."""
    if project:
        return first(tx, TaskRow, _NAMED_IN, unit=unit, project=project, most=1)
    return first(tx, TaskRow, _NAMED, unit=unit, most=1)


def newest_top(tx: Tx, project: str = "") -> TaskRow | None:
    """The uppermost unit of the newest tree."""
    if project:
        return first(tx, TaskRow, _NEWEST_TOP_IN, project=project, most=1)
    return first(tx, TaskRow, _NEWEST_TOP, most=1)


def add_breakdown(tx: Tx, row: BreakdownRow) -> None:
    add(tx, breakdowns, row)


def breakdowns_of(tx: Tx, task: str) -> list[BreakdownRow]:
    """The first one first."""
    return every(tx, BreakdownRow, _BREAKDOWNS, it=task)
