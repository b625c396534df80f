"""`task update`: fields, and statuses as wishes. `done` is never set, only evaluated (S4-04, S4-31)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toryo.domain import subjects
from toryo.domain.errors import Refused, UserError
from toryo.domain.words import ENDED_BADLY, PRIORITY_RANK, Priority, TaskStatus, Verb
from toryo.engine.context import HeadContext
from toryo.protocol.views import tasks as views
from toryo.reconciler.attempts import current_attempt
from toryo.reconciler.decide import decide_task
from toryo.reconciler.subjects import Policy
from toryo.store.database.engine import Tx
from toryo.store.database.rows import TaskRow
from toryo.store.gather import subject_facts
from toryo.store.tables import landings, projects, runs, tasks, texts
from toryo.usecases.finding import the_agent, the_task
from toryo.usecases.tasks import cautions
from toryo.usecases.tasks.add import assigned_agent, look_over
from toryo.usecases.tasks.verbs import said

WAITING = (TaskStatus.OPEN, TaskStatus.BLOCKED, TaskStatus.READY)
"""Of a task that nobody works on, and that may come to be worked on by itself or by a person's yes."""


@dataclass(frozen=True)
class Update:
    task: str
    status: str = ""
    title: str = ""
    description: str | None = None
    type: str = ""
    priority: Priority | None = None
    agent: str = ""
    after: tuple[str, ...] | None = None
    """All that it waits for from now on; None: what it waited for before."""
    write: tuple[str, ...] | None = None
    """All that it may change; empty: what its agent and project allow; None: as before."""
    checks: tuple[str, ...] | None = None
    timeout_s: float | None = None


def update_task(context: HeadContext, wish: Update) -> str:
    """Carry out all that was wished, or nothing; the task's id. What came of it is asked after the drain."""
    look_over(wish.write, wish.checks)
    with context.store.change() as tx:
        row = the_task(tx, wish.task)
        changed = _fields(tx, row, wish)
        tasks.update(tx, row.id, **changed)
        if wish.status:
            _status(tx, the_task(tx, row.id), wish.status)
        names = [*changed, *_after(tx, row, wish.after)]
        if names:
            tx.emit("task_changed", {"fields": sorted(names)}, project=row.project, task=row.id)
        tx.mark(subjects.task(row.id))
    return row.id


def _fields(tx: Tx, row: TaskRow, wish: Update) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    if wish.title:
        if not wish.title.strip():
            raise UserError(
                "A task needs a title.", hint=f'Type: toryo task update {row.id} --title "what is wanted"'
            )
        changed["title"] = " ".join(wish.title.split())
        texts.put(tx, changed["title"])
    if wish.description is not None:
        changed["description"] = wish.description
    if wish.type:
        changed["type"] = wish.type
    if wish.priority:
        changed["priority"] = PRIORITY_RANK[wish.priority]
    if wish.write is not None:
        changed["write"] = list(wish.write) or None
    if wish.checks is not None:
        changed["checks"] = list(wish.checks)
    if wish.timeout_s is not None:
        changed["timeout_s"] = wish.timeout_s
    if wish.agent:
        project = projects.get(tx, row.project)
        changed["agent"] = (
            assigned_agent(tx, project, wish.agent) if project else the_agent(tx, wish.agent, row.project).id
        )
    if changed and (row.status == TaskStatus.DONE or any(run.live for run in runs.of_task(tx, row.id))):
        raise Refused(
            f"{row.id} is {row.status}: it cannot be changed now.", hint=f"toryo task show {row.id}"
        )
    return changed


def _after(tx: Tx, row: TaskRow, wanted: Sequence[str] | None) -> list[str]:
    """Set what it waits for, unless that is what it is; the field's name if it was changed."""
    if wanted is None:
        return []
    needs = [the_task(tx, one).id for one in wanted]
    _not_begun(tx, row, needs)
    if set(needs) == set(tasks.needs_of(tx, row.id)):
        return []
    tasks.set_needs(tx, row.id, needs)
    return ["after"]


def _not_begun(tx: Tx, row: TaskRow, needs: Sequence[str]) -> None:
    """By its facts: the status may be behind them. After the first run nobody asks what a task waits for."""
    facts = subject_facts.task(tx, row.id)
    status = decide_task(facts, Policy()).status if facts else TaskStatus(row.status)
    begun = facts is not None and current_attempt(facts).last_run is not None
    if status in WAITING and not begun:
        return
    state = "has begun" if status in WAITING else f"is {status}"
    hint = f"toryo task show {row.id}"
    if status in (TaskStatus.FAILED, TaskStatus.CANCELLED, TaskStatus.NEEDS_REVIEW):
        listed = " ".join(f"--after {one}" for one in needs) or "--no-after"
        hint = f"toryo task update {row.id} --status open {listed}"
    raise Refused(f"{row.id} {state}: what it waits for cannot be changed now.", hint=hint)


def _status(tx: Tx, row: TaskRow, status: str) -> None:
    match status:
        case "done":
            return
        case "cancelled":
            said(tx, row, Verb.CANCEL)
        case "open" if row.status == TaskStatus.OPEN:
            said(tx, row, Verb.APPROVE)
        case "open":
            said(tx, row, Verb.RETRY)
        case "in_progress":
            raise UserError(
                "A task is in progress when a run of it is.",
                hint=f"toryo session start {row.id} --agent NAME; or let a coordinator start it.",
            )
        case _:
            raise UserError(
                f"{status!r} cannot be set.", hint="One of: open, cancelled; `done` is only evaluated."
            )


def evaluated(context: HeadContext, task_id: str, wish: Update | None = None) -> views.UpdatedTask:
    with context.store.read() as tx:
        row = the_task(tx, task_id)
        notes = _notes(tx, row, wish) if wish else []
        missing = [] if row.status == TaskStatus.DONE else missing_facts(tx, row)
    return {
        "success": True,
        "id": row.id,
        "status": row.status,
        "reason": row.reason,
        "detail": row.detail,
        "missing": missing,
        "notes": notes,
    }


def _notes(tx: Tx, row: TaskRow, wish: Update) -> list[str]:
    project = projects.get(tx, row.project)
    if project is None:
        return []
    of_agent = cautions.of_agent(tx, project, row.agent) if wish.agent else []
    return [*of_agent, *(cautions.of_type(project, wish.type) if wish.type else [])]


def missing_facts(tx: Tx, row: TaskRow) -> list[str]:
    """What stands between a task and done, the first thing first."""
    mine = runs.of_task(tx, row.id)
    landed = [one for one in landings.of_task(tx, row.id) if one.accepted_at is not None]
    if landed:
        return [f"its work on your branch {row.target}: it is {row.reason or row.status}"]
    if not mine:
        return [f"no run has worked on it: it is {row.status}" + (f" ({row.reason})" if row.reason else "")]
    last = mine[-1]
    if last.live:
        return [f"the run {last.id} has not ended"]
    if last.exit_code != 0:
        how = f"exited {last.exit_code}" if last.exit_code is not None else last.outcome
        return [f"a run with exit code 0: {last.id} {last.signal or how}"]
    if not (last.collected or {}).get("commits"):
        return ["a commit beyond the base"]
    newest = [one for one in landings.of_task(tx, row.id) if one.run == last.id]
    if not newest or not newest[-1].verdict:
        return ["the checks on the merged tree"]
    if newest[-1].ended in ENDED_BADLY:
        return [f"a merge that passes: the last one ended {newest[-1].ended}"]
    return [f"{row.status}: {row.reason}" if row.reason else str(row.status)]
