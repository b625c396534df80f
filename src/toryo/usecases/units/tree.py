"""Unit trees for people and for units: every unit with its status, its reason and its children."""

from __future__ import annotations

from collections.abc import Mapping

from toryo.domain.errors import NotFound
from toryo.domain.ids import TaskId
from toryo.engine.context import HeadContext
from toryo.engine.units.files import edge_status
from toryo.protocol.views import units as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.tables import missions
from toryo.store.tables.units import units
from toryo.usecases.finding import project_at, the_mission, the_task
from toryo.usecases.units.spawn import unit_of_run


def show_tree(context: HeadContext, project: str, path: str, text: str) -> views.UnitTree:
    """The newest tree of the project here, or the one that a unit or mission belongs to."""
    with context.store.read() as tx:
        return _tree(tx, _which(tx, project, path, text))


def own_tree(context: HeadContext, run: str) -> views.UnitTree:
    with context.store.read() as tx:
        return _tree(tx, units.tree_of(tx, unit_of_run(tx, run)[1]))


def _which(tx: Tx, project: str, path: str, text: str) -> list[TaskRow]:
    """The units of one tree; of a mission whose plan has several, of them all."""
    if text.startswith("n"):
        found = units.tasks_of(tx, the_mission(tx, text).id)
    elif text:
        task = the_task(tx, text, path)
        found = units.tree_of(tx, task) if task.unit else []
    else:
        here = project_at(tx, project, path)
        top = units.newest_top(tx, here.id if here else "")
        if top is None:
            where = f" in {here.name}" if here else ""
            raise NotFound(f"There is no tree of units{where} yet.", hint="`toryo spawn` begins one.")
        found = units.tree_of(tx, top)
    if not found:
        raise NotFound(f"{text} is no unit of a tree.", hint="`toryo unit tree` shows the newest one.")
    return found


def _tree(tx: Tx, of: list[TaskRow]) -> views.UnitTree:
    row = missions.get(tx, of[0].mission)
    assert row is not None  # a unit has one
    found = _newest(of)
    names = {one.id: one.unit for one in found}
    return {
        "success": True,
        "mission": row.id,
        "project": row.project,
        "title": row.title,
        "status": row.status,
        "reason": row.reason,
        "detail": row.detail,
        "units": [_line(one, names, found) for one in found],
    }


def _newest(found: list[TaskRow]) -> list[TaskRow]:
    """Each unit once: one that was spawned anew stands for the one before it, which goes with its subtree."""
    last = {one.unit: one.id for one in found}
    gone: set[TaskId] = set()
    for one in found:  # the parent first
        if last[one.unit] != one.id or one.parent in gone:
            gone.add(one.id)
    return [one for one in found if one.id not in gone]


def _line(row: TaskRow, names: Mapping[TaskId, str], found: list[TaskRow]) -> views.UnitLine:
    return {
        "unit": row.unit,
        "id": row.id,
        "title": row.title,
        "status": row.status,
        "edge": edge_status(row),
        "reason": row.reason,
        "detail": row.detail,
        "parent": names.get(row.parent),
        "branch": row.branch,
        "agent": row.agent,
        "children": [one.unit for one in found if one.parent == row.id],
    }
