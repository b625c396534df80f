"""`toryo why`: a status in a sentence, the facts it stands on, the chain it waits for, whose turn it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toryo.domain.errors import NotFound
from toryo.domain.reason_words import SAY_NO_MORE
from toryo.domain.reasons import Turn, meaning, parse
from toryo.domain.words import Outcome
from toryo.engine.actions import shown
from toryo.engine.context import HeadContext
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow, RunRow, TaskRow
from toryo.store.gather import task_chains
from toryo.store.tables import projects, runs, tasks
from toryo.usecases.finding import names_run, the_mission, the_project, the_run, the_task
from toryo.usecases.why import facts, standing
from toryo.usecases.why.of_missions import of_mission
from toryo.usecases.why.of_projects import of_project, of_target
from toryo.usecases.why.standing import Standing

Told = dict[str, Any]


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
    behind = task_chains.of_task(tx, row)
    mine = standing.of_task(context, tx, row)
    decides = _deciding(context, tx, row, mine, behind)
    sentence = f"{_stands(row)}: it waits for {mine.what}" if mine.what else _sentence(row)
    if behind.dead is not None:
        dead = f"{behind.dead.id} is {_stands(behind.dead)}"
        sentence += f"; dead-blocked: {dead}, and nothing comes of it by itself"
    live = [run for run in runs.of_task(tx, row.id) if run.live]
    links = [*behind.links, *decides.links, *(_run_link(run) for run in live)]
    return {
        "subject": {"kind": "task", "id": row.id, "title": row.title},
        "status": row.status,
        "reason": row.reason,
        "sentence": sentence,
        "facts": facts.of_task(tx, row),
        "waits_for": [one for place, one in enumerate(links) if one not in links[:place]],
        "turn": decides.turn,
        "actions": [shown(one) for one in decides.actions],
        "dead": behind.dead is not None,
        "dead_at": behind.dead.id if behind.dead else None,
    }


def _deciding(
    context: HeadContext, tx: Tx, row: TaskRow, mine: Standing, behind: task_chains.Chain
) -> Standing:
    """Of the dead end if there is one, else of the first end that a person moves on, else of the nearest."""
    if behind.dead is not None:
        return replace(standing.of_task(context, tx, behind.dead), turn=Turn.PERSON)
    ends = [standing.of_task(context, tx, one) for one in behind.ends if one.id != row.id]
    return next((one for one in ends if one.turn is Turn.PERSON), ends[0] if ends else mine)


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


def _sentence(row: TaskRow) -> str:
    status, reason, detail = row.status, row.reason, row.detail
    said = meaning(reason).sentence if reason else ""
    argument = parse(reason)[1] if reason else ""
    told = status.replace("_", " ") + (f": {said}" if said else "") + (f" ({argument})" if argument else "")
    is_said = detail in said or said in detail or (argument and argument in detail)
    is_said = is_said or parse(reason)[0] in SAY_NO_MORE
    return f"{told}; {detail}" if detail and not is_said else told


def _run_link(run: RunRow) -> Told:
    return {"subject": f"run:{run.id}", "status": run.outcome, "reason": run.outcome_reason}


def _stands(row: TaskRow) -> str:
    return f"{row.status}" + (f" ({row.reason})" if row.reason else "")
