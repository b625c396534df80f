"""The drain: read marked subjects, decide, write status and orders, unmark. At most 100 per transaction."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

from toryo.domain.errors import DiskFull
from toryo.reconciler.decide import decide_coordinator
from toryo.reconciler.subjects import Policy
from toryo.steps import step
from toryo.store import coordinators, deadlines, gather, marks, runs
from toryo.store.engine import Tx
from toryo.usecases.context import HeadContext
from toryo.usecases.drain_queue import look_at_gate, look_at_queue
from toryo.usecases.drain_task import look_at_task
from toryo.usecases.notifying import follow
from toryo.usecases.parking import look_at_parked, move_waiting
from toryo.usecases.session_ends import expire_sessions

BATCH = 100
SET_ASIDE_S = 60
"""When a subject whose look failed by a bug is tried again."""


def drain(context: HeadContext) -> bool:
    """Look at what is due, then at what a person is to be told of it; whether something due may be left."""
    more = _drain_marked(context)
    follow(context)
    return more


def _drain_marked(context: HeadContext) -> bool:
    """One transaction."""
    with context.store.read() as tx:
        due = marks.due(tx, tx.now, limit=BATCH)
    if not due:
        return False
    try:
        return _look_at_all(context, due)
    except DiskFull:
        raise  # no subject is to blame
    except Exception:  # noqa: BLE001 — the loop's outermost edge: one subject must not hold up all others
        for subject in due:
            _look_at_one(context, subject)
    return True


def _look_at_all(context: HeadContext, subjects: Sequence[str]) -> bool:
    """Also at what these looks mark: a landing goes from its task to its queue and back in one commit.

    Whether there was more than one transaction is for."""
    with context.store.change() as tx:
        left = BATCH
        while subjects:
            _look_at_these(tx, subjects)
            left -= len(subjects)
            subjects = marks.due(tx, tx.now, limit=left) if left > 0 else ()
        step("drain.decided")
    return left <= 0


def _look_at_these(tx: Tx, subjects: Sequence[str]) -> None:
    marks.clear(tx, subjects)  # first: a decision may mark the same subject anew
    for subject in subjects:
        look_at(tx, subject)


def _look_at_one(context: HeadContext, subject: str) -> None:
    try:
        with context.store.change() as tx:
            _look_at_these(tx, (subject,))
    except DiskFull:
        raise
    except Exception as bug:  # noqa: BLE001 — the same edge, for the one subject that fails: set it aside
        told = "".join(traceback.format_exception(bug))[-3000:]
        with context.store.change() as tx:
            marks.clear(tx, (subject,))
            tx.mark(subject, tx.now + SET_ASIDE_S)
            tx.emit("look_failed", {"subject": subject, "bug": told})


def look_at(tx: Tx, subject: str) -> None:
    kind, _, name = subject.partition(":")
    policy = Policy()
    match kind:
        case "task":
            look_at_task(tx, name, policy)
        case "queue":
            project, _, target = name.partition("/")
            look_at_queue(tx, project, target, policy)
        case "gate":
            look_at_gate(tx, name)
        case "sessions":
            expire_sessions(tx)
        case "parked":
            look_at_parked(tx, name)
        case "coordinator":
            _look_at_coordinator(tx, name, policy)


def _look_at_coordinator(tx: Tx, name: str, policy: Policy) -> None:
    facts = gather.coordinator(tx, name)
    if facts is None:
        return
    decision = decide_coordinator(facts, policy, tx.now)
    if decision.unseen != facts.unseen:
        coordinators.update(tx, name, unseen=decision.unseen)
        tx.emit("coordinator_unseen" if decision.unseen else "coordinator_seen", {"coordinator": name})
        for run in runs.live_of_coordinator(tx, name):
            tx.mark(f"task:{run.task}")
    if decision.look_at is not None:
        tx.mark(f"coordinator:{name}", decision.look_at)


def extend_deadlines(context: HeadContext, gap: float) -> None:
    """The machine slept, or its clock was set: nobody had that time, so every deadline moves by it."""
    with context.store.change() as tx:
        deadlines.extend(tx, gap)
        if gap < 0:
            move_waiting(tx, gap)
        tx.emit("deadlines_extended", {"gap_s": round(gap, 3)})
