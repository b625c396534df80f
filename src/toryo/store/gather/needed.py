"""Blocked work, by what holds it up: the tasks that others need, a target that stands still, a mission.

Each question looks at a bounded number of rows, however many tasks there are.
"""

from __future__ import annotations

from sqlalchemy import Select, bindparam, func, or_, select

from toryo.domain.reasons import STOPS, Reason
from toryo.domain.words import TaskStatus
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.schema import OF_A_MISSION, dependencies, tasks
from toryo.store.database.statements import texts
from toryo.store.tables.projects import ARE_REMOVED

LOOKED_AT = 1000
"""The oldest blocked tasks."""
_BLOCKED = tasks.c.status == TaskStatus.BLOCKED.value
_STANDS = (
    TaskStatus.OPEN.value,
    TaskStatus.NEEDS_REVIEW.value,
    TaskStatus.BLOCKED.value,
    TaskStatus.FAILED.value,
    TaskStatus.CANCELLED.value,
)
"""Statuses in which a person may have to see to what others need."""


def _needed(*, project: bool) -> Select[tuple[str]]:
    kept = tasks.c.project.not_in(ARE_REMOVED)
    oldest = (
        select(tasks.c.id).where(_BLOCKED, kept).order_by(tasks.c.seq).limit(LOOKED_AT).subquery("oldest")
    )
    found = (
        select(tasks.c.id)
        .select_from(oldest)
        .join(dependencies, dependencies.c.task == oldest.c.id)
        .join(tasks, tasks.c.id == dependencies.c.needs)
        .where(tasks.c.status.in_(_STANDS), kept)
    )
    if project:
        found = found.where(tasks.c.project == bindparam("project"))
    return found.group_by(tasks.c.id).order_by(func.count().desc(), tasks.c.id).limit(bindparam("most"))


_NEEDED, _NEEDED_OF_PROJECT = _needed(project=False), _needed(project=True)
_HELD_BY_TARGET = (
    select(tasks.c.id)
    .where(
        tasks.c.project == bindparam("project"),
        _BLOCKED,
        tasks.c.target == bindparam("target"),
        tasks.c.reason.in_(STOPS),
    )
    .order_by(tasks.c.seq)
    .limit(bindparam("most"))
)
_HELD_BY_MISSION = select(func.count()).where(
    tasks.c.mission == bindparam("mission"),
    OF_A_MISSION,
    or_(_BLOCKED, tasks.c.reason == Reason.PAUSED.value),
)


def most_needed(tx: Tx, project: str | None, most: int) -> list[str]:
    """Tasks that stand still and that blocked ones need, those that the most need first."""
    if project is None:
        return texts(tx, _NEEDED, most=most)
    return texts(tx, _NEEDED_OF_PROJECT, project=project, most=most)


def held_by_target(tx: Tx, project: str, target: str, most: int) -> list[str]:
    """Blocked tasks that the target itself holds up, the oldest first."""
    return texts(tx, _HELD_BY_TARGET, project=project, target=target, most=most)


def held_by_mission(tx: Tx, mission: str) -> int:
    """Its tasks that are blocked or paused."""
    return int(prepared.value(tx.conn, _HELD_BY_MISSION, {"mission": mission}) or 0)
