"""Failed tasks that a person has not seen to: neither ended by themselves nor dismissed; the newest first.

A unit whose parent has ended, or began anew without it, is not among them: nobody retries it any more."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Executable, bindparam, exists, literal, or_, select

from toryo.domain.reasons import BY_A_PERSON
from toryo.domain.words import ENDED, TaskStatus, Verb
from toryo.store.database.engine import Tx
from toryo.store.database.schema import tasks, verbs
from toryo.store.database.statements import texts
from toryo.store.tables.projects import ARE_REMOVED

NEWEST = 1000
"""Older failures are in `task list`: a status page costs the same however many there are."""
_UNDOING = (Verb.RETRY, Verb.SUBMIT)

_PARENT = tasks.alias("parent")
_OF_TASK = literal("task:", literal_execute=True)
_LATER = verbs.alias("later")
_IS_UNDONE = exists().where(
    _LATER.c.subject == verbs.c.subject, _LATER.c.seq > verbs.c.seq, _LATER.c.verb.in_([*_UNDOING])
)


def _open(*, project: bool) -> Executable:
    failed = select(tasks.c.id, tasks.c.seq, tasks.c.reason, tasks.c.unit, tasks.c.parent, tasks.c.target)
    failed = failed.where(tasks.c.status == TaskStatus.FAILED)
    if project:
        failed = failed.where(tasks.c.project == bindparam("project"))
    else:
        failed = failed.where(tasks.c.project.not_in(ARE_REMOVED))
    newest = failed.order_by(tasks.c.seq.desc()).limit(NEWEST).subquery("newest")
    dismissed = exists().where(
        verbs.c.subject == _OF_TASK + newest.c.id, verbs.c.verb == Verb.DISMISS, ~_IS_UNDONE
    )
    is_over = exists().where(
        newest.c.unit != "",
        _PARENT.c.id == newest.c.parent,
        or_(_PARENT.c.status.in_(sorted(ENDED)), _PARENT.c.branch != newest.c.target),
    )
    return (
        select(newest.c.id)
        .where(newest.c.reason.not_in([*BY_A_PERSON]), ~dismissed, ~is_over)
        .order_by(newest.c.seq.desc())
    )


_OPEN, _OPEN_OF_PROJECT = _open(project=False), _open(project=True)


def unseen(tx: Tx, project: str | None = None) -> Sequence[str]:
    """Their ids."""
    if project is None:
        return texts(tx, _OPEN)
    return texts(tx, _OPEN_OF_PROJECT, project=project)
