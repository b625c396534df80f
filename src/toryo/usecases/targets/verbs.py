"""What a person says about a target branch: recorded as a verb and an event, carried out on the target's row.

Which effect a verb has is decided in `reconciler/target_verbs.py`.
"""

from __future__ import annotations

import shlex
from typing import Any

from toryo.domain import subjects
from toryo.domain.errors import Refused
from toryo.domain.ids import ProjectId
from toryo.domain.words import OrderKind, Verb
from toryo.engine.context import HeadContext
from toryo.engine.ids import new_id
from toryo.engine.orders.insertion import hub, insert
from toryo.protocol.kinds.landing import AcceptInputs
from toryo.reconciler.target_verbs import TargetEffect, effect_of
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TargetRow, VerbRow
from toryo.store.tables import landings, meta, projects, tasks, verbs
from toryo.usecases.finding import refuse_inactive
from toryo.usecases.targets.targets import reason, target_line, the_target

LONGEST_NOTE = 500
RECORDED = {Verb.APPROVE: "target_approved", Verb.RETRY: "target_retried"}


def say(context: HeadContext, verb: Verb, name: str, project: str, path: str, note: str) -> dict[str, Any]:
    """An approval or a retry of the target itself."""
    with context.store.change() as tx:
        owner, row = the_target(tx, name, project, path)
        refuse_inactive(owner)
        why = reason(tx, row)
        effect = effect_of(verb, why)
        if effect is None:
            raise _refusal(verb, target_line(tx, owner, row))
        carry_out(tx, owner.id, row.name, verb, effect, why=why, note=note)
    return {"success": True, "target": row.name, "project": owner.id, "said": verb, "why": why}


def _refusal(verb: Verb, target: dict[str, Any]) -> Refused:
    named = f"{target['name']} of {target['project_name']}"
    show = f"toryo target show {shlex.quote(target['name'])} --project {shlex.quote(target['project_name'])}"
    hint = next(iter(target["next"]), f"See `{show}`.")
    if not target["reason"]:
        return Refused(f"{named} waits for nothing: there is nothing to {verb}.", hint=hint)
    return Refused(f"{named} waits for {target['reason']}: that leaves nothing to {verb}.", hint=hint)


def carry_out(
    tx: Tx,
    project: str,
    name: str,
    verb: Verb,
    effect: TargetEffect,
    *,
    why: str,
    task: str = "",
    note: str = "",
) -> None:
    """`task`: the one whose verb stands for its target's."""
    target = projects.target(tx, project, name)
    if target is None:
        return
    about = subjects.target(ProjectId(project), name)
    if not task:
        verbs.add(tx, VerbRow(subject=about, verb=verb, reason=why, note=note, at=tx.now))
    body = {"target": name, "why": why, "effect": effect, "note": note[:LONGEST_NOTE]}
    tx.emit(RECORDED[verb], body, subject=about, project=project, task=task)
    match effect:
        case TargetEffect.TRUST:
            _trust(tx, target)
        case TargetEffect.PUT_TIP_BACK:
            _put_tip_back(tx, target, is_gone=why == "tip_missing")
        case TargetEffect.CHECK_AGAIN:
            _try_again(tx, target, tip_gate="")
        case TargetEffect.TRY_AGAIN:
            _try_again(tx, target)


def _trust(tx: Tx, target: TargetRow) -> None:
    """A person takes the branch as it is: work may start from it."""
    following = target.seen_relation in ("ahead", "diverged") or not target.seen_contains_published
    tree = target.seen_tree if following or not target.tip else target.tip_tree
    projects.update_target(tx, target.project, target.name, trusted_tree=tree)
    _look_again(tx, target)


def _try_again(tx: Tx, target: TargetRow, **forgotten: Any) -> None:
    """Check the base, follow the branch or publish once more: what stood in the way may be mended."""
    known: dict[str, Any] = {"retry_at": 0, "waiting": [], "waiting_why": "", **forgotten}
    projects.update_target(tx, target.project, target.name, **known)
    landings.forget_follows(tx, target.project, target.name)
    _look_again(tx, target)


def _look_again(tx: Tx, target: TargetRow) -> None:
    tasks.mark_of_target(tx, target.project, target.name)
    tx.mark(subjects.queue(target.project, target.name))


def _put_tip_back(tx: Tx, target: TargetRow, *, is_gone: bool) -> None:
    project = projects.get(tx, target.project)
    if project is None or not (target.foreign_tip or is_gone):
        return
    inputs = AcceptInputs(
        repo=project.path,
        target=target.name,
        old="" if is_gone else target.foreign_tip,
        new=target.tip,
        evidence="put back by a person",
        installation=meta.get(tx, "installation") or "",
        reset=True,
    )
    insert(tx, OrderKind.ACCEPT, f"put-back/{new_id('k')}", hub(project), inputs, project=project.id)
