"""Steering of a mission by a person: pause, resume, cancel, parallelism, budget."""

from __future__ import annotations

from collections.abc import Mapping

from toryo.domain import subjects
from toryo.domain.errors import Refused, UserError
from toryo.domain.words import MISSION_ENDED, MissionStatus, Speaker, TaskStatus, Verb
from toryo.engine.context import HeadContext
from toryo.engine.missions.budgets import refuse_wrong
from toryo.engine.missions.conversation import say
from toryo.engine.subjects.files import land_stuck_again, withdraw_files
from toryo.protocol.views import missions as views
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import VerbRow
from toryo.store.gather.mission_facts import stopped_why
from toryo.store.tables import missions, verbs
from toryo.usecases.finding import the_mission
from toryo.usecases.missions.replies import reply
from toryo.usecases.tasks.verbs import said

MOST_AT_ONCE = 64
_PAUSED = {
    Verb.PAUSE: "Paused; nothing new starts.",
    Verb.PAUSE_NOW: "Paused; its runs are stopped.",
}
OVER = (TaskStatus.DONE, TaskStatus.CANCELLED)


def pause_mission(context: HeadContext, text: str, *, now: bool = False) -> views.SaidToMission:
    """Nothing new starts; `now` also stops its runs, which go on later in the same worktree."""
    with context.store.change() as tx:
        row = _living(the_mission(tx, text), "pause")
        verb = Verb.PAUSE_NOW if now else Verb.PAUSE
        if row.status == MissionStatus.PAUSED and not now:
            return reply(tx, row, "pause", already=True, by="it is paused")
        _keep(tx, row, verb, _PAUSED[verb])
        return reply(tx, row, "pause")


def resume_mission(context: HeadContext, text: str) -> views.SaidToMission:
    with context.store.change() as tx:
        row = _living(the_mission(tx, text), "resume")
        if row.status != MissionStatus.PAUSED and land_stuck_again(tx, row.id):
            _keep(tx, row, Verb.RESUME, "Its files are landed once more.")
            return reply(tx, row, "resume")
        if row.status != MissionStatus.PAUSED:
            return reply(tx, row, "resume", already=True, by=f"it is {row.status}")
        _keep(tx, row, Verb.RESUME, "Resumed.")
        return reply(tx, row, "resume")


def pause(tx: Tx, id: str, verb: Verb) -> None:
    """Of a tree of units, by a word about its root."""
    row = missions.get(tx, id)
    if row is not None:
        _keep(tx, row, verb, _PAUSED[verb])


def resume(tx: Tx, id: str, unit: str) -> None:
    """The uppermost unit of a tree goes on, and so does whatever stopped it as a whole; of a tree below a
    plan's task not the mission, which a person paused for itself."""
    row = missions.get(tx, id)
    if row is None or row.status in MISSION_ENDED:
        return
    if row.root == unit or stopped_why(verbs.of_mission(tx, row.id)):
        _keep(tx, row, Verb.RESUME, "Resumed.")


def cancel_mission(context: HeadContext, text: str) -> views.SaidToMission:
    with context.store.change() as tx:
        row = the_mission(tx, text)
        if row.status == MissionStatus.CANCELLED:
            return reply(tx, row, "cancel", already=True, by="it is cancelled")
        _keep(tx, _living(row, "cancel"), Verb.CANCEL, "Cancelled; what has landed stays.")
        withdraw_files(tx, row.id)
        for task in missions.tasks_of(tx, row.id):
            if not task.landed_commit and task.status not in OVER:
                said(tx, task, Verb.CANCEL, f"its mission {row.id} was cancelled")
        return reply(tx, row, "cancel")


def set_mission(context: HeadContext, text: str, parallelism: int) -> views.SaidToMission:
    if not 1 <= parallelism <= MOST_AT_ONCE:
        raise UserError(f"--parallelism is a number from 1 to {MOST_AT_ONCE}.", hint="For example 2.")
    with context.store.change() as tx:
        row = _living(the_mission(tx, text), "change")
        missions.update(tx, row.id, parallelism=parallelism)
        _tell(tx, row, "mission_set", {"parallelism": parallelism})
        return reply(tx, row, "set")


def budget_mission(context: HeadContext, text: str, budget: Mapping[str, float]) -> views.SaidToMission:
    if not budget:
        raise UserError("Which limit?", hint="For example `toryo mission budget ID tokens=500000`.")
    refuse_wrong(budget)
    with context.store.change() as tx:
        row = _living(the_mission(tx, text), "change")
        missions.update(tx, row.id, budget={**row.budget, **budget})
        _tell(tx, row, "mission_budget", dict(budget))
        return reply(tx, row, "budget")


def _living(row: MissionRow, verb: str) -> MissionRow:
    if row.status in MISSION_ENDED:
        raise Refused(
            f"{row.id} is {row.status}: there is nothing to {verb}.",
            hint=f"`toryo do --follow {row.id} TEXT` goes on from it.",
        )
    return row


def _keep(tx: Tx, row: MissionRow, verb: Verb, words: str) -> None:
    verbs.add(tx, VerbRow(subject=subjects.mission(row.id), verb=verb, reason=row.reason, at=tx.now))
    say(tx, row.id, Speaker.SYSTEM, words)
    _tell(tx, row, f"mission_{verb}", {})
    for task in missions.tasks_of(tx, row.id):
        tx.mark(subjects.task(task.id))


def _tell(tx: Tx, row: MissionRow, kind: str, body: Mapping[str, object]) -> None:
    tx.emit(kind, {"mission": row.id, **body}, project=row.project, subject=subjects.mission(row.id))
    tx.mark(subjects.mission(row.id))
