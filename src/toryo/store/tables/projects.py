"""Projects, the agents assigned to them, and their target branches."""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, bindparam, delete, false, not_, or_, select

from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, ProjectRow, TargetRow
from toryo.store.database.schema import agents, assignments, projects, targets
from toryo.store.database.statements import add, add_link, change, every, first

REMOVED = "removed"
"""Status of a project whose repository has nothing of ours any more; its record is kept."""

_GET = select(projects).where(projects.c.id == bindparam("it"))
_ALL = select(projects).order_by(projects.c.created_at, projects.c.id)
_ACTIVE = _ALL.where(projects.c.status == "active")
_KEPT = _ALL.where(projects.c.status != REMOVED)
ARE_REMOVED = select(projects.c.id).where(projects.c.status == REMOVED)

_UNASSIGN = delete(assignments).where(
    assignments.c.project == bindparam("project"), assignments.c.agent == bindparam("agent")
)
_ASSIGNED = select(assignments.c.agent).where(
    assignments.c.project == bindparam("project"), assignments.c.agent == bindparam("agent")
)
_own = agents.alias("own")
_HAS_OWN = (  # hides the installation's agent of the same name
    select(_own.c.id)
    .where(_own.c.id == assignments.c.agent, _own.c.project == assignments.c.project)
    .exists()
)
_AGENTS = (
    select(agents)
    .join(assignments, assignments.c.agent == agents.c.id)
    .where(
        assignments.c.project == bindparam("project"),
        or_(agents.c.project == assignments.c.project, and_(agents.c.project == "", not_(_HAS_OWN))),
    )
    .order_by(agents.c.created_at, agents.c.id)
)
_ACTIVE_AGENTS = _AGENTS.where(agents.c.status == "active")

_TARGET = select(targets).where(
    targets.c.project == bindparam("project"), targets.c.name == bindparam("name")
)
_TARGETS = (
    select(targets)
    .where(targets.c.project == bindparam("project"), targets.c.closed == false())
    .order_by(targets.c.name)
)


def insert(tx: Tx, row: ProjectRow) -> None:
    add(tx, projects, row)


def get(tx: Tx, id: str) -> ProjectRow | None:
    return first(tx, ProjectRow, _GET, it=id)


def listing(tx: Tx, only_active: bool = False) -> list[ProjectRow]:
    return every(tx, ProjectRow, _ACTIVE if only_active else _ALL)


def kept(tx: Tx) -> list[ProjectRow]:
    """All but those that were removed."""
    return every(tx, ProjectRow, _KEPT)


def update(tx: Tx, id: str, **columns: Any) -> None:
    change(tx, projects, {"id": id}, columns)


def assign(tx: Tx, project: str, agent: str) -> None:
    """Assigning twice changes nothing."""
    add_link(tx, assignments, {"project": project, "agent": agent})


def unassign(tx: Tx, project: str, agent: str) -> None:
    prepared.write(tx.conn, _UNASSIGN, {"project": project, "agent": agent})


def is_assigned(tx: Tx, project: str, agent: str) -> bool:
    return prepared.value(tx.conn, _ASSIGNED, {"project": project, "agent": agent}) is not None


def agents_of(tx: Tx, project: str, only_active: bool = False) -> list[AgentRow]:
    return every(tx, AgentRow, _ACTIVE_AGENTS if only_active else _AGENTS, project=project)


def put_target(tx: Tx, row: TargetRow) -> None:
    """Insert the target, or set all its columns."""
    if target(tx, row.project, row.name) is None:
        add(tx, targets, row)
        return
    columns = row.values()
    del columns["project"], columns["name"]
    update_target(tx, row.project, row.name, **columns)


def target(tx: Tx, project: str, name: str) -> TargetRow | None:
    return first(tx, TargetRow, _TARGET, project=project, name=name)


def targets_of(tx: Tx, project: str) -> list[TargetRow]:
    """Those that work may land on: a unit's branch only while the unit lives."""
    return every(tx, TargetRow, _TARGETS, project=project)


def update_target(tx: Tx, project: str, name: str, **columns: Any) -> None:
    change(tx, targets, {"project": project, "name": name}, columns)
