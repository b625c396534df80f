"""Tasks with their dependencies and the blocked counter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, delete, exists, func, literal, or_, select
from sqlalchemy import insert as insert_into
from sqlalchemy import update as update_of

from toryo.domain.errors import NotFound
from toryo.domain.reasons import STOPS, Reason
from toryo.domain.words import ENDED, TaskStatus
from toryo.store.database import cycles, prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.database.schema import IS_CHILD, IS_HELD, dependencies, landings, tasks
from toryo.store.database.statements import add, change, every, every_of, first, prefixed, texts
from toryo.store.tables import marks
from toryo.store.tables.projects import ARE_REMOVED

_THESE = select(tasks).where(tasks.c.id.in_(bindparam("these", expanding=True))).order_by(tasks.c.id)
_GET = select(tasks).where(tasks.c.id == bindparam("it"))
_PAGE = select(tasks).where(tasks.c.seq > bindparam("after")).order_by(tasks.c.seq).limit(bindparam("most"))
_IS_KEPT = tasks.c.project.not_in(ARE_REMOVED)
"""Not of a project that was taken out of its repository: those wait for nobody any more."""
_PAGE_KEPT = _PAGE.where(_IS_KEPT)
_IS_OVER = tasks.c.status.in_(sorted(status.value for status in ENDED))


def _recent(those: ColumnElement[bool]) -> Select[Any]:
    newest = select(tasks.c.seq).where(those).order_by(tasks.c.seq.desc()).limit(bindparam("most"))
    return select(tasks).where(those, or_(~_IS_OVER, tasks.c.seq.in_(newest))).order_by(tasks.c.seq)


_RECENT = _recent(_IS_KEPT)
_RECENT_OF_PROJECT = _recent(tasks.c.project == bindparam("project"))
_PAGE_OF_PARENT = _PAGE.where(tasks.c.parent == bindparam("parent"), IS_CHILD)
_OF_BRANCH = (
    select(tasks)
    .where(tasks.c.project == bindparam("project"), tasks.c.branch == bindparam("branch"))
    .order_by(tasks.c.seq)
)
_CHILDREN = select(tasks).where(tasks.c.parent == bindparam("parent"), IS_CHILD).order_by(tasks.c.seq)
_NEEDS = select(dependencies.c.needs).where(dependencies.c.task == bindparam("it"))
_NEEDED_BY = select(dependencies.c.task).where(dependencies.c.needs == bindparam("it"))
_INSERT_NEEDS = insert_into(dependencies)
_DELETE_NEEDS = delete(dependencies).where(dependencies.c.task == bindparam("it"))
_IS_ACCEPTED = exists().where(landings.c.task == bindparam("it"), IS_HELD)
_ACCEPTED = select(tasks.c.id, _IS_ACCEPTED.label("accepted")).where(tasks.c.id == bindparam("it"))
_UNBLOCK = (
    update_of(tasks).where(tasks.c.id.in_(_NEEDED_BY), tasks.c.nblock > 0).values(nblock=tasks.c.nblock - 1)
)
_BLOCK = update_of(tasks).where(tasks.c.id.in_(_NEEDED_BY)).values(nblock=tasks.c.nblock + 1)
_MARK_NEEDED_BY = marks.now_for(
    select(
        literal("task:", literal_execute=True) + dependencies.c.task, literal(0, literal_execute=True)
    ).where(dependencies.c.needs == bindparam("it"))
)
_COUNTS = select(tasks.c.status, func.count()).group_by(tasks.c.status)
_COUNTS_KEPT = _COUNTS.where(_IS_KEPT)
_COUNTS_OF_PROJECT = _COUNTS.where(tasks.c.project == bindparam("project"))


def insert(tx: Tx, row: TaskRow, needs: Sequence[str] = ()) -> int:
    """Insert with its dependencies; its number. It can need existing ones only, so no cycle closes."""
    wanted = list(dict.fromkeys(needs))
    whole = replace(row, nblock=_nblock(tx, wanted), changed_at=row.changed_at or row.created_at)
    seq = add(tx, tasks, whole)
    _insert_needs(tx, row.id, wanted)
    return seq


def set_needs(tx: Tx, id: str, needs: Sequence[str]) -> None:
    """These and no others are its dependencies from now on; refused if a cycle would close."""
    wanted = list(dict.fromkeys(needs))
    nblock = _nblock(tx, wanted)
    cycles.refuse(tx, id, wanted)
    prepared.write(tx.conn, _DELETE_NEEDS, {"it": id})
    _insert_needs(tx, id, wanted)
    update(tx, id, nblock=nblock)


def _insert_needs(tx: Tx, id: str, wanted: Sequence[str]) -> None:
    if wanted:
        tx.conn.execute(_INSERT_NEEDS, [{"task": id, "needs": one} for one in wanted])


def _nblock(tx: Tx, wanted: Sequence[str]) -> int:
    return sum(not _is_accepted(tx, one) for one in wanted)


def _is_accepted(tx: Tx, id: str) -> bool:
    found = tx.conn.execute(_ACCEPTED, {"it": id}).first()
    if found is None:
        raise NotFound(f"There is no task {id} to wait for.", hint="See `toryo task list`.")
    return bool(found.accepted)


def get(tx: Tx, id: str) -> TaskRow | None:
    return first(tx, TaskRow, _GET, it=id)


def these(tx: Tx, ids: Sequence[str]) -> list[TaskRow]:
    """Those of them that there are, by their ids."""
    return every(tx, TaskRow, _THESE, these=list(ids)) if ids else []


def by_prefix(tx: Tx, text: str) -> list[TaskRow]:
    """At most five: enough to say that a prefix is not unique, and of what."""
    return prefixed(tx, TaskRow, tasks, text)


def page(
    tx: Tx,
    *,
    project: str | None = None,
    status: str | None = None,
    parent: str | None = None,
    after_seq: int = 0,
    limit: int = 50,
    kept: bool = False,
) -> list[TaskRow]:
    only = {"project": project, "status": status}
    if parent:
        return every_of(tx, TaskRow, _PAGE_OF_PARENT, tasks, only, parent=parent, after=after_seq, most=limit)
    asked = _PAGE_KEPT if kept and project is None else _PAGE
    return every_of(tx, TaskRow, asked, tasks, only, after=after_seq, most=limit)


def recent(tx: Tx, *, project: str | None, most: int) -> list[TaskRow]:
    """All that are not over, and so many of the newest, in the order of their numbers."""
    if project:
        return every(tx, TaskRow, _RECENT_OF_PROJECT, project=project, most=most)
    return every(tx, TaskRow, _RECENT, most=most)


def of_branch(tx: Tx, project: str, branch: str) -> list[TaskRow]:
    """Those that work on it, the oldest first."""
    return every(tx, TaskRow, _OF_BRANCH, project=project, branch=branch)


def children_of(tx: Tx, id: str) -> list[TaskRow]:
    """The tasks that are a part of it, the oldest first."""
    return every(tx, TaskRow, _CHILDREN, parent=id)


def needs_of(tx: Tx, id: str) -> list[str]:
    return texts(tx, _NEEDS, it=id)


def needed_by(tx: Tx, id: str) -> list[str]:
    return texts(tx, _NEEDED_BY, it=id)


def set_status(
    tx: Tx, id: str, status: str, reason: str = "", detail: str = "", next_purpose: str = ""
) -> None:
    update(
        tx,
        id,
        status=str(status),
        reason=reason,
        detail=detail,
        next_purpose=str(next_purpose),
        changed_at=tx.now,
    )


def unblock_dependents(tx: Tx, id: str) -> list[str]:
    """The task was accepted: count it off for everyone who needs it, and mark them; who they are.

    To be called once per accepted task. Three statements, however many they are."""
    prepared.write(tx.conn, _UNBLOCK, {"it": id})
    return _mark_dependents(tx, id)


def block_dependents(tx: Tx, id: str) -> list[str]:
    """What was accepted of the task is in the tip no more: it counts again, once; who they are."""
    prepared.write(tx.conn, _BLOCK, {"it": id})
    return _mark_dependents(tx, id)


def _mark_dependents(tx: Tx, id: str) -> list[str]:
    prepared.write(tx.conn, _MARK_NEEDED_BY[tx.conn.dialect.name], {"it": id})
    found = needed_by(tx, id)
    tx.marked = tx.marked or bool(found)
    return found


def counts(tx: Tx, project: str | None = None) -> dict[str, int]:
    """How many tasks have each status; those without any are left out, removed projects unless named."""
    if project is None:
        found = tx.conn.execute(_COUNTS_KEPT)
    else:
        found = tx.conn.execute(_COUNTS_OF_PROJECT, {"project": project})
    return {str(status): int(number) for status, number in found}


_FOR_REVIEW = (
    select(func.count())
    .select_from(tasks)
    .where(
        tasks.c.project == bindparam("project"),
        tasks.c.status == "needs_review",
        tasks.c.reason == Reason.REVIEW.value,
    )
)


def waiting_for_review(tx: Tx, project: str) -> int:
    """How many green changes wait for a person."""
    return int(prepared.value(tx.conn, _FOR_REVIEW, {"project": project}) or 0)


def update(tx: Tx, id: str, **columns: Any) -> None:
    change(tx, tasks, {"id": id}, columns)


BASE_REASONS = (Reason.BASE_GATE.value, *STOPS)
"""Why a task is blocked by its target rather than by another task."""

_SUBJECT = literal("task:", literal_execute=True) + tasks.c.id
_MARK_OF_TARGET = marks.now_for(
    select(_SUBJECT, literal(0, literal_execute=True)).where(
        tasks.c.project == bindparam("project"),
        tasks.c.target == bindparam("target"),
        tasks.c.status.in_(("ready", "verifying", "landing", "needs_review", "blocked")),
        or_(tasks.c.status != "blocked", tasks.c.reason.in_(BASE_REASONS)),
    )
)
_MARK_OF_AGENT = marks.now_for(
    select(_SUBJECT, literal(0, literal_execute=True)).where(
        tasks.c.project == bindparam("project"),
        tasks.c.agent == bindparam("agent"),
        tasks.c.status.in_(("ready", "blocked")),
    )
)
_MARK_OF_PROJECT = marks.now_for(
    select(_SUBJECT, literal(0, literal_execute=True)).where(
        tasks.c.project == bindparam("project"), tasks.c.status.in_(("ready", "blocked"))
    )
)
_REASSIGN = (
    update_of(tasks)
    .where(
        tasks.c.project == bindparam("of_project"),
        tasks.c.agent == bindparam("old_agent"),
        tasks.c.status.in_(("open", "blocked")),
        tasks.c.generation == 0,
    )
    .values(agent=bindparam("new_agent"))
)


def mark_of_target(tx: Tx, project: str, target: str) -> None:
    """Have every task looked at that waits for the target's state, however many they are."""
    prepared.write(tx.conn, _MARK_OF_TARGET[tx.conn.dialect.name], {"project": project, "target": target})
    tx.marked = True


def mark_of_agent(tx: Tx, project: str, agent: str) -> None:
    prepared.write(tx.conn, _MARK_OF_AGENT[tx.conn.dialect.name], {"project": project, "agent": agent})
    tx.marked = True


def mark_of_project(tx: Tx, project: str) -> None:
    """Have every task looked at that was not begun, whoever its agent is."""
    prepared.write(tx.conn, _MARK_OF_PROJECT[tx.conn.dialect.name], {"project": project})
    tx.marked = True


def reassign(tx: Tx, project: str, old: str, new: str) -> None:
    """Tasks that waited for an agent who cannot work go to one who can."""
    prepared.write(tx.conn, _REASSIGN, {"of_project": project, "old_agent": old, "new_agent": new})
    mark_of_agent(tx, project, new)


_NEWEST = (
    select(tasks)
    .where(tasks.c.status == bindparam("status"))
    .order_by(tasks.c.seq.desc())
    .limit(bindparam("most"))
)
_NEWEST_KEPT = _NEWEST.where(_IS_KEPT)


def newest(tx: Tx, status: str, *, project: str | None = None, limit: int = 20) -> list[TaskRow]:
    """Those with that status, the newest first; of removed projects only where one is named."""
    only = {"project": project}
    asked = _NEWEST_KEPT if project is None else _NEWEST
    return every_of(tx, TaskRow, asked, tasks, only, status=str(status), most=limit)


_REMOVED_SINCE = (
    select(tasks)
    .where(
        tasks.c.project == bindparam("project"),
        tasks.c.target == bindparam("target"),
        tasks.c.status == TaskStatus.DONE.value,
        tasks.c.reason == Reason.REMOVED.value,
        tasks.c.changed_at > bindparam("since"),
    )
    .order_by(tasks.c.seq.desc())
)


def removed_since(tx: Tx, project: str, target: str, since: float) -> list[TaskRow]:
    """Whose work a person took off that target after that moment, the newest task first."""
    return every(tx, TaskRow, _REMOVED_SINCE, project=project, target=target, since=since)
