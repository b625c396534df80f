"""Ready work: by one index, in the order of priority and age, at the same cost for ten tasks or a million."""

from __future__ import annotations

from sqlalchemy import and_, bindparam, func, select, tuple_

from toryo.domain.reasons import Reason
from toryo.domain.words import TaskStatus
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.database.schema import agents, assignments, projects, tasks
from toryo.store.database.statements import every

_IS_READY = (
    tasks.c.project == bindparam("project"),
    tasks.c.agent == bindparam("agent"),
    tasks.c.status == TaskStatus.READY.value,
    tasks.c.nblock == 0,
    tasks.c.reason != Reason.PAUSED.value,  # its mission starts nothing
)
_NEXT = select(tasks).where(*_IS_READY).order_by(tasks.c.priority, tasks.c.seq).limit(bindparam("most"))
_NEXT_AFTER = _NEXT.where(
    tuple_(tasks.c.priority, tasks.c.seq) > tuple_(bindparam("priority"), bindparam("seq"))
)
# Ordered although any one would do: without it PostgreSQL reads the table from its beginning.
_ANY = select(tasks.c.seq).where(*_IS_READY).order_by(tasks.c.priority, tasks.c.seq).limit(1)
_own = agents.alias("own")
_PAIRS = (  # a project's own agent, else the installation's
    select(assignments.c.project, assignments.c.agent)
    .join(projects, projects.c.id == assignments.c.project)
    .outerjoin(_own, and_(_own.c.id == assignments.c.agent, _own.c.project == assignments.c.project))
    .outerjoin(agents, and_(agents.c.id == assignments.c.agent, agents.c.project == ""))
    .where(projects.c.status == "active", func.coalesce(_own.c.status, agents.c.status) == "active")
    .order_by(assignments.c.project, assignments.c.agent)
)


def next_ready(
    tx: Tx, project: str, agent: str, *, limit: int = 20, after: tuple[int, int] | None = None
) -> list[TaskRow]:
    """The next ones by (priority, seq), or those behind that place."""
    if after is None:
        return every(tx, TaskRow, _NEXT, project=project, agent=agent, most=limit)
    priority, seq = after
    return every(
        tx, TaskRow, _NEXT_AFTER, project=project, agent=agent, most=limit, priority=priority, seq=seq
    )


def has_ready(tx: Tx, project: str, agent: str) -> bool:
    return prepared.value(tx.conn, _ANY, {"project": project, "agent": agent}) is not None


def ready_pairs(tx: Tx) -> list[tuple[str, str]]:
    """Active (project, agent) pairs with ready work; one look into the index for each assignment."""
    pairs = [(str(project), str(agent)) for project, agent in prepared.rows(tx.conn, _PAIRS, {})[1]]
    return [(project, agent) for project, agent in pairs if has_ready(tx, project, agent)]
