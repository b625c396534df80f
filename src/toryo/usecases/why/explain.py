"""`toryo why`: a status in a sentence, the facts it stands on, the chain it waits for, whose turn it is."""

from __future__ import annotations

from typing import Any

from toryo.domain.actions import Action, Do, action
from toryo.domain.advice import next_actions
from toryo.domain.errors import NotFound
from toryo.domain.reasons import Reason, Turn, meaning, parse, turn
from toryo.domain.words import Outcome, TaskStatus
from toryo.engine import attention
from toryo.engine.actions import shown
from toryo.engine.context import HeadContext
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow, RunRow, TargetRow, TaskRow
from toryo.store.tables import agents, projects, runs, tasks
from toryo.usecases.finding import names_run, the_mission, the_project, the_run, the_task
from toryo.usecases.tasks import waits_for
from toryo.usecases.why import chain, facts
from toryo.usecases.why.of_missions import of_mission

Told = dict[str, Any]

_TURNS = {
    "account": Turn.SERVICE,
    "no_coordinator": Turn.PERSON,
    "not_served": Turn.PERSON,
    "outside_agent": Turn.PERSON,
}
"""By what a ready task waits for; of all else Toryo sees the end."""


def why(context: HeadContext, text: str, project: str, path: str) -> Told:
    """Of a task, a run, a target branch or a project, in this order of what the name fits."""
    with context.store.read() as tx:
        return {"success": True, **_found(context, tx, text, project, path)}


def _found(context: HeadContext, tx: Tx, text: str, project: str, path: str) -> Told:
    try:
        if names_run(text):
            return of_run(context, tx, the_run(tx, text))
        if text.lstrip("#").startswith("n"):
            return of_mission(tx, the_mission(tx, text))
        return of_task(context, tx, the_task(tx, text))
    except NotFound:
        owner = _project(tx, project, path)
        target = projects.target(tx, owner.id, text) if owner else None
        if owner is not None and target is not None:
            return of_target(tx, owner, target)
        named = _project(tx, text, "")
        if named is None:
            raise
        return of_project(tx, named)


def _project(tx: Tx, text: str, path: str) -> ProjectRow | None:
    try:
        return the_project(tx, text, path) if text or path else None
    except NotFound:
        return None


def of_task(context: HeadContext, tx: Tx, row: TaskRow) -> Told:
    behind = chain.of_task(tx, row)
    whose = chain.whose_turn(row, behind)
    stuck = behind.dead or (behind.ends_at if behind.ends_at and attention.waits(behind.ends_at) else None)
    links = list(behind.links)
    sentence = _sentence(row.status, row.reason, row.detail)
    ready = waits_for.of_task(context, tx, row)
    if ready is not None:
        sentence = f"ready: it waits for {ready['what']}"
        links += [{"subject": f"task:{one}", "status": "running", "reason": ""} for one in ready["tasks"]]
        if ready["code"] == "account":
            links.append(_account(tx, row, str(ready["what"])))
        whose = _TURNS.get(str(ready["code"]), Turn.TORYO)
    if behind.dead is not None:
        dead = f"{behind.dead.id} is {_stands(behind.dead)}"
        sentence += f"; dead-blocked: {dead}, and nothing comes of it by itself"
    live = [run for run in runs.of_task(tx, row.id) if run.live]
    links += [_run_link(run) for run in live]
    return {
        "subject": {"kind": "task", "id": row.id, "title": row.title},
        "status": row.status,
        "reason": row.reason,
        "sentence": sentence,
        "facts": facts.of_task(tx, row),
        "waits_for": links,
        "turn": whose,
        "actions": [shown(one) for one in _actions(context, tx, stuck or row)],
        "dead": behind.dead is not None,
        "dead_at": behind.dead.id if behind.dead else None,
    }


def _actions(context: HeadContext, tx: Tx, row: TaskRow) -> tuple[Action, ...]:
    found = next_actions(row.id, TaskStatus(row.status), row.reason, row.detail, attention.around(tx, row))
    ready = waits_for.of_task(context, tx, row)
    if found or ready is None:
        return found
    known = {
        "no_coordinator": action(Do.UP),
        "account": action(Do.RETRY, row.id),
        "outside_agent": action(Do.PASSKEY, row.agent),
    }
    one = known.get(str(ready["code"]))
    return (one,) if one else ()


def of_run(context: HeadContext, tx: Tx, run: RunRow) -> Told:
    row = tasks.get(tx, run.task)
    how = run.outcome_reason or run.signal or (f"exit {run.exit_code}" if run.exit_code else "")
    ended = f"{run.outcome} ({how})" if how else run.outcome
    sentence = f"it runs for {run.task}" if run.live else f"it ended: {ended}"
    if run.live and run.outcome == Outcome.UNKNOWN:
        sentence = "its machine does not answer, so whether it still works is unknown"
    told: Told = of_task(context, tx, row) if row and run.live else {}
    link = [{"subject": f"task:{row.id}", "status": row.status, "reason": row.reason}] if row else []
    return {
        "subject": {"kind": "run", "id": run.id, "title": row.title if row else ""},
        "status": run.outcome,
        "reason": run.outcome_reason,
        "sentence": sentence,
        "facts": facts.of_run(tx, run),
        "waits_for": link,
        "turn": told.get("turn", Turn.NOBODY),
        "actions": told.get("actions", []),
        "dead": False,
        "dead_at": None,
    }


def of_target(tx: Tx, owner: ProjectRow, target: TargetRow) -> Told:
    waiting = f"its newest accepted work waits for your checkout: {', '.join(target.waiting[:5])}"
    sentence = "nothing is in its way"
    whose: Turn = Turn.NOBODY
    if target.stopped:
        sentence, whose = meaning(target.stopped).sentence, turn(TaskStatus.BLOCKED, target.stopped)
    elif target.waiting_why:
        sentence, whose = waiting, Turn.PERSON
    elif target.tip != target.published:
        sentence, whose = "accepted work is being published", Turn.TORYO
    held = _held_by(tx, owner, target)
    return {
        "subject": {"kind": "target", "id": target.name, "title": owner.name},
        "status": "stopped" if target.stopped else "waiting" if target.waiting_why else "moving",
        "reason": target.stopped or (Reason.WAITING_FOR_CHECKOUT if target.waiting_why else ""),
        "sentence": f"{target.name} of {owner.name}: {sentence}",
        "facts": facts.of_target(tx, target),
        "waits_for": [],
        "turn": whose,
        "actions": [shown(one) for one in _about(tx, held, target)],
        "dead": False,
        "dead_at": None,
    }


def _held_by(tx: Tx, owner: ProjectRow, target: TargetRow) -> TaskRow | None:
    """A task that stands for the target: by it a person speaks about it."""
    for status in (TaskStatus.LANDING, TaskStatus.NEEDS_REVIEW, TaskStatus.BLOCKED):
        for row in tasks.page(tx, project=owner.id, status=status, limit=50):
            is_it = parse(row.reason)[0].value == target.stopped or attention.waits(row)
            if row.target == target.name and is_it:
                return row
    return None


def _about(tx: Tx, row: TaskRow | None, target: TargetRow) -> tuple[Action, ...]:
    if row is None or not (target.stopped or target.waiting_why):
        return ()
    return next_actions(row.id, TaskStatus(row.status), row.reason, row.detail, attention.around(tx, row))


def of_project(tx: Tx, row: ProjectRow) -> Told:
    counts = {status: number for status, number in tasks.counts(tx, row.id).items() if number}
    work = ", ".join(f"{number} {status}" for status, number in counts.items()) or "no tasks yet"
    stopped = [one for one in projects.targets_of(tx, row.id) if one.stopped or one.waiting_why]
    is_active = row.status == "active"
    sentence = f"{row.name} is {row.status}: {work}"
    return {
        "subject": {"kind": "project", "id": row.id, "title": row.name},
        "status": row.status,
        "reason": "" if is_active else Reason.PROJECT_ARCHIVED,
        "sentence": sentence + "".join(f"; {of_target(tx, row, one)['sentence']}" for one in stopped[:3]),
        "facts": facts.aged(tx, [(row.created_at, "project registered", f"project:{row.id}")]),
        "waits_for": [
            {"subject": f"target:{one.name}", "status": "stopped", "reason": one.stopped or one.waiting_why}
            for one in stopped
        ],
        "turn": Turn.PERSON if stopped or not is_active else Turn.NOBODY,
        "actions": [] if is_active else [shown(action(Do.ACTIVATE_PROJECT, row.name))],
        "dead": False,
        "dead_at": None,
    }


def _account(tx: Tx, row: TaskRow, what: str) -> Told:
    agent = agents.get(tx, row.agent, row.project)
    return {"subject": f"account:{agent.client if agent else ''}", "status": "parked", "reason": what}


def _sentence(status: str, reason: str, detail: str) -> str:
    said = meaning(reason).sentence if reason else ""
    argument = parse(reason)[1] if reason else ""
    told = status.replace("_", " ") + (f": {said}" if said else "") + (f" ({argument})" if argument else "")
    is_said = detail in said or said in detail or (argument and argument in detail)
    return f"{told}; {detail}" if detail and not is_said else told


def _run_link(run: RunRow) -> Told:
    return {"subject": f"run:{run.id}", "status": run.outcome, "reason": run.outcome_reason}


def _stands(row: TaskRow) -> str:
    return f"{row.status}" + (f" ({row.reason})" if row.reason else "")
