"""Run facts: folded anew, what their end frees is freed, and their task is marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toryo.domain import subjects
from toryo.domain.words import OVERTAKEN, OrderKind, OrderState, Outcome, Purpose, Verb
from toryo.reconciler.folding import RawFact, RunFold, fold_run
from toryo.store.database.engine import Tx
from toryo.store.database.rows import FactRow, OrderRow, RunRow
from toryo.store.tables import facts, orders, runs, tasks, tokens, verbs


def apply_run_fact(tx: Tx, order: OrderRow, kind: str, body: dict[str, Any]) -> None:
    run = runs.get(tx, order.run)
    if run is None:
        return
    if kind == "prepared" and not body.get("problem"):
        _remember_worktree(tx, run, body)
    refold(tx, run)
    if kind in ("started", "cleaned"):
        _tell_mission(tx, run)
    if kind == "signs":  # whoever follows the events hears of the task, if anything waits for a person
        return
    tx.emit(f"run_{kind}", _shown(kind, body), project=run.project, task=run.task, run=run.id)


def _tell_mission(tx: Tx, run: RunRow) -> None:
    """It is over once what its runs left is retired, and tells every two minutes of a run that began."""
    task = tasks.get(tx, run.task)
    if task is not None and task.mission:
        tx.mark(subjects.mission(task.mission))


BEFORE_THE_END = (OrderKind.PREPARE, OrderKind.RUN, OrderKind.STOP, OrderKind.SAY)
"""Orders that make no sense once a run has ended by the daemon's own word."""


def own_fact(tx: Tx, run: RunRow, kind: str, body: dict[str, Any] | None = None) -> None:
    """A fact the daemon itself is the witness of, and which ends the run: released, expired, reported."""
    _witness(tx, run, kind, body)
    for order in orders.of_run(tx, run.id):
        if order.kind in BEFORE_THE_END and order.state in (OrderState.OPEN, OrderState.TAKEN):
            orders.set_state(tx, order, OrderState.WITHDRAWN)
    refold(tx, run)
    tx.emit(f"run_{kind}", body or {}, project=run.project, task=run.task, run=run.id)


def note_stop(tx: Tx, run: RunRow) -> None:
    """That a person asked it to end: also of a run whose end nobody sees (ADR 20)."""
    _witness(tx, run, "stop_asked")
    tx.emit("run_stop_asked", {}, project=run.project, task=run.task, run=run.id)


def note_set_aside(tx: Tx, order: OrderRow, commit: str) -> None:
    """What a run of a unit left uncommitted is kept in that commit; its worktree has its children's work."""
    run = runs.get(tx, str(order.inputs.get("set_aside") or ""))
    if run is not None:
        _witness(tx, run, SET_ASIDE, {"commit": commit})


SET_ASIDE = "set_aside"


def _witness(tx: Tx, run: RunRow, kind: str, body: dict[str, Any] | None = None) -> None:
    row = FactRow(
        kind=kind,
        project=run.project,
        task=run.task,
        run=run.id,
        generation=run.generation,
        body=body or {},
        at=tx.now,
    )
    facts.insert(tx, row)


def refold(tx: Tx, run: RunRow) -> None:
    """`run`: as it is stored; what did not change is not written again."""
    fold = folded(tx, run)
    known = vars(run)
    changed: dict[str, Any] = {name: value for name, value in vars(fold).items() if known[name] != value}
    runs.update(tx, run.id, **changed)
    if fold.parked_until is not None and fold.parked_until != run.parked_until:
        tx.mark(subjects.parked(run.id), fold.parked_until)
    if run.live and not fold.live:
        if not fold.started_at:
            _withdraw_start(tx, run)
        if run.coordinator or fold.outcome_reason != OVERTAKEN:  # an outside agent's session goes on
            tokens.end_of_run(tx, run.id, "exit")
    tx.mark(subjects.task(run.task))


def _withdraw_start(tx: Tx, run: RunRow) -> None:
    """The order to run came with the claim; a run that could not be prepared will not need it."""
    for order in orders.of_run(tx, run.id):
        if order.kind == OrderKind.RUN and order.state in (OrderState.OPEN, OrderState.TAKEN):
            orders.set_state(tx, order, OrderState.WITHDRAWN)


def folded(tx: Tx, run: RunRow) -> RunFold:
    told = told_of_run(tx, run)
    fold = fold_run(told)
    if fold.outcome is not Outcome.PARKED:
        return fold
    return fold_run(told, len(parked_before(tx, run)))


def told_of_run(tx: Tx, run: RunRow) -> list[RawFact]:
    """In the order in which they were taken."""
    return [RawFact(*one) for one in facts.told_of_run(tx, run.id)]


def parked_before(tx: Tx, run: RunRow) -> list[RunRow]:
    """The runs in a row before this one that were parked, since a person's last retry; the newest first."""
    said = verbs.of_task(tx, run.task)
    floor = max((one.generation for one in said if one.verb == Verb.RETRY), default=0)
    found: list[RunRow] = []
    for other in reversed(runs.of_task(tx, run.task)):
        if floor < other.generation < run.generation:
            if other.outcome != Outcome.PARKED:
                break
            found.append(other)
    return found


def interrupted_before(tx: Tx, run: RunRow) -> list[RunRow]:
    """The runs in a row before this one that were parked, paused, or asked and were answered; the newest
    first."""
    said = verbs.of_task(tx, run.task)
    floor = max((one.generation for one in said if one.verb == Verb.RETRY), default=0)
    answered = {one.generation for one in said if one.verb in (Verb.ANSWER, Verb.PAUSE_NOW)}
    found: list[RunRow] = []
    for other in reversed(runs.of_task(tx, run.task)):
        if floor < other.generation < run.generation:
            if other.outcome != Outcome.PARKED and other.generation not in answered:
                break
            found.append(other)
    return found


def _remember_worktree(tx: Tx, run: RunRow, body: dict[str, Any]) -> None:
    task = tasks.get(tx, run.task)
    if task is not None and task.generation == run.generation:
        tasks.update(tx, task.id, **prepared_place(run, body, task.name))


def prepared_place(run: RunRow, body: Mapping[str, Any], name: str) -> dict[str, str]:
    """What is known of the task's place with that report; `name` is the one it had before.

    The first run of an attempt says what the base is, and a later one if the target was set back since."""
    known = {"name": body["name"], "worktree": body["worktree"], "branch": body["branch"]}
    if run.purpose in (Purpose.IMPLEMENT, Purpose.DECOMPOSE) or name:
        known["base_commit"] = body["base"]
    return known


def _shown(kind: str, body: dict[str, Any]) -> dict[str, Any]:
    """The few fields of a fact that an event carries; the fact itself is kept whole."""
    keys: tuple[str, ...]
    match kind:
        case "collected":
            keys = ("head", "commits", "new_commits", "changed_count")
        case "prepared":
            keys = ("name", "branch", "base", "problem")
        case "exited" if body.get("said"):
            return {**body, "said": {key: value for key, value in body["said"].items() if key != "words"}}
        case _:
            keys = tuple(body)
    return {key: body.get(key) for key in keys}
