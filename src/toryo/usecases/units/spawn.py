"""Spawn: a tree of units begins with its root, and a unit's run asks for the unit's children."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from toryo.domain import subjects
from toryo.domain.errors import Refused, UserError
from toryo.domain.ids import AgentName, TaskId
from toryo.domain.naming import branch_of
from toryo.domain.units import ROOT, Breakdown, unit_name
from toryo.domain.words import Approval, MissionStatus
from toryo.engine.context import HeadContext
from toryo.engine.default_agents import default_agent
from toryo.engine.ids import new_id
from toryo.engine.missions.budgets import refuse_wrong
from toryo.engine.project_settings import settings_of
from toryo.engine.units import children
from toryo.engine.units.files import status_text
from toryo.engine.units.plans import offer
from toryo.engine.units.retries import refuse_second
from toryo.protocol.views import units as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow, RunRow, TaskRow
from toryo.store.database.unit_rows import UnitRow
from toryo.store.tables import missions, projects, runs, tasks, texts
from toryo.store.tables.units import units
from toryo.usecases.finding import refuse_inactive, the_project
from toryo.usecases.missions.start import insert_mission
from toryo.usecases.tasks.add import assigned_agent
from toryo.yaml.unit_files import breakdown_of, first_words, parse_breakdown, parse_requirements

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OURS = ("TORYO_", "GIT_", "AGENT_PASSKEY", "PATH", "HOME", "LD_")
DESCRIPTION = "Read requirements.yml and divide it into tasks."


@dataclass(frozen=True)
class NewTree:
    requirements: str
    project: str = ""
    path: str = ""
    agent: str = ""
    target: str = ""
    at_once: bool = False
    """Nobody is asked before the first children start."""
    environment: Mapping[str, str] = field(default_factory=dict)
    budget: Mapping[str, float] = field(default_factory=dict)


def spawn_tree(context: HeadContext, wish: NewTree) -> views.SpawnedTree:
    wanted = parse_requirements(wish.requirements)
    _refuse_environment(wish.environment)
    refuse_wrong(wish.budget)
    with context.store.change() as tx:
        project = the_project(tx, wish.project, wish.path)
        refuse_inactive(project)
        refuse_second(tx, project)
        title = first_words(wanted)
        root = _root(tx, project, wish, title)
        mission = insert_mission(
            context,
            tx,
            project,
            text=wish.requirements,
            target=root.target,
            title=title,
            budget=wish.budget,
        )
        approval = Approval.AUTO if wish.at_once else Approval(mission.approval)
        missions.update(
            tx, mission.id, root=root.id, status=MissionStatus.ACTIVE.value, approval=approval.value
        )
        texts.put(tx, root.title)
        tasks.insert(tx, replace(root, mission=mission.id))
        units.insert(
            tx,
            UnitRow(
                task=root.id,
                project=project.id,
                mission=mission.id,
                depth=1,
                requirements=texts.put(tx, wish.requirements),
                environment=dict(wish.environment),
            ),
        )
        told = {"title": root.title, "mission": mission.id, "unit": ROOT}
        tx.emit("task_added", told, project=project.id, task=root.id)
        tx.mark(subjects.task(root.id))
    return {
        "success": True,
        "mission": mission.id,
        "task": root.id,
        "unit": ROOT,
        "branch": branch_of(unit_name(ROOT, root.id)),
        "project": project.id,
    }


def _root(tx: Tx, project: ProjectRow, wish: NewTree, title: str) -> TaskRow:
    return TaskRow(
        id=TaskId(new_id("t")),
        project=project.id,
        agent=AgentName(
            assigned_agent(tx, project, wish.agent) if wish.agent else default_agent(tx, project)
        ),
        title=title,
        description=DESCRIPTION,
        timeout_s=settings_of(project.settings).runs.timeout,
        target=wish.target or project.base,
        planned=ROOT,
        unit=ROOT,
        created_at=tx.now,
    )


def _refuse_environment(environment: Mapping[str, str]) -> None:
    for name, value in environment.items():
        if not _NAME.fullmatch(name) or name.startswith(OURS) or "\0" in value:
            raise UserError(f"--env: {name!r} cannot be set.", hint="For example --env PAGE_SIZE=20")


def may_spawn(context: HeadContext, run_id: str) -> bool:
    """Whether its branch, on which its children land, is known; whatever stands against it is told as it
    spawns. A quick agent is there before the report of its preparation."""
    with context.store.read() as tx:
        run = runs.get(tx, run_id)
        task = tasks.get(tx, run.task) if run else None
        return run is None or task is None or not (run.live and task.unit) or bool(task.branch)


def spawn_children(
    context: HeadContext, run_id: str, breakdown: str, listed: list[dict[str, Any]]
) -> views.SpawnedChildren:
    """Called from inside the run of a unit: it divides its own work, and nobody else's."""
    wanted = breakdown_of(list(listed)) if listed else parse_breakdown(breakdown)
    with context.store.change() as tx:
        run, parent, project = unit_of_run(tx, run_id)
        if not run.live:
            raise Refused("This run has ended: it spawns nothing any more.", hint="End here.")
        if not parent.branch:
            raise Refused(
                f"The worktree of {parent.unit} was not reported yet.", hint="Spawn again in a few seconds."
            )
        found = children.spawn(tx, project, parent, run, wanted)
        mission = missions.get(tx, parent.mission)
        if found.new and mission is not None and mission.root == parent.id:
            offer(tx, parent, found.new, wanted)
        status = status_text(tx, parent)
    if found.stopped:
        raise Refused(f"The tree is stopped: {found.stopped}.", hint="End here: a person looks at it.")
    return _spawned(found, wanted, status)


def _spawned(found: children.Spawned, wanted: Breakdown, status: str) -> views.SpawnedChildren:
    return {
        "success": True,
        "spawned": [{"unit": one.unit, "task": one.id} for one in found.new],
        "known": [{"unit": one.unit, "task": one.id} for one in found.known],
        "changed": [{"unit": one.unit, "task": one.id} for one in found.changed],
        "warnings": list(wanted.warnings),
        "children_status": status,
        "instruction": "End here. You are told when your children are done.",
    }


def unit_of_run(tx: Tx, run_id: str) -> tuple[RunRow, TaskRow, ProjectRow]:
    """The run, its task, which is a unit, and its project."""
    run = runs.get(tx, run_id)
    task = tasks.get(tx, run.task) if run else None
    project = projects.get(tx, run.project) if run else None
    if run is None or task is None or project is None:
        raise UserError("This run is not known any more.", hint="End here.")
    if not task.unit:
        raise Refused(
            "This run works for a plain task: only units have children.", hint="Implement the task."
        )
    return run, task, project
