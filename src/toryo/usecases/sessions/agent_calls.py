"""Calls of agents: authenticate, get_my_task, report_completed, report_progress (S1-17…S1-30).

A session token says who may speak for a run; whether the run may still write is occupancy, not decided here.
How a session ends without a report is in `ends` and in engine/subjects/sessions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toryo.domain import subjects
from toryo.domain.errors import Refused, UserError
from toryo.domain.ids import RunId
from toryo.domain.units import ROOT
from toryo.domain.words import OVERTAKEN, ClaimResult
from toryo.engine.context import HeadContext
from toryo.engine.facts.runs import own_fact
from toryo.engine.home_settings import in_force
from toryo.engine.next_task import pick
from toryo.engine.subjects.sessions import EXPIRY, look_again
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, ClaimRow, ProjectRow, RunRow, TaskRow, TokenRow
from toryo.store.tables import agents, claims, projects, runs, tasks, tokens
from toryo.usecases.credentials import hash_token, new_session_token, run_of_token
from toryo.usecases.runs.claim import begin_again, begin_run
from toryo.yaml.home_settings import SessionLimits

LONGEST_CLAIM = 20_000
NEXT = {
    "report": "End here: you have reported, and Toryo verifies the work.",
    "operator": "End here: a person ended your session.",
    "exit": "End here: your run is over.",
}
"""What is left to do, by how the session ended; only one that expired is opened again."""
IMPLEMENT = "Work in working_directory and commit there. Call report_completed when you are done."
DIVIDE = (
    "You are the root: you implement nothing. Divide what requirements.yml in working_directory asks for by "
    "spawn_children and end; once your children are at rest, put their work together and commit there. Call "
    "report_completed before you end."
)
DIVIDE_OR_IMPLEMENT = (
    "Your part is in scoped-requirements.yml in working_directory. Divide it by spawn_children and end, or "
    "implement it and commit there. Call report_completed before you end."
)


class InvalidCredentials(UserError):
    """Invalid agent_id or passkey"""


class ProjectNotFound(UserError):
    """Project not found"""


class AlreadyRunning(Refused):
    """Agent instance already running for this project"""

    way_out = "Wait until it has ended, or ask the person to end it."


class SessionInvalid(UserError):
    """The session token is not valid, or its session has ended"""


@dataclass(frozen=True)
class Asked:
    """What authenticate was called with, after the passkey was compared outside the writer."""

    agent: str
    project: str
    run: str = ""
    """The run whose token came with the call."""
    passkey_fits: bool = False


def passkey_hash(context: HeadContext, agent: str, project: str) -> str:
    with context.store.read() as tx:
        row = agents.get(tx, agent, project)
    return row.passkey_hash if row and row.status == "active" else ""


def run_named_by(context: HeadContext, passkey: str) -> str:
    """A connected run may give its one-time run token where others give a passkey."""
    return run_of_token(context.secret, passkey) or ""


def authenticate(context: HeadContext, asked: Asked) -> dict[str, Any]:
    with context.store.change() as tx:
        agent, project = agents.get(tx, asked.agent, asked.project), projects.get(tx, asked.project)
        run = runs.get(tx, asked.run) if asked.run else None
        if agent is None or not (run or asked.passkey_fits) or (run and run.agent != agent.id):
            raise InvalidCredentials(
                hint="End here; `toryo agent list` shows the ids; a passkey is shown once, at `agent add`."
            )
        if project is None or project.status != "active":
            raise ProjectNotFound(hint="End here; `toryo status` shows a person the projects.")
        if agent.id not in {one.id for one in projects.agents_of(tx, project.id)}:
            raise ProjectNotFound(hint=f"End here: the agent {agent.id} is not assigned to this project.")
        _one_at_a_time(tx, agent, project, run)
        token = new_session_token()
        limits = in_force(context).session
        lasts = min(limits.default_timeout, limits.max_timeout)
        expires = tx.now + lasts
        row = TokenRow(
            hash=hash_token(token),
            agent=agent.id,
            project=project.id,
            run=RunId(run.id if run else ""),
            expires_at=expires,
            limit_at=tx.now + limits.max_timeout,
        )
        tokens.insert(tx, row)
        look_again(tx, expires, limits)
        tx.emit("agent_authenticated", {"agent": agent.id}, project=project.id, run=row.run)
    return {
        "success": True,
        "session_token": token,
        "expires_in": int(lasts),
        "agent_name": agent.name,
        "project_name": project.name,
        "system_prompt": agent.system_prompt,
        "instruction": "Call get_my_task with this session_token to get your task.",
    }


def _one_at_a_time(tx: Tx, agent: AgentRow, project: ProjectRow, run: RunRow | None) -> None:
    if run:
        if run.project != project.id:
            raise ProjectNotFound(hint="End here: this run belongs to another project.")
        if not run.live:
            raise AlreadyRunning(hint=NEXT["exit"])
        opened = [token for token in tokens.of_run(tx, run.id) if not _expired(tx, token)]
        if opened:
            mine = "Use the session_token you have: a run's token opens one session."
            raise AlreadyRunning(hint=NEXT.get(opened[-1].ended_by, mine))
        return
    active = tokens.active_of_pair(tx, agent.id, project.id, tx.now)
    occupied = {one.id for one in runs.live_of_pair(tx, agent.id, project.id)}
    loose = [token for token in active if token.run not in occupied]
    if len(occupied) + len(loose) >= (agent.slots or 1):
        raise AlreadyRunning(hint="End here: another instance does the work, until it reports or expires.")


def _expired(tx: Tx, row: TokenRow) -> bool:
    """Ended by time, not by a word: its run may open another session."""
    return row.ended_by == EXPIRY or (row.ended_at is None and row.expires_at <= tx.now)


def session(tx: Tx, token: str, run: str = "") -> TokenRow:
    """The living session of a token; `run` is the caller's own run, which must be the same."""
    row = tokens.get(tx, hash_token(token))
    if row is None or (run and row.run != run):
        raise SessionInvalid(hint="Call authenticate first and use the session_token it returns.")
    if row.ended_at is not None or row.expires_at <= tx.now:
        hint = NEXT.get(row.ended_by or EXPIRY, "Call authenticate again.")
        raise SessionInvalid("This session has ended or expired", hint=hint)
    return row


def touch(tx: Tx, row: TokenRow, limits: SessionLimits) -> None:
    """Any call renews the session, up to its longest life."""
    expires = min(tx.now + limits.default_timeout, row.limit_at)
    tokens.put_expiry(tx, row.hash, expires)
    look_again(tx, expires, limits)


def get_my_task(context: HeadContext, token: str, caller_run: str) -> tuple[str, dict[str, Any] | None]:
    """The session's run (begun now for an outside agent), and the answer once its worktree is there."""
    with context.store.change() as tx:
        row = session(tx, token, caller_run)
        touch(tx, row, in_force(context).session)
        run = runs.get(tx, row.run) if row.run else _begin_outside(tx, row)
        if run is None:
            return "", {
                "success": True,
                "has_task": False,
                "instruction": "No task is assigned to you now. End here; you will be started again.",
            }
        run = _in_its_place(tx, run)
        answer = _task_answer(tx, run)
        if answer:
            _record_start(tx, run)
        return run.id, answer


def _record_start(tx: Tx, run: RunRow) -> None:
    """An outside agent has no process that we could see starting: getting its task is the start (S1-25)."""
    if not run.coordinator and run.live and run.started_at is None:
        own_fact(tx, run, "started")


def _begin_outside(tx: Tx, row: TokenRow) -> RunRow | None:
    found = pick(tx, row.agent, row.project, session=row.hash)
    if found.task is None or found.agent is None or found.project is None:
        return None
    run, _ = begin_run(
        tx, found.project, found.agent, found.task, found.target, coordinator="", request=row.hash
    )
    tokens.bind(tx, row.hash, run.id)
    return run


def task_when_prepared(context: HeadContext, run_id: str) -> dict[str, Any] | None:
    with context.store.read() as tx:
        run = runs.get(tx, run_id)
        answer = _task_answer(tx, run) if run else None
    if run and run.outcome_reason == OVERTAKEN:
        with context.store.change() as tx:
            run = _in_its_place(tx, run)
            answer = _task_answer(tx, run)
    if run and answer:
        with context.store.change() as tx:
            _record_start(tx, run)
    return answer


def _in_its_place(tx: Tx, run: RunRow) -> RunRow:
    """The run that the session speaks for, if its own was overtaken by a move of the target."""
    again = begin_again(tx, run) if run.outcome_reason == OVERTAKEN else None
    if again is None:
        return run
    for token in tokens.of_run(tx, run.id):
        tokens.bind(tx, token.hash, again.id)
    return again


def not_prepared_yet() -> dict[str, Any]:
    return {
        "success": False,
        "error": "The worktree of your task is not ready yet",
        "hint": "Call get_my_task again in a few seconds; `toryo status` shows whether a coordinator runs.",
        "instruction": "Call get_my_task again in a few seconds.",
    }


def _task_answer(tx: Tx, run: RunRow) -> dict[str, Any] | None:
    task = tasks.get(tx, run.task)
    if task is None or (not run.worktree and (run.live or run.outcome_reason == OVERTAKEN)):
        return None
    if not run.live and not run.worktree:
        raise Refused(
            f"The worktree could not be made: {run.outcome_reason}", hint=f"See `toryo run show {run.id}`."
        )
    earlier = [
        claim for claim in claims.of_task(tx, task.id) if claim.run != run.id and claim.kind == "completed"
    ]
    last = earlier[-1] if earlier else None
    return {
        "success": True,
        "has_task": True,
        "task": {
            "task_id": task.id,
            "title": task.title,
            "description": task.description,
            "working_directory": run.worktree,
            "context": last.summary if last else None,
            "handoff": last.next_steps if last else None,
            "purpose": run.purpose,
        },
        "instruction": _instruction(task),
    }


def _instruction(task: TaskRow) -> str:
    if not task.unit:
        return IMPLEMENT
    return DIVIDE if task.unit == ROOT else DIVIDE_OR_IMPLEMENT


def report_completed(
    context: HeadContext, token: str, caller_run: str, result: ClaimResult, summary: str, next_steps: str
) -> dict[str, Any]:
    with context.store.change() as tx:
        row = tokens.get(tx, hash_token(token))
        if row is None or (caller_run and row.run != caller_run):
            raise SessionInvalid(hint="Call authenticate first and use the session_token it returns.")
        late = row.ended_at is not None or row.expires_at <= tx.now
        run = runs.get(tx, row.run) if row.run else None
        if run:
            claim = ClaimRow(
                run=run.id,
                task=run.task,
                result=result,
                summary=summary[:LONGEST_CLAIM],
                next_steps=next_steps[:LONGEST_CLAIM],
                late=late,
                at=tx.now,
            )
            claims.insert(tx, claim)
            tx.emit(
                "run_claims", {"result": result, "late": late}, project=run.project, task=run.task, run=run.id
            )
            tx.mark(subjects.task(run.task))
        else:
            said = {"agent": row.agent, "result": result, "late": late, "summary": summary[:500]}
            tx.emit("agent_reported", said, project=row.project)
        if late:
            return {
                "success": True,
                "late": True,
                "instruction": "Your report came after the session's end; it is kept as evidence. End now.",
            }
        tokens.end(tx, row.hash, "report")
        if run and run.live and not run.coordinator:
            own_fact(tx, run, "reported", {"result": result})
    return {"success": True, "instruction": "Your report is kept; Toryo verifies the work itself. End now."}


def report_progress(context: HeadContext, token: str, caller_run: str, summary: str) -> dict[str, Any]:
    with context.store.change() as tx:
        row = session(tx, token, caller_run)
        touch(tx, row, in_force(context).session)
        run = runs.get(tx, row.run) if row.run else None
        if run:
            claim = ClaimRow(
                run=run.id, task=run.task, kind="progress", summary=summary[:LONGEST_CLAIM], at=tx.now
            )
            claims.insert(tx, claim)
            tx.emit(
                "run_progress", {"summary": summary[:500]}, project=run.project, task=run.task, run=run.id
            )
    return {"success": True, "instruction": "Go on. Call report_completed when you are done."}
