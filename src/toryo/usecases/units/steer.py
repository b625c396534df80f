"""Steering of units by a person: stop, pause, resume, retry; of the root it is the whole tree."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.errors import Refused
from toryo.domain.words import TaskStatus, Verb
from toryo.engine.context import HeadContext
from toryo.engine.units.subtrees import ENDED, cancel
from toryo.protocol.views import units as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow, VerbRow
from toryo.store.gather.unit_facts import WHOLE
from toryo.store.tables import landings, tasks, verbs
from toryo.store.tables import missions as all_missions
from toryo.usecases.finding import the_task
from toryo.usecases.missions import steer as missions
from toryo.usecases.tasks.verbs import said


def stop_unit(context: HeadContext, text: str, path: str) -> views.SteeredUnit:
    """It and all below it; what has landed stays where it landed."""
    with context.store.change() as tx:
        row = _unit(tx, text, path)
        if row.status in ENDED:
            raise Refused(f"{row.unit} is {row.status}: there is nothing to stop.", hint="toryo unit tree")
        for one in subtree(tx, row):
            if one.status not in ENDED:
                cancel(tx, one, f"a person stopped {row.unit}")
        return _answer(tx, row, "stop")


def pause_unit(context: HeadContext, text: str, path: str, *, now: bool = False) -> views.SteeredUnit:
    """Nothing of the subtree starts; `now` stops its runs, too, which go on later."""
    return _say(context, text, path, Verb.PAUSE_NOW if now else Verb.PAUSE)


def resume_unit(context: HeadContext, text: str, path: str) -> views.SteeredUnit:
    return _say(context, text, path, Verb.RESUME)


def retry_unit(context: HeadContext, text: str, path: str) -> views.SteeredUnit:
    """Anew from its parent's branch, without the children it had."""
    with context.store.change() as tx:
        row = _unit(tx, text, path)
        said(tx, row, Verb.RETRY)
        tx.mark(subjects.mission(row.mission))
        return _answer(tx, row, "retry")


def subtree(tx: Tx, unit: TaskRow) -> list[TaskRow]:
    """The unit first, then all below it."""
    found = [unit]
    for one in found:
        found += [child for child in tasks.children_of(tx, one.id) if child.unit]
    return found


def _say(context: HeadContext, text: str, path: str, verb: Verb) -> views.SteeredUnit:
    with context.store.change() as tx:
        row = _unit(tx, text, path)
        if row.status in (TaskStatus.DONE, TaskStatus.CANCELLED):
            raise Refused(f"{row.unit} is {row.status}.", hint="toryo unit tree")
        if verb is Verb.RESUME:
            for one in subtree(tx, row):
                _note(tx, one, verb)
            if not row.parent:
                missions.resume(tx, row.mission, row.id)
        elif not _leads_its_mission(tx, row):
            _note(tx, row, verb)
        else:  # the whole tree: said of its mission, so that either word resumes it
            if row.status == TaskStatus.FAILED:
                raise Refused(f"{row.unit} is {row.status}.", hint="toryo unit tree")
            missions.pause(tx, row.mission, verb)
        for one in subtree(tx, row):
            tx.mark(subjects.task(one.id))
        return _answer(tx, row, str(verb))


def _leads_its_mission(tx: Tx, row: TaskRow) -> bool:
    """The root of a spawned tree; a plan's unit has the other tasks of its mission beside it."""
    mission = all_missions.get(tx, row.mission)
    return mission is not None and mission.root == row.id


def _note(tx: Tx, row: TaskRow, verb: Verb) -> None:
    fact = VerbRow(
        subject=subjects.task(row.id),
        verb=verb,
        generation=row.generation,
        landing_seq=landings.newest_seq_of_task(tx, row.id),
        reason=row.reason,
        note=WHOLE,
        at=tx.now,
    )
    verbs.add(tx, fact)
    tx.emit(f"unit_{verb}", {"unit": row.unit}, project=row.project, task=row.id)


def _unit(tx: Tx, text: str, path: str) -> TaskRow:
    row = the_task(tx, text, path)
    if not row.unit:
        raise Refused(f"{row.id} is no unit.", hint="`toryo task --help` has the verbs of tasks.")
    return row


def _answer(tx: Tx, row: TaskRow, said: str) -> views.SteeredUnit:
    now = tasks.get(tx, row.id) or row
    return {
        "success": True,
        "unit": row.unit,
        "task": row.id,
        "said": said,
        "status": now.status,
        "reason": now.reason,
    }
