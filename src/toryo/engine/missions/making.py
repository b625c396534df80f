"""Making of tasks: an approved plan becomes tasks with edges, checks and agents, in one transaction."""

from __future__ import annotations

from dataclasses import replace

from toryo.domain import planned_tasks, subjects
from toryo.domain.dependency_graphs import in_order
from toryo.domain.ids import AgentName, TaskId
from toryo.domain.words import Approval, TaskStatus, Verb
from toryo.engine.default_agents import default_agent
from toryo.engine.ids import new_id
from toryo.engine.missions.plan_rules import planned
from toryo.engine.project_settings import settings_of
from toryo.engine.units.planned import unit_id, unit_row
from toryo.protocol.kinds.planner import PlannedTask
from toryo.reconciler.plans.replacement import ExistingTask, replan
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow, PlanRow
from toryo.store.database.rows import ProjectRow, TaskRow, VerbRow
from toryo.store.tables import landings, missions, plans, tasks, texts, verbs
from toryo.store.tables.units import units

BASE_PRIORITY = 2
OVER = (TaskStatus.DONE, TaskStatus.CANCELLED)


def make_tasks(tx: Tx, project: ProjectRow, row: MissionRow, version: int) -> None:
    """Those of a first plan; of a later one what it adds, with what it replaces cancelled."""
    versions = plans.of_mission(tx, row.id)
    plan = next((one for one in versions if one.version == version), None)
    if plan is None or plan.made_at is not None:
        return
    before = next((one for one in reversed(versions) if one.made_at is not None), None)
    if before is None:
        _create(tx, project, row, _with_edges(plan), {})
    else:
        _replace(tx, project, row, plan, before)
    plans.update(tx, row.id, version, made_at=tx.now, approved_at=plan.approved_at or tx.now)
    missions.update(tx, row.id, demand=None, hold_tasks=[])
    made = [one.id for one in missions.planned_of(tx, row.id)]
    told = {"mission": row.id, "version": version, "tasks": len(made)}
    tx.emit("mission_tasks_made", told, project=row.project, subject=subjects.mission(row.id))
    for task in made:
        tx.mark(subjects.task(task))


def _with_edges(plan: PlanRow) -> list[planned_tasks.PlannedTask]:
    """Its tasks; each also waits for what may write the same."""
    extra: dict[str, list[str]] = {}
    for task, needs in plan.edges:
        extra.setdefault(task, []).append(needs)
    wanted = [planned(PlannedTask.model_validate(one)) for one in plan.tasks]
    return [
        replace(one, depends_on=tuple(dict.fromkeys((*one.depends_on, *extra.get(one.id, ())))))
        for one in wanted
    ]


def _create(
    tx: Tx,
    project: ProjectRow,
    row: MissionRow,
    wanted: list[planned_tasks.PlannedTask],
    known: dict[str, TaskId],
) -> None:
    """`known`: plan id → task of those that exist. Each comes behind what it waits for."""
    new = {one.id: one for one in wanted if not one.done}
    graph = {id: tuple(need for need in one.depends_on if need in new) for id, one in new.items()}
    for id in in_order(graph):
        one = new[id]
        made = _task(tx, project, row, one)
        tasks.insert(tx, made, [known[need] for need in one.depends_on if need in known])
        if one.unit:
            units.insert(tx, unit_row(tx, made))
        known[id] = made.id
        told = {"title": made.title[:200], "mission": row.id, "planned": id}
        tx.emit("task_added", told, project=project.id, task=made.id)


def _task(tx: Tx, project: ProjectRow, row: MissionRow, one: planned_tasks.PlannedTask) -> TaskRow:
    title = " ".join(one.title.split())[:500]
    texts.put(tx, title)  # for the message of its landing
    settings = settings_of(project.settings)
    return TaskRow(
        id=TaskId(new_id("t")),
        project=project.id,
        agent=AgentName(one.agent or default_agent(tx, project)),
        title=title,
        description=one.description,
        priority=BASE_PRIORITY,
        write=None if one.write is None else list(one.write),
        predicted=not settings.scope.strict,
        checks=list(one.checks),
        timeout_s=settings.runs.timeout,
        held=row.approval == Approval.EACH,
        target=row.target,
        mission=row.id,
        planned=one.id,
        unit=unit_id(tx, row, one.id, title) if one.unit else "",
        created_at=tx.now,
    )


def _replace(tx: Tx, project: ProjectRow, row: MissionRow, plan: PlanRow, before: PlanRow) -> None:
    current = {
        one.planned: one for one in missions.planned_of(tx, row.id) if one.status != TaskStatus.CANCELLED
    }
    old = []
    for wish in _with_edges(before):
        task = current.get(wish.id)
        if task is not None or wish.done:
            status = TaskStatus(task.status) if task else TaskStatus.DONE
            landed = task is not None and bool(task.landed_commit)
            old.append(
                ExistingTask(wish, TaskStatus.DONE if landed else status, bool(task and task.generation))
            )
    change = replan(old, _with_edges(plan))
    gone = [current[id] for id in (*change.replaced, *change.cancelled) if id in current]
    known = {id: task.id for id, task in current.items() if task not in gone}
    _create(tx, project, row, list(change.create), known)
    moved = [one for one in change.edges if one.task in current and one.task in known]
    for edges in moved:  # an old edge and a new one might close a cycle that neither plan has
        tasks.set_needs(tx, known[edges.task], [])
    for edges in moved:  # before the old ones go: nobody is blocked by a cancelled one
        tasks.set_needs(tx, known[edges.task], [known[need] for need in edges.needs if need in known])
    for task in gone:
        _cancel(tx, task, f"replaced by version {plan.version} of the plan")


def _cancel(tx: Tx, task: TaskRow, why: str) -> None:
    """As a person's word would: its run is stopped, what it left is kept."""
    verbs.add(
        tx,
        VerbRow(
            subject=subjects.task(task.id),
            verb=Verb.CANCEL,
            generation=task.generation,
            landing_seq=landings.newest_seq_of_task(tx, task.id),
            reason=task.reason,
            note=why,
            at=tx.now,
        ),
    )
    tx.emit("task_cancel", {"reason": task.reason, "note": why}, project=task.project, task=task.id)
    tx.mark(subjects.task(task.id))
