"""Progress lines of a mission: each change of a task at once, and every two minutes how far all are.

No model is asked for them."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.reasons import meaning
from toryo.domain.words import MISSION_ENDED, Speaker, TaskStatus
from toryo.engine.missions.conversation import say
from toryo.reconciler.missions.facts import MissionDecision
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import TaskRow
from toryo.store.tables import missions, runs

EVERY_S = 120
TABLE = "at work:"
"""First line of what is told every two minutes; the next is counted from it, not from other lines."""
MOST_OTHERS = 20
OVER = (TaskStatus.DONE, TaskStatus.CANCELLED)


def tell_task(tx: Tx, task: TaskRow, status: str, reason: str, detail: str) -> None:
    """A task's status changed."""
    why = f" ({reason})" if reason else ""
    more = f": {detail[:200]}" if detail else ""
    say(tx, task.mission, Speaker.PROGRESS, f"{_name(task)} {task.title}: {status}{why}{more}")


def tell_status(tx: Tx, row: MissionRow, decision: MissionDecision) -> None:
    """The mission's own status changed."""
    sentence = meaning(decision.reason).sentence if decision.reason else ""
    say(tx, row.id, Speaker.SYSTEM, f"{decision.status}" + (f": {sentence}" if sentence else ""))


def report(tx: Tx, row: MissionRow) -> None:
    """Every two minutes while agents run, also of a paused mission: how far each unfinished task is."""
    if row.status in MISSION_ENDED:
        return
    unfinished = [one for one in missions.tasks_of(tx, row.id) if one.status not in OVER]
    working = {task.id: run for task in unfinished if (run := _at_work(tx, task))}
    if not working:
        return
    since = max(_last_table(tx, row), min(started for started, _ in working.values()))
    if tx.now - since >= EVERY_S:
        lines = [_line(tx.now, task, *working[task.id]) for task in unfinished if task.id in working]
        rest = [task for task in unfinished if task.id not in working]
        say(tx, row.id, Speaker.PROGRESS, "\n".join((TABLE, *lines, *_others(rest))))
        since = tx.now
    tx.mark(subjects.mission(row.id), since + EVERY_S)


def _at_work(tx: Tx, task: TaskRow) -> tuple[float, str] | None:
    """When its run started, and what that printed last."""
    past = runs.of_task(tx, task.id) if task.status == TaskStatus.RUNNING else []
    if not past or not past[-1].live or not past[-1].started_at:
        return None
    return past[-1].started_at, str((past[-1].signs or {}).get("line") or "")


def _last_table(tx: Tx, row: MissionRow) -> float:
    told = [one.at for one in missions.messages_of(tx, row.id) if one.text.startswith(TABLE)]
    return told[-1] if told else 0.0


def _line(now: float, task: TaskRow, started: float, printed: str) -> str:
    ran = f"{_name(task)} {task.title}: {task.reason}, {int((now - started) // 60)} min"
    return f"{ran}, “{printed}”" if printed else ran


def _others(rest: list[TaskRow]) -> tuple[str, ...]:
    """In one line: what each waits for stands in `mission show`."""
    short = [f"{_name(one)} {_state(one)}" for one in rest[:MOST_OTHERS]]
    more = f" and {len(rest) - MOST_OTHERS} more" if len(rest) > MOST_OTHERS else ""
    return (f"not at work: {', '.join(short)}{more}",) if rest else ()


def _name(task: TaskRow) -> str:
    """As the plan has it; below a unit, as its tree has it."""
    return task.unit if task.parent else task.planned


def _state(task: TaskRow) -> str:
    code = task.reason.partition(":")[0]
    return f"{task.status} ({code})" if code else task.status
