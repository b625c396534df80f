"""Orders about units: their branch opened as a target and closed again, their place in a tree."""

from __future__ import annotations

from toryo.domain.words import OrderKind
from toryo.engine.orders.insertion import hub, insert
from toryo.protocol.kinds.units import OpenTargetInputs, UnitPlace
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow, TargetRow, TaskRow
from toryo.store.tables import landings, orders, projects, runs, tasks
from toryo.store.tables.units import units


def open_target(tx: Tx, project: ProjectRow, unit: TaskRow) -> None:
    """Once an attempt: its children start from what the unit has committed by then."""
    target = projects.target(tx, project.id, unit.branch)
    if target is not None and not target.closed:
        return
    key = f"open_target/{unit.id}/{unit.branch}/{unit.generation}"
    if not orders.by_key(tx, key):
        inputs = OpenTargetInputs(repo=project.path, target=unit.branch)
        insert(tx, OrderKind.OPEN_TARGET, key, hub(project), inputs, project=project.id, task=unit.id)


def close_target(tx: Tx, project: ProjectRow, unit: TaskRow) -> None:
    """The unit has ended: nothing lands on its branch any more, and nobody looks at it."""
    target = projects.target(tx, project.id, unit.branch) if unit.branch else None
    if target is None or target.closed or target.unit != unit.id:
        return
    projects.update_target(tx, project.id, target.name, closed=True, waiting=[], waiting_why="")
    inputs = OpenTargetInputs(repo=project.path, target=unit.branch, close=True)
    key = f"close_target/{unit.id}/{unit.branch}/{unit.generation}"
    if not orders.by_key(tx, key):
        insert(tx, OrderKind.OPEN_TARGET, key, hub(project), inputs, project=project.id, task=unit.id)


def place_of(tx: Tx, task: TaskRow) -> UnitPlace | None:
    """For the environment of its runs."""
    row = units.get(tx, task.id) if task.unit else None
    if row is None:
        return None
    parent = tasks.get(tx, task.parent) if task.parent else None
    return UnitPlace(
        unit=task.unit,
        parent=parent.unit if parent else "",
        parent_branch=task.target,
        environment=dict(row.environment),
    )


def landed_on(tx: Tx, task: TaskRow) -> tuple[str, ...] | None:
    """The landings of its children on its branch; None: it is no unit, or never had a target."""
    if not task.unit or not task.branch or projects.target(tx, task.project, task.branch) is None:
        return None
    return tuple(landings.accepted_on(tx, task.project, task.branch))


def set_aside(tx: Tx, target: TargetRow | None) -> dict[str, str]:
    """What a publish needs to know of a unit's own worktree, where no run of it lives."""
    if target is None or not target.unit:
        return {}
    past = runs.of_task(tx, target.unit)
    last = past[-1] if past else None
    if last is None or last.live or not last.worktree:
        return {}
    return {"set_aside": last.id, "worktree": last.worktree}
