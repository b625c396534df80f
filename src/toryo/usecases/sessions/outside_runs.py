"""Runs of an outside orchestrator: `session start` and `session end` (S4-07, S4-08).

What it reports of its worker's end is taken as the exit record; `merged` is a claim that Toryo verifies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from toryo.domain import subjects
from toryo.domain.errors import Refused, UserError
from toryo.domain.ids import RunId, TaskId
from toryo.domain.reasons import ABOUT_AGENTS, Reason
from toryo.domain.words import OVERTAKEN, TaskStatus, Verb
from toryo.engine.claim_view import ARTIFACTS, LONGEST, SESSION, artifacts_text
from toryo.engine.context import HeadContext
from toryo.engine.facts.runs import own_fact
from toryo.engine.ids import new_id
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ClaimRow, TaskRow, VerbRow
from toryo.store.tables import claims, projects, runs, tasks, verbs
from toryo.usecases.finding import the_agent, the_run, the_task
from toryo.usecases.runs.claim import begin_again, begin_run

DOD_RESULTS = ("pending", "merged", "timeout", "error")
STARTABLE = (TaskStatus.OPEN, TaskStatus.READY, TaskStatus.BLOCKED)
HARMLESS = (Reason.HELD, *ABOUT_AGENTS)
"""What keeps our own coordinators off a task, and not an orchestrator that brings its own worker."""


@dataclass(frozen=True)
class Ended:
    exit_code: int | None = None
    signal: str = ""
    dod_result: str = ""
    artifacts: Sequence[str] = ()
    error: str = ""


def start_session(context: HeadContext, text: str, agent_name: str) -> str:
    """Begin the run; its worktree is prepared by a coordinator as for any other."""
    with context.store.change() as tx:
        task = the_task(tx, text)
        agent = the_agent(tx, agent_name, task.project)
        project = projects.get(tx, task.project)
        if project is None or any(run.live for run in runs.of_task(tx, task.id)):
            raise Refused(f"A run of {task.id} has not ended.", hint=f"See `toryo task show {task.id}`.")
        _startable(task)
        if agent.slots and len(runs.live_of_pair(tx, agent.id, project.id)) >= agent.slots:
            raise Refused(f"{agent.id} is busy in this project.", hint="Wait, or give it more slots.")
        if task.held:
            released = VerbRow(
                subject=subjects.task(task.id), verb=Verb.RELEASE, generation=task.generation, at=tx.now
            )
            verbs.add(tx, released)
        projects.assign(tx, project.id, agent.id)
        tasks.mark_of_agent(tx, project.id, agent.id)
        target = projects.target(tx, project.id, task.target)
        run, _ = begin_run(tx, project, agent, task, target, coordinator="", request=new_id("q"))
    return run.id


def _startable(task: TaskRow) -> None:
    status = TaskStatus(task.status)
    if status not in STARTABLE or (status is TaskStatus.BLOCKED and task.reason not in HARMLESS):
        why = f" ({task.reason})" if task.reason else ""
        raise Refused(
            f"{task.id} is {status}{why}: it cannot be started.",
            hint=f"See `toryo task show {task.id}`; `toryo task retry` opens a failed one again.",
        )


def session_when_prepared(context: HeadContext, run_id: str) -> tuple[bool, dict[str, Any]]:
    with context.store.read() as tx:
        run = the_run(tx, run_id)
        task = the_task(tx, run.task)
    if run.outcome_reason == OVERTAKEN:
        with context.store.change() as tx:
            again = begin_again(tx, run, at_once=True)
        if again and again.id != run.id:
            return session_when_prepared(context, again.id)
    elif not run.live:
        raise Refused(
            f"The worktree could not be made: {run.outcome_reason}", hint=f"toryo run show {run.id}"
        )
    body = {
        "success": True,
        "session": run.id,
        "task": task.id,
        "worktree": run.worktree or None,
        "branch": task.branch or None,
    }
    return bool(run.worktree), body


def end_session(context: HeadContext, text: str, ended: Ended) -> dict[str, Any]:
    if ended.dod_result and ended.dod_result not in DOD_RESULTS:
        raise UserError(f"{ended.dod_result!r} is no result.", hint=f"One of: {', '.join(DOD_RESULTS)}.")
    if ended.exit_code is None and not ended.signal:
        raise UserError("How did it end?", hint="Give --exit-code or --signal.")
    with context.store.change() as tx:
        run = the_run(tx, text)
        if run.coordinator:
            raise Refused(
                f"{run.id} is a run of our own: its end is seen, not told.",
                hint=f"`toryo run stop {run.id}` ends it.",
            )
        late = not run.live
        _claim(tx, run.id, run.task, ended, late)
        if not late:
            timed_out = ended.exit_code == 124 or ended.dod_result == "timeout"
            own_fact(
                tx,
                run,
                "exited",
                {
                    "exit_code": ended.exit_code,
                    "signal": ended.signal,
                    "timed_out": timed_out,
                    "told_by": "operator",
                },
            )
    return {"success": True, "session": run.id, "task": run.task, "late": late}


def _claim(tx: Tx, run: str, task: str, ended: Ended, late: bool) -> None:
    said = ClaimRow(
        run=RunId(run),
        task=TaskId(task),
        kind=SESSION,
        result=ended.dod_result or "pending",
        summary=ended.error[:LONGEST],
        late=late,
        at=tx.now,
    )
    claims.insert(tx, said)
    if ended.artifacts:
        named = artifacts_text(ended.artifacts)
        claims.insert(tx, replace(said, kind=ARTIFACTS, result="", summary=named))
