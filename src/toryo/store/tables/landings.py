"""Landings: who wants to reach a target, in which order, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy import update as update_of

from toryo.domain import subjects
from toryo.domain.words import ENDED_BADLY
from toryo.store.database import prepared
from toryo.store.database.engine import Tx
from toryo.store.database.rows import LandingRow
from toryo.store.database.schema import IS_HELD, IS_UNPUBLISHED, LANDING_OF_MISSION, landings
from toryo.store.database.statements import add, change, every, first, texts

_GET = select(landings).where(landings.c.id == bindparam("it"))
_OF_TASK = select(landings).where(landings.c.task == bindparam("it")).order_by(landings.c.seq)
_OF_MISSION = (
    select(landings).where(landings.c.mission == bindparam("it"), LANDING_OF_MISSION).order_by(landings.c.seq)
)
_OF_FILES = (
    select(landings)
    .where(LANDING_OF_MISSION, landings.c.project == bindparam("project"))
    .order_by(landings.c.seq)
)
_OF_TARGET = select(landings).where(
    landings.c.project == bindparam("project"), landings.c.target == bindparam("target")
)
_QUEUE = _OF_TARGET.where(landings.c.ended == "").order_by(landings.c.seq)
_AWAITING = _OF_TARGET.where(IS_UNPUBLISHED).order_by(landings.c.accept_number)
_NEWEST_SEQ = select(func.max(landings.c.seq)).where(landings.c.task == bindparam("it"))
_LANDED_AFTER = _OF_TARGET.where(
    landings.c.accept_number > bindparam("number"),
    landings.c.task != "",
    landings.c.published_at.is_not(None),
).order_by(landings.c.accept_number)
_ACCEPTED_ON = (
    _OF_TARGET.where(landings.c.task != "", IS_HELD)
    .with_only_columns(landings.c.candidate)
    .order_by(landings.c.accept_number)
)
_ENDED_HEADS = select(landings.c.head).where(
    landings.c.project == bindparam("project"),
    landings.c.target == bindparam("target"),
    landings.c.ended.in_(bindparam("reasons", expanding=True)),
    landings.c.kind.in_(bindparam("kinds", expanding=True)),
)
_FOLLOWED = (
    _OF_TARGET.where(landings.c.kind.in_(("adopt", "restack")), landings.c.head == bindparam("head"))
    .order_by(landings.c.seq.desc())
    .limit(1)
)
_LAST_FOLLOWED = _OF_TARGET.where(landings.c.kind.in_(("adopt", "restack"))).with_only_columns(
    func.max(landings.c.accepted_at)
)


def accepted_on(tx: Tx, project: str, target: str) -> list[str]:
    """Commits by which the work of tasks came onto a target."""
    return texts(tx, _ACCEPTED_ON, project=project, target=target)


def insert(tx: Tx, row: LandingRow) -> int:
    return add(tx, landings, row)


def get(tx: Tx, id: str) -> LandingRow | None:
    return first(tx, LandingRow, _GET, it=id)


def update(tx: Tx, id: str, **columns: Any) -> None:
    change(tx, landings, {"id": id}, columns)


def of_task(tx: Tx, task: str) -> list[LandingRow]:
    return every(tx, LandingRow, _OF_TASK, it=task) if task else []


def of_mission(tx: Tx, mission: str) -> list[LandingRow]:
    """Those of its files, every attempt, by seq."""
    return every(tx, LandingRow, _OF_MISSION, it=mission) if mission else []


def of_files(tx: Tx, project: str) -> list[LandingRow]:
    """Of all missions of the project, every attempt, by seq."""
    return every(tx, LandingRow, _OF_FILES, project=project)


def queue(tx: Tx, project: str, target: str) -> list[LandingRow]:
    """Not ended, by seq."""
    return every(tx, LandingRow, _QUEUE, project=project, target=target)


def awaiting_publish(tx: Tx, project: str, target: str) -> list[LandingRow]:
    """Accepted and not published, in the order of accepting."""
    return every(tx, LandingRow, _AWAITING, project=project, target=target)


def landed_after(tx: Tx, project: str, target: str, number: int) -> list[LandingRow]:
    """Of tasks, accepted later than that one and published."""
    return every(tx, LandingRow, _LANDED_AFTER, project=project, target=target, number=number)


def newest_seq_of_task(tx: Tx, task: str) -> int:
    """0 before its first landing."""
    return int(prepared.value(tx.conn, _NEWEST_SEQ, {"it": task}) or 0)


def ended_heads(tx: Tx, project: str, target: str, kinds: Iterable[str], reasons: Iterable[str]) -> set[str]:
    given = {"project": project, "target": target, "kinds": list(kinds), "reasons": list(reasons)}
    return set(texts(tx, _ENDED_HEADS, **given))


def newest_following(tx: Tx, project: str, target: str, head: str) -> LandingRow | None:
    """The newest adopt or restack landing of that commit."""
    return first(tx, LandingRow, _FOLLOWED, project=project, target=target, head=head)


def last_followed_at(tx: Tx, project: str, target: str) -> float:
    """When the tip last went to where a person had put the branch; 0: never."""
    return float(prepared.value(tx.conn, _LAST_FOLLOWED, {"project": project, "target": target}) or 0)


_LOST = _OF_TARGET.where(
    landings.c.published_at.is_not(None),
    landings.c.ended == "landed",
    landings.c.candidate.in_(bindparam("commits", expanding=True)),
)
_REMOVED = _OF_TARGET.where(landings.c.ended == "removed")


def note_lost(tx: Tx, project: str, target: str, lost: Iterable[str]) -> set[str]:
    """The target has not these commits any more, and all others: the tasks for which that is news."""
    given = set(lost)
    removed = every(tx, LandingRow, _REMOVED, project=project, target=target)
    back = [one for one in removed if one.candidate not in given]
    where = {"project": project, "target": target}
    gone = every(tx, LandingRow, _LOST, **where, commits=sorted(given)) if given else []
    for ended, rows in (("removed", gone), ("landed", back)):
        for row in rows:
            update(tx, row.id, ended=ended)
    for row in (*gone, *back):
        if row.mission:
            tx.mark(subjects.mission(row.mission))
    return {row.task for row in (*gone, *back) if row.task}


_FORGET_FOLLOWS = (
    update_of(landings)
    .where(
        landings.c.project == bindparam("of_project"),
        landings.c.target == bindparam("of_target"),
        landings.c.kind.in_(("adopt", "restack")),
        landings.c.ended.in_(ENDED_BADLY),
    )
    .values(ended="stale")
)


def forget_follows(tx: Tx, project: str, target: str) -> None:
    """Whatever was judged of a branch that a person moved is judged anew."""
    prepared.write(tx.conn, _FORGET_FOLLOWS, {"of_project": project, "of_target": target})
