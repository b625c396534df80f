"""Recomputation of a project's targets: where tip and branch stand by what was reported.

The reports do not say everything: `init` reads a repository that is known already, and what it makes of that
(it may be refused, or find its tip lost) is no fact. From then on the tip is one of a few, until the next
accept. What was published before the first publish or follow, or since a take-over, is not compared at all:
it was read from a survey, and no fact says from which.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from toryo.domain.ids import ProjectId, TaskId
from toryo.protocol.views.status import Difference
from toryo.reconciler.retries import NO_COMMIT
from toryo.store.database.engine import Tx
from toryo.store.recompute import raw_rows
from toryo.store.tables import projects
from toryo.usecases.projects.projects import OWNER


@dataclass(frozen=True)
class Standing:
    tips: tuple[str, ...] = ()
    """What the tip may be, and the empty text for none; nothing at all: not known."""
    published: str | None = None
    """None: not known."""


def compare_targets(tx: Tx, project: str) -> list[Difference]:
    found = []
    moves = raw_rows.moves(tx, project)
    for target in projects.targets_of(tx, project):
        said = Standing()
        for move in moves:
            if not (target.unit and move.kind == "adopted"):  # it was opened later, where its unit stood
                said = _after(said, move, target.name)
        if said.tips and target.tip not in said.tips:
            tips = " or ".join(one or "none" for one in said.tips)
            found.append(difference(project, f"target {target.name} tip", target.tip or "none", tips))
        if said.published is not None and target.published != said.published:
            what = f"target {target.name} published"
            found.append(difference(project, what, target.published, said.published))
    return found


def _after(said: Standing, move: raw_rows.Move, target: str) -> Standing:
    if move.kind == "adopted":
        return said if move.body.get("problem") else _adopted(said, move, target)
    if move.inputs.get("target") != target:
        return said
    if "new" not in move.inputs:
        return Standing()  # a coordinator said it of an order of another kind: what it moved is not known
    new = str(move.inputs["new"])
    if move.kind == "published":
        return replace(said, published=new) if move.body["published"] else said
    if not move.landing:
        return _put_back(said, move, new)
    if not move.body["moved"]:
        return said
    published = {"adopt": new, "restack": move.head}.get(move.landing, said.published)
    return Standing((new,), published)


def _adopted(said: Standing, move: raw_rows.Move, target: str) -> Standing:
    """By `init` or `project move`: where there was a tip it may have stayed, been replaced or forgotten."""
    wrote = move.body["wrote"]
    forgotten = ("",) if said.tips and f"refs/toryo/tips/{target}" in wrote else ()
    tips = tuple(dict.fromkeys((*said.tips, str(move.body["tip"]), *forgotten)))
    return Standing(tips, None if OWNER in wrote else said.published)


def _put_back(said: Standing, move: raw_rows.Move, new: str) -> Standing:
    """A tip whose commit is not there any more was forgotten; any other was put back and is what it was."""
    if (move.body.get("problem") or {}).get("code") != NO_COMMIT:
        return said
    return replace(said, tips=tuple("" if one == new else one for one in said.tips))


def difference(project: str, what: str, cached: Any, facts_say: Any, task: str = "") -> Difference:
    """`task` is empty where it is about no single one."""
    return {
        "task": TaskId(task),
        "project": ProjectId(project),
        "what": what,
        "cached": str(cached),
        "facts_say": str(facts_say),
    }
