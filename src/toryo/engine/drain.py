"""The drain: read marked subjects, decide, write status and orders, unmark. At most 100 per transaction."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

from toryo.domain import subjects
from toryo.domain.errors import DiskFull
from toryo.domain.ids import CoordinatorId, MissionId, ProjectId
from toryo.domain.subjects import Subject, SubjectKind
from toryo.domain.words import PlaceKind
from toryo.engine.context import HeadContext
from toryo.engine.home_settings import in_force
from toryo.engine.notices.notify import follow
from toryo.engine.parking import look_at_parked, move_waiting
from toryo.engine.subjects.mission import look_at_mission
from toryo.engine.subjects.queue import look_at_gate, look_at_queue
from toryo.engine.subjects.sessions import expire_sessions
from toryo.engine.subjects.task import look_at_task
from toryo.reconciler.decide import decide_coordinator
from toryo.reconciler.subjects import Policy
from toryo.steps import step
from toryo.store.database import deadlines
from toryo.store.database.engine import Tx
from toryo.store.gather import subject_facts
from toryo.store.tables import coordinators, marks, missions, runs

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


def _look_at_all(context: HeadContext, subjects: Sequence[Subject]) -> bool:
    """Also at what these looks mark: a landing goes from its task to its queue and back in one commit.

    Whether there was more than one transaction is for."""
    with context.store.change() as tx:
        left = BATCH
        while subjects:
            _look_at_these(context, tx, subjects)
            left -= len(subjects)
            subjects = marks.due(tx, tx.now, limit=left) if left > 0 else ()
        step("drain.decided")
    return left <= 0


def _look_at_these(context: HeadContext, tx: Tx, subjects: Sequence[Subject]) -> None:
    marks.clear(tx, subjects)  # first: a decision may mark the same subject anew
    for subject in sorted(subjects, key=_reads_statuses):
        look_at(context, tx, subject)


def _reads_statuses(subject: Subject) -> bool:
    """Missions come last: they decide by the statuses of their tasks, which are then as the facts say."""
    return subjects.parse(subject)[0] is SubjectKind.MISSION


def _look_at_one(context: HeadContext, subject: Subject) -> None:
    try:
        with context.store.change() as tx:
            _look_at_these(context, tx, (subject,))
    except DiskFull:
        raise
    except Exception as bug:  # noqa: BLE001 — the same edge, for the one subject that fails: set it aside
        told = "".join(traceback.format_exception(bug))[-3000:]
        with context.store.change() as tx:
            marks.clear(tx, (subject,))
            tx.mark(subject, tx.now + SET_ASIDE_S)
            tx.emit("look_failed", {"subject": subject, "bug": told}, subject=subject)


def look_at(context: HeadContext, tx: Tx, subject: Subject) -> None:
    kind, name = subjects.parse(subject)
    policy = Policy()
    match kind:
        case SubjectKind.TASK:
            look_at_task(tx, name, policy)
        case SubjectKind.QUEUE:
            project, _, target = name.partition("/")
            look_at_queue(tx, ProjectId(project), target, policy)
        case SubjectKind.GATE:
            look_at_gate(tx, name)
        case SubjectKind.MISSION:
            look_at_mission(context, tx, MissionId(name))
        case SubjectKind.SESSIONS:
            expire_sessions(tx, in_force(context).session)
        case SubjectKind.PARKED:
            look_at_parked(tx, name)
        case SubjectKind.COORDINATOR:
            _look_at_coordinator(tx, name, policy)
        case SubjectKind.NOTICES:
            pass  # `follow` comes after every drain; the mark only brings one about
        case _:
            raise ValueError(f"nothing looks at {subject}")


def _look_at_coordinator(tx: Tx, name: str, policy: Policy) -> None:
    facts = subject_facts.coordinator(tx, name)
    if facts is None:
        return
    decision = decide_coordinator(facts, policy, tx.now)
    if decision.unseen != facts.unseen:
        coordinators.update(tx, name, unseen=decision.unseen)
        kind = coordinators.kind_of(tx, name)
        event = f"{kind}_unseen" if decision.unseen else f"{kind}_seen"
        tx.emit(event, {kind: name}, subject=subjects.coordinator(CoordinatorId(name)))
        for run in runs.live_of_coordinator(tx, name):
            tx.mark(subjects.task(run.task))
        for mission in missions.live(tx) if kind == PlaceKind.PLANNER else ():
            tx.mark(subjects.mission(mission.id))  # whether a model can be asked
    if decision.look_at is not None:
        tx.mark(subjects.coordinator(CoordinatorId(name)), decision.look_at)


def extend_deadlines(context: HeadContext, gap: float) -> None:
    """The machine slept, or its clock was set: nobody had that time, so every deadline moves by it."""
    with context.store.change() as tx:
        deadlines.extend(tx, gap)
        if gap < 0:
            move_waiting(tx, gap)
        tx.emit("deadlines_extended", {"gap_s": round(gap, 3)})
