"""Retries of units: which may begin anew. Every verb that starts a task over asks here."""

from __future__ import annotations

from toryo.domain.errors import Refused
from toryo.domain.words import TaskStatus
from toryo.engine.units.subtrees import ENDED
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow, TaskRow
from toryo.store.tables import missions, projects, tasks

_TREE = "`toryo unit tree` shows it"


class AnotherTree(Refused):
    """A tree of units lives in this project already."""


def insist_may_begin(tx: Tx, row: TaskRow) -> None:
    """Raise Refused unless work on it can land: its parent goes on, or the project has no other tree."""
    if not row.unit:
        return
    if not row.parent:
        project, mission = projects.get(tx, row.project), missions.get(tx, row.mission)
        if project is not None and mission is not None and mission.root:  # no unit of a plan
            refuse_second(tx, project, but=row.mission)
        return
    above = ended_above(tx, row)
    if above is not None:
        retried = f"`toryo unit retry {above.unit}` begins that one anew."
        hint = f"{_TREE}." if above.status == TaskStatus.DONE else retried
        raise Refused(f"{above.unit}, of which it is a part, is {above.status}.", hint=hint)
    if is_left_behind(tx, row):
        parent = tasks.get(tx, row.parent)
        name = parent.unit if parent else row.parent
        raise Refused(f"{name}, of which it is a part, began anew without it.", hint=f"{_TREE}.")


def refuse_second(tx: Tx, project: ProjectRow, *, but: str = "") -> None:
    living = next((one for one in missions.live(tx, project.id) if one.root and one.id != but), None)
    if living is not None:
        raise AnotherTree(
            f"A tree of units lives in {project.name} already: {living.id}, {living.title[:80]}.",
            hint=f"{_TREE}, `toryo unit stop root` ends it.",
        )


def ended_above(tx: Tx, row: TaskRow) -> TaskRow | None:
    """The uppermost unit above it that has ended: whose retry begins all below it anew."""
    found, unit = None, tasks.get(tx, row.parent) if row.unit and row.parent else None
    while unit is not None:
        found = unit if unit.status in ENDED else found
        unit = tasks.get(tx, unit.parent) if unit.parent else None
    return found


def is_left_behind(tx: Tx, row: TaskRow) -> bool:
    """Whether an earlier attempt of its parent spawned it: it would land on a branch that was given up."""
    parent = tasks.get(tx, row.parent) if row.unit and row.parent else None
    return parent is not None and parent.branch != row.target
