"""What a person says about a task: recorded as a fact, carried out as `reconciler/task_verbs.py` means it."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.actions import line
from toryo.domain.errors import Refused
from toryo.domain.times import iso
from toryo.domain.words import OrderKind, OrderState, TaskStatus, Verb
from toryo.engine import parking
from toryo.engine.context import HeadContext
from toryo.engine.missions import judge_questions
from toryo.engine.orders.compose import insert_wish
from toryo.engine.subjects.withdrawal import withdraw_landing
from toryo.engine.units.retries import insist_may_begin
from toryo.protocol.views import tasks as views
from toryo.reconciler.decisions import OrderWish
from toryo.reconciler.subjects import DROPPED, UNWANTED
from toryo.reconciler.target_verbs import REWOUND, TargetEffect
from toryo.reconciler.task_verbs import Meaning, Refusal, Said, TaskEffect, VerbFacts, is_answered, meaning_of
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow, VerbRow
from toryo.store.tables import landings, orders, projects, runs, tasks, verbs
from toryo.usecases import accounts
from toryo.usecases.finding import refuse_removed, the_task
from toryo.usecases.targets.verbs import carry_out as carry_out_at_target


def say(context: HeadContext, verb: Verb, text: str, note: str, seen: str = "") -> views.SaidVerb:
    """`seen`: the reason that it answers; the first answer to it counts."""
    with context.store.change() as tx:
        row = the_task(tx, text)
        return first_answer(tx, row, verb, seen) or answer(row, said(tx, row, verb, note))


def first_answer(tx: Tx, row: TaskRow, verb: Verb, seen: str) -> views.SaidVerb | None:
    """What somebody said before; None: nobody was first."""
    before = verbs.of_task(tx, row.id)
    newest = before[-1] if before else None
    about = Said(Verb(newest.verb), newest.reason) if newest else None
    if newest is None or not is_answered(verb, _facts(tx, row), seen, about):
        return None
    note = f": {newest.note}" if newest.note else ""
    return answer(row, Verb(newest.verb), already=True, by=f"{newest.verb} at {iso(newest.at)}{note}")


def answer(row: TaskRow, verb: Verb, *, already: bool = False, by: str = "") -> views.SaidVerb:
    return {"success": True, "id": row.id, "said": verb, "already": already, "by": by}


def said(tx: Tx, row: TaskRow, verb: Verb, note: str = "") -> Verb:
    """A person's verb is a fact; what follows from it is decided by the reconciler."""
    refuse_removed(projects.get(tx, row.project))
    meaning = meaning_of(verb, _facts(tx, row), note)
    if isinstance(meaning, Refusal):
        raise Refused(meaning.why, hint=line(meaning.action))
    if meaning.effect is TaskEffect.START_OVER:
        insist_may_begin(tx, row)
    fact = VerbRow(
        subject=subjects.task(row.id),
        verb=meaning.verb,
        generation=row.generation,
        landing_seq=landings.newest_seq_of_task(tx, row.id),
        reason=row.reason,
        note=note,
        at=tx.now,
    )
    judge_questions.close(tx, row, note)
    verbs.add(tx, fact)
    body = {"reason": row.reason, "note": note[:500]}
    tx.emit(f"task_{meaning.verb}", body, project=row.project, task=row.id)
    _carry_out(tx, row, verb, meaning)
    tx.mark(subjects.task(row.id))
    return meaning.verb


def _facts(tx: Tx, row: TaskRow) -> VerbFacts:
    target = projects.target(tx, row.project, row.target)
    return VerbFacts(
        task=row.id,
        status=TaskStatus(row.status),
        reason=row.reason,
        target=row.target,
        landed=bool(row.landed_commit),
        has_live_run=any(run.live for run in runs.of_task(tx, row.id)),
        is_accepting=_is_accepting(tx, row),
        account_waits=bool(parking.waits_for(tx, *accounts.of_task(tx, row))),
        target_is_rewound=target is not None and target.stopped == REWOUND,
    )


def _carry_out(tx: Tx, row: TaskRow, verb: Verb, meaning: Meaning) -> None:
    match meaning.effect:
        case TaskEffect.START_OVER:
            _start_over(tx, row)
        case TaskEffect.TAKE_OFF:
            _take_off(tx, row)
        case TaskEffect.RELEASE_ACCOUNT:
            accounts.end_waiting(tx, *accounts.of_task(tx, row))
        case TargetEffect() as effect:
            carry_out_at_target(tx, row.project, row.target, verb, effect, why=row.reason, task=row.id)


def _start_over(tx: Tx, row: TaskRow) -> None:
    """A new attempt starts from the tip in a fresh worktree; the old one is retired and stays reachable."""
    for landing in landings.of_task(tx, row.id):
        if not landing.ended:
            withdraw_landing(tx, landing)
    past = runs.of_task(tx, row.id)
    if past and past[-1].collected:
        insert_wish(tx, OrderWish(OrderKind.CLEAN, f"clean/{past[-1].id}", run=past[-1].id), row.project)
    tasks.update(tx, row.id, name="", worktree="", branch="", base_commit="")


def _take_off(tx: Tx, row: TaskRow) -> None:
    """It was accepted and is not on the branch yet: the tip goes back to where the branch stands, and what
    else was accepted lands anew. The work itself is kept."""
    for landing in landings.of_task(tx, row.id):
        if landing.accepted_at is not None and landing.published_at is None and landing.ended != DROPPED:
            landings.update(tx, landing.id, ended=UNWANTED)
    tx.mark(subjects.queue(row.project, row.target))


def _is_accepting(tx: Tx, row: TaskRow) -> bool:
    return any(
        one.kind == OrderKind.ACCEPT and one.state == OrderState.TAKEN
        for one in orders.pending_of_task(tx, row.project, row.id)
    )
