"""Targets as people read them: where the tip and the branch are, why nothing moves, and who waits to land."""

from __future__ import annotations

from typing import Any

from toryo.domain.actions import Action, Do, action, lines
from toryo.domain.advice import Around, next_actions, waiting_words
from toryo.domain.errors import NotFound, UserError
from toryo.domain.reasons import STOPS, Reason, Turn, meaning, turn
from toryo.domain.times import iso
from toryo.domain.words import OrderKind, TaskStatus, Verb
from toryo.engine.actions import shown
from toryo.engine.attention import is_held
from toryo.engine.context import HeadContext
from toryo.reconciler.target_verbs import (
    BASE_GATE,
    FOLLOWED,
    PUBLISH_FAILED,
    WAITING_FOR_CHECKOUT,
    TargetState,
    reason_of,
    verbs_for,
)
from toryo.store.database.engine import Tx
from toryo.store.database.rows import LandingRow, ProjectRow, TargetRow
from toryo.store.gather import subject_facts
from toryo.store.tables import facts, landings, orders, projects, tasks
from toryo.usecases.finding import project_at

WORDS = {
    BASE_GATE: "its own checks",
    FOLLOWED: "its tip: a person moved the branch, and it is being followed",
}


def list_targets(context: HeadContext, project: str, path: str) -> dict[str, Any]:
    """Of the named project or the one around the path; of all active ones elsewhere."""
    with context.store.read() as tx:
        owner = project_at(tx, project, path)
        owners = [owner] if owner else projects.listing(tx, only_active=True)
        listed = [target_line(tx, one, row) for one in owners for row in projects.targets_of(tx, one.id)]
    return {"success": True, "targets": listed}


def get_target(context: HeadContext, name: str, project: str, path: str) -> dict[str, Any]:
    with context.store.read() as tx:
        owner, row = the_target(tx, name, project, path)
        return {"success": True, "target": target_body(tx, owner, row)}


def the_target(tx: Tx, name: str, project: str, path: str) -> tuple[ProjectRow, TargetRow]:
    """By its branch's name: in the named project, the one around the path, or the only one that has it."""
    wanted = name.removeprefix("refs/heads/")
    owner = project_at(tx, project, path)
    owners = [owner] if owner else projects.listing(tx, only_active=True)
    known = [(one, row) for one in owners for row in projects.targets_of(tx, one.id)]
    found = [(one, row) for one, row in known if row.name == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        owners_named = ", ".join(one.name for one, _ in found)
        raise UserError(
            f"{len(found)} projects have a target {wanted!r}: {owners_named}.",
            hint="Go into the repository of one, or name it with --project.",
        )
    there = ", ".join(f"{row.name} of {one.name}" for one, row in known[:10])
    where = f" of {owner.name}" if owner else ""
    raise NotFound(
        f"There is no target {name!r}{where}.", hint=f"There are: {there or 'none; `toryo init`'}."
    )


def reason(tx: Tx, row: TargetRow) -> str:
    """Why it waits, as its tasks are told; empty: it waits for nothing."""
    base, _ = subject_facts.base(tx, row)
    followed = bool(subject_facts.following(tx, row))
    why = reason_of(TargetState(row.stopped, base, followed, row.waiting_why))
    return Reason.WAITING_FOR_PARENT if row.unit and why == WAITING_FOR_CHECKOUT else why


def whose_turn(why: str) -> Turn:
    """Of a target that waits for that reason."""
    if not why:
        return Turn.NOBODY
    return turn(TaskStatus.BLOCKED, why)


def target_line(tx: Tx, project: ProjectRow, row: TargetRow) -> dict[str, Any]:
    why, queued = reason(tx, row), _queued(tx, row)
    accepted = _accepted(tx, row)
    around = _around(tx, project, row, len(accepted))
    offered = actions(why, around)
    return {
        "name": row.name,
        "project": project.id,
        "project_name": project.name,
        "tip": row.tip,
        "published": row.published,
        "branch": row.seen or row.published,
        "relation": row.seen_relation,
        "stopped": row.stopped or None,
        "reason": why,
        "waits_for": _waits_for(tx, row, why, around) or None,
        "waiting": list(row.waiting),
        "queued": len(queued),
        "accepted": len(accepted),
        "next": list(lines(offered)),
        "actions": [shown(one) for one in offered],
    }


def target_body(tx: Tx, project: ProjectRow, row: TargetRow) -> dict[str, Any]:
    """With its queue: accepted landings first, in the order in which they reach the branch."""
    queue = [_landing(tx, one) for one in (*_accepted(tx, row), *_queued(tx, row))]
    return target_line(tx, project, row) | {"queue": queue}


def actions(why: str, around: Around) -> tuple[Action, ...]:
    """What a person may do, the likeliest first; none where nothing waits for them."""
    # of a task these end with its own verbs; a target has verbs of its own
    named = [one for one in next_actions("", TaskStatus.BLOCKED, why, "", around) if one.do not in _OF_TASKS]
    said = [action(_VERBS[verb], around.target, project=around.project) for verb in verbs_for(why)]
    return (*named, *said) if why else ()


_VERBS = {Verb.APPROVE: Do.APPROVE_TARGET, Verb.RETRY: Do.RETRY_TARGET}
_OF_TASKS = (
    Do.EVIDENCE,
    *_VERBS.values(),
    *(Do(verb.value) for verb in (Verb.APPROVE, Verb.RETRY, Verb.REJECT)),
)


def _waits_for(tx: Tx, row: TargetRow, why: str, around: Around) -> str:
    if why == WAITING_FOR_CHECKOUT:
        return waiting_words(around)
    if why == PUBLISH_FAILED:
        return "; ".join(row.waiting[:3])
    detail = subject_facts.base(tx, row)[1] if why.startswith("base_") else ""
    words = meaning(why).sentence if why in (*STOPS, Reason.WAITING_FOR_PARENT) else WORDS.get(why, why)
    return f"{words}: {detail}" if detail else words


def _around(tx: Tx, project: ProjectRow, row: TargetRow, accepted: int) -> Around:
    return Around(
        path=project.path,
        project=project.name,
        target=row.name,
        checkout=_checkout(tx, row),
        waiting=tuple(row.waiting),
        waiting_why=row.waiting_why,
        behind=max(0, accepted - 1),
    )


def _checkout(tx: Tx, row: TargetRow) -> str:
    """Where its publish waits, as the last fact told it."""
    pending = orders.of_target(tx, row.project, (OrderKind.PUBLISH,), row.name)
    told = [fact for order in pending for fact in facts.of_order(tx, order.id) if fact.standing == "applied"]
    return next((str(fact.body.get("checkout", "")) for fact in reversed(told)), "")


def _queued(tx: Tx, row: TargetRow) -> list[LandingRow]:
    waiting = [one for one in landings.queue(tx, row.project, row.name) if one.accepted_at is None]
    return sorted(waiting, key=lambda one: (not one.begun, one.priority, one.created_at, one.id))


def _accepted(tx: Tx, row: TargetRow) -> list[LandingRow]:
    return [one for one in landings.awaiting_publish(tx, row.project, row.name) if is_held(one)]


def _landing(tx: Tx, row: LandingRow) -> dict[str, Any]:
    task = tasks.get(tx, row.task) if row.task else None
    state = "accepted" if row.accepted_at is not None else "checking" if row.begun else "queued"
    return {
        "landing": row.id,
        "kind": row.kind,
        "task": row.task or None,
        "title": task.title if task else None,
        "state": state,
        "commit": row.candidate or row.head,
        "verdict": row.verdict or None,
        "since": iso(row.created_at),
    }
