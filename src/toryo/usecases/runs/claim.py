"""Run claims: the one place where a run is born. One transaction, and the same request has the same
answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toryo.domain import subjects
from toryo.domain.errors import NotFound
from toryo.domain.ids import CoordinatorId, RunId
from toryo.domain.naming import task_name
from toryo.domain.units import unit_name
from toryo.domain.words import PRIORITY_RANK, Access, CheckResult, Priority, Purpose
from toryo.engine.bus.delivery import note_prompted, prompt_lines
from toryo.engine.context import HeadContext
from toryo.engine.goals import unmet, wanted_goals
from toryo.engine.ids import new_id
from toryo.engine.next_task import pick
from toryo.engine.orders.compose import Subject, prepare, run_key, start
from toryo.engine.orders.files import kept_out
from toryo.engine.orders.insertion import hub
from toryo.engine.parking import told_again
from toryo.engine.project_settings import settings_of
from toryo.engine.scope import as_json, private_of, scope_of
from toryo.engine.units import integration
from toryo.engine.units.frames import frame_of
from toryo.protocol.views import sessions as views
from toryo.reconciler.queueing import AHEAD, FOLLOWING
from toryo.steps import step
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, OrderRow, ProjectRow, RunRow, TargetRow, TaskRow
from toryo.store.tables import agents, claims, gates, landings, orders, projects, runs, tasks, texts
from toryo.usecases.agents.definition import instructions
from toryo.usecases.coordinators.coordinators import current
from toryo.usecases.coordinators.next_orders import wire_order
from toryo.usecases.finding import the_agent, the_task
from toryo.usecases.runs.mission_part import mission_part
from toryo.usecases.runs.notes import notes_of
from toryo.usecases.runs.prompt import MemoryFile, PromptParts, compose

TAIL = 4000


def should_start(context: HeadContext, agent_id: str, project_id: str) -> dict[str, Any]:
    with context.store.read() as tx:
        found = pick(tx, agent_id, project_id)
    if found.task is None or found.agent is None:
        return {"success": True, "should_start": False}
    return {"success": True, "should_start": True, "ai_type": found.agent.client}


def claim_run(
    context: HeadContext, agent_id: str, project_id: str, coordinator: str, incarnation: int, request_id: str
) -> dict[str, Any]:
    with context.store.change() as tx:
        row = current(tx, coordinator, incarnation)
        if row is None:
            return {"success": True, "claimed": False, "superseded": True, "waiting_for": "superseded"}
        again = runs.by_request(tx, request_id)
        if again:
            order = orders.by_key(tx, f"prepare/{again.id}")
            return _claimed(context, again, order, orders.by_key(tx, run_key(again)))
        found = pick(tx, agent_id, project_id)
        if found.project and found.project.machine != row.machine:
            return {"success": True, "claimed": False, "waiting_for": "another machine"}
        if found.task is None or found.agent is None or found.project is None:
            return {"success": True, "claimed": False, "waiting_for": found.waiting_for}
        run, order = begin_run(
            tx,
            found.project,
            found.agent,
            found.task,
            found.target,
            coordinator=coordinator,
            request=request_id,
        )
        # together with the first order: the run begins without asking us once more (ADR 13)
        then = start(tx, Subject(found.project, found.task, run), found.agent, taken_by=coordinator)
    step("claim.kept")
    return _claimed(context, run, order, then)


def begin_run(
    tx: Tx,
    project: ProjectRow,
    agent: AgentRow,
    task: TaskRow,
    target: TargetRow | None,
    *,
    coordinator: str,
    request: str,
) -> tuple[RunRow, OrderRow]:
    """Create the run and its prepare order. Without a coordinator it is an outside agent's run."""
    parts = prompt_parts(tx, project, agent, task, is_ours=bool(coordinator))
    purpose = parts.purpose
    run = RunRow(
        id=RunId(new_id("r")),
        task=task.id,
        project=project.id,
        agent=agent.id,
        client=agent.client if coordinator else "outside",
        coordinator=CoordinatorId(coordinator),
        purpose=purpose,
        generation=task.generation + 1,
        request=request,
        scope=as_json(parts.scope),
        prompt=texts.put(tx, compose(parts)),
        told=parts.told,
        limits=settings_of(project.settings).limits.model_dump(),
        access=parts.access,
        created_at=tx.now,
    )
    if coordinator:  # what an outside agent is told it asks for itself
        note_prompted(tx, task, run)
    runs.insert(tx, run)
    tasks.update(tx, task.id, generation=run.generation)
    tip = target.tip if target else ""
    order = prepare(
        tx,
        Subject(project, task, run),
        name=unit_name(task.unit, task.id) if task.unit else task_name(task.title, task.id),
        base=task.base_commit if task.name else _beginning(target, is_ours=bool(coordinator)),
        merge=tip if purpose is Purpose.RESOLVE else "",
        place=coordinator or hub(project),
        taken_by=coordinator,
        target=target,
    )
    body = {"purpose": purpose, "generation": run.generation, "agent": agent.id, "coordinator": coordinator}
    tx.emit("run_claimed", body, project=project.id, task=task.id, run=run.id)
    tx.mark(subjects.task(task.id))
    return run, order


def _beginning(target: TargetRow | None, *, is_ours: bool) -> str:
    """Where a new worktree begins. An orchestrator need not wait for the base's checks, so that a person's
    commit may still be followed: it brings a worker to work on that commit, not on the one before."""
    if target is None:
        return ""
    goes_there = target.seen_relation == AHEAD and target.seen_contains_published and not target.stopped
    return target.seen if goes_there and not is_ours else target.tip


def begin_again(tx: Tx, run: RunRow, *, at_once: bool = False) -> RunRow | None:
    """What goes on in place of an outside run whose target moved before it had a worktree; None: the target
    is being followed. `at_once`: a commit ahead of the tip need not be followed first."""
    newest = runs.of_task(tx, run.task)[-1]
    if newest.id != run.id:
        return newest
    project, agent, task = (
        projects.get(tx, run.project),
        agents.get(tx, run.agent, run.project),
        tasks.get(tx, run.task),
    )
    target = projects.target(tx, run.project, task.target) if task else None
    is_followed = target is not None and target.seen_relation in FOLLOWING and not target.stopped
    if at_once and target is not None and target.seen_relation == AHEAD:
        is_followed = False
    if project is None or agent is None or task is None or is_followed:
        return None
    return begin_run(tx, project, agent, task, target, coordinator="", request=new_id("q"))[0]


def prompt_parts(
    tx: Tx, project: ProjectRow, agent: AgentRow, task: TaskRow, *, is_ours: bool
) -> PromptParts:
    """Everything the prompt of the task's next run is made of. `is_ours`: a coordinator starts it."""
    # what is not committed is not in the worktree, and a prompt that names it would mislead
    memory = memory_files(project) if project.settings_from == "commit" else ()
    settings = settings_of(project.settings)
    commands = (*(check.command for check in settings.dod.checks), *task.checks)
    return PromptParts(
        task=task.id,
        title=task.title,
        type=task.type,
        priority=priority_word(task.priority),
        description=task.description,
        instructions=instructions(agent),
        scope=replace(
            scope_of(project, agent, task),
            kept_out=kept_out(tx, task.mission),
            private=private_of(project, task),
        ),
        memory=memory,
        purpose=Purpose(task.next_purpose or Purpose.IMPLEMENT),
        told=_told(tx, task),
        access=Access.CONNECTED if task.unit and is_ours else Access(agent.access),
        frame=frame_of(task.unit, project.settings_files) if task.unit else "",
        agent=agent.id,
        project=project.id,
        target=task.target,
        checks=tuple(dict.fromkeys(commands)),
        goals=wanted_goals(settings.task_types.get(task.type)),
        setup=settings.setup,
        is_set_up=is_ours and settings.worktree_setup,
        mission=mission_part(tx, task),
        messages=prompt_lines(tx, task) if is_ours else (),
    )


def worker_prompt(context: HeadContext, text: str, agent_name: str) -> views.WorkerPrompt:
    """The prompt that the task's next run would get: the same composer, nothing else (S4-06, S4-48)."""
    with context.store.read() as tx:
        task = the_task(tx, text)
        project = projects.get(tx, task.project)
        agent = the_agent(tx, agent_name or task.agent, task.project)
        if project is None:
            raise NotFound(f"There is no project {task.project}.", hint="See `toryo project list`.")
        return {
            "success": True,
            "prompt": compose(prompt_parts(tx, project, agent, task, is_ours=agent.client != "outside")),
        }


def priority_word(rank: int) -> str:
    return next((word for word, number in PRIORITY_RANK.items() if number == rank), Priority.MEDIUM)


def memory_files(project: ProjectRow) -> tuple[MemoryFile, ...]:
    """Paths and titles only: the agent reads the files in its worktree (S4-12)."""
    listed = []
    for path, text in sorted(project.settings_files.items()):
        if path.startswith("memory/") and path.endswith(".md"):
            first = next((line for line in text.splitlines() if line.strip()), "")
            title = first.lstrip("# ").strip() or path.removeprefix("memory/")
            listed.append(MemoryFile(f".toryo/{path}", title))
    return tuple(listed)


def _told(tx: Tx, task: TaskRow) -> dict[str, Any]:
    """Why there is another run, from the facts of the last one, and what people said about the task."""
    told = _why(tx, task) if task.generation else {}  # before its first run there is nothing to tell
    notes = notes_of(tx, task.id)
    return {**told, "notes": notes} if notes else told


def _why(tx: Tx, task: TaskRow) -> dict[str, Any]:
    if task.reason == "parked":
        return told_again(tx, task.id)
    told = integration.told_to(tx, task) if task.next_purpose == Purpose.INTEGRATE else _wanted(tx, task)
    if task.reason in ("no_commit", "lost", "answered", "resumed"):
        told["last"] = task.reason
    handoff = [claim.next_steps for claim in claims.of_task(tx, task.id) if claim.next_steps]
    if handoff and told:
        told["handoff"] = handoff[-1][:TAIL]
    return told


def _wanted(tx: Tx, task: TaskRow) -> dict[str, Any]:
    """What a fix or resolve run is for, whatever became of the one before it."""
    newest = next(reversed(landings.of_task(tx, task.id)), None)
    match task.next_purpose:
        case Purpose.FIX if newest:
            return {"why": "checks_failed", "checks": _failing(tx, newest.gate)}
        case Purpose.RESOLVE if newest:
            conflict = newest.conflict or {}
            paths, partner = conflict.get("paths", []), conflict.get("partner", "")
            return {"why": "conflict", "paths": paths, "partner": partner}
        case _:
            return {}


def _failing(tx: Tx, gate_id: str) -> list[dict[str, Any]]:
    rows = [row for row in gates.checks_of(tx, gate_id) if row.result == CheckResult.FAILED]
    listed = [
        {"command": row.command, "exit_code": row.exit_code, "tail": row.tail[-TAIL:] or row.reason}
        for row in rows[-1:]
    ]
    gate = gates.get(tx, gate_id)
    missing = unmet(gate.goals) if gate else []
    return [*listed, *({"command": goal, "exit_code": None, "tail": text} for goal, text in missing)]


def _claimed(
    context: HeadContext, run: RunRow, order: OrderRow | None, then: OrderRow | None
) -> dict[str, Any]:
    first, second = (wire_order(context, one) if one else None for one in (order, then))
    return {"success": True, "claimed": True, "run_id": run.id, "order": first, "then": second}
