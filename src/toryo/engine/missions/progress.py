"""Progress lines of a mission: each change of a task at once, and all that runs every two minutes.

No model is asked for them."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.reasons import meaning
from toryo.domain.words import MissionStatus, Speaker
from toryo.engine.missions.conversation import say
from toryo.reconciler.missions.facts import MissionDecision
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import TaskRow
from toryo.store.tables import missions, runs

EVERY_S = 120


def tell_task(tx: Tx, task: TaskRow, status: str, reason: str, detail: str) -> None:
    """A task's status changed."""
    why = f" ({reason})" if reason else ""
    more = f": {detail[:200]}" if detail else ""
    say(tx, task.mission, Speaker.PROGRESS, f"{task.planned} {task.title}: {status}{why}{more}")


def tell_status(tx: Tx, row: MissionRow, decision: MissionDecision) -> None:
    """The mission's own status changed."""
    sentence = meaning(decision.reason).sentence if decision.reason else ""
    say(tx, row.id, Speaker.SYSTEM, f"{decision.status}" + (f": {sentence}" if sentence else ""))


def report(tx: Tx, row: MissionRow) -> None:
    """Every two minutes while agents run: state and run time of each, and the last line it printed."""
    if row.status != MissionStatus.ACTIVE:
        return
    lines = []
    for task in missions.tasks_of(tx, row.id):
        past = runs.of_task(tx, task.id) if task.status == "running" else []
        if past and past[-1].live and past[-1].started_at:
            ran = int((tx.now - past[-1].started_at) // 60)
            printed = str((past[-1].signs or {}).get("line") or "")
            lines.append(
                f"{task.planned} {task.title}: {task.reason}, {ran} min"
                + (f", “{printed}”" if printed else "")
            )
    if not lines:
        return
    last = [one for one in missions.messages_of(tx, row.id) if one.who in (Speaker.PROGRESS, Speaker.SYSTEM)]
    since = last[-1].at if last else row.created_at
    if tx.now - since >= EVERY_S:
        say(tx, row.id, Speaker.PROGRESS, "\n".join(lines))
        since = tx.now
    tx.mark(subjects.mission(row.id), since + EVERY_S)
