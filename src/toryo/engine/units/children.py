"""Children of a unit: made from a breakdown in one transaction, each once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toryo.domain import subjects
from toryo.domain.dependency_graphs import cycle, in_order
from toryo.domain.errors import Refused, UserError
from toryo.domain.ids import AgentName, TaskId
from toryo.domain.scopes import is_inside, problem_of
from toryo.domain.units import BREAKDOWN, Breakdown, WantedChild, child_unit, fingerprint
from toryo.domain.words import TaskStatus
from toryo.engine.ids import new_id
from toryo.engine.orders.units import open_target
from toryo.engine.project_settings import settings_of
from toryo.engine.units.subtrees import stop_tree
from toryo.reconciler.units import SpawnFacts, SpawnLimits, refused, stopped
from toryo.store.database.engine import Tx
from toryo.store.database.rows import ProjectRow, RunRow, TaskRow
from toryo.store.database.unit_rows import BreakdownRow, UnitRow
from toryo.store.gather import tree_facts, unit_facts
from toryo.store.tables import agents, projects, tasks, texts
from toryo.store.tables.units import units
from toryo.yaml.unit_files import dump

GONE = (TaskStatus.FAILED, TaskStatus.CANCELLED)
WAITING = (TaskStatus.OPEN, TaskStatus.BLOCKED, TaskStatus.READY)


class TooManyUnits(Refused):
    """The tree may not grow here."""


@dataclass(frozen=True)
class Spawned:
    new: tuple[TaskRow, ...] = ()
    known: tuple[TaskRow, ...] = ()
    """Children of the same ids that were spawned before."""
    changed: tuple[TaskRow, ...] = ()
    """Of those the ones that wait for others now."""
    stopped: str = ""
    """Why the whole tree stopped instead."""


def spawn(tx: Tx, project: ProjectRow, parent: TaskRow, run: RunRow, wanted: Breakdown) -> Spawned:
    """A child is registered when it is spawned; a task that failed in an earlier run may be spawned again."""
    past = unit_facts.breakdowns(tx, parent)
    children = unit_facts.children(tx, parent)
    _look_over(tx, project, parent, wanted.children, [one for one in children if one.status not in GONE])
    taken = _standing(past, children, run)
    new = [one for one in wanted.children if one.id not in taken]
    known = tuple(taken[one.id] for one in wanted.children if one.id in taken)
    digest = hashlib.sha256(fingerprint(wanted.children).encode()).hexdigest()[:16]
    stands: dict[str, str] = {one.planned: one.id for one in known}
    if not new:
        changed = _rewire(tx, wanted, known, stands)
        if changed or (past and past[-1].body != _body(wanted)):
            _keep(tx, parent, run, wanted, digest, [])
        return Spawned(known=known, changed=changed)
    limits = SpawnLimits(**settings_of(project.settings).units.model_dump())
    facts = spawn_facts(tx, parent, past, children, digest)
    circle = stopped(facts, len(new), limits)
    if circle:
        stop_tree(tx, parent.mission, circle)
        tx.emit("tree_stopped", {"unit": parent.unit, "why": circle}, project=project.id, task=parent.id)
        tx.mark(subjects.mission(parent.mission))
        return Spawned(known=known, stopped=circle)
    if why := refused(facts, len(new), limits):
        raise TooManyUnits(f"{parent.unit}: {why}.", hint="`units:` in .toryo/config.yaml has the limits.")
    made = _make(tx, project, parent, wanted, new, stands)
    changed = _rewire(tx, wanted, known, stands)
    _keep(tx, parent, run, wanted, digest, [one.id for one in made])
    open_target(tx, project, parent)
    tx.mark(subjects.task(parent.id))
    tx.mark(subjects.mission(parent.mission))
    return Spawned(tuple(made), known, changed)


def _rewire(
    tx: Tx, wanted: Breakdown, known: Sequence[TaskRow], stands: dict[str, str]
) -> tuple[TaskRow, ...]:
    """Children that never began wait for what the breakdown says now, also for one in place of another that
    failed."""
    needs = {one.id: [stands[need] for need in one.depends_on] for one in wanted.children}
    changed = []
    for child in known:
        if child.generation or child.status not in WAITING:
            continue
        if set(needs[child.planned]) != set(tasks.needs_of(tx, child.id)):
            tasks.set_needs(tx, child.id, needs[child.planned])
            tx.emit("task_changed", {"fields": ["after"]}, project=child.project, task=child.id)
            tx.mark(subjects.task(child.id))
            changed.append(child)
    return tuple(changed)


def spawn_facts(
    tx: Tx, parent: TaskRow, past: Sequence[BreakdownRow], children: Sequence[TaskRow], digest: str
) -> SpawnFacts:
    own = units.get(tx, parent.id)
    tree = units.tree_counts(tx, parent)
    since = tree_facts.went_on_at(tx, parent.mission)
    fresh = sum(one.created_at > since for one in units.tree_of(tx, parent)) if since else None
    return SpawnFacts(
        depth=own.depth if own else 1,
        living=sum(one.status not in GONE for one in children),
        total=sum(tree.values()),
        landed=tree.get(TaskStatus.DONE.value, 0),
        same=sum(one.digest == digest and bool(one.spawned) and one.at > since for one in past),
        fresh=fresh,
    )


def _standing(past: Sequence[BreakdownRow], children: Sequence[TaskRow], run: RunRow) -> dict[str, TaskRow]:
    """The child that stands for each id: what ended badly in an earlier run may be tried anew."""
    mine = {task for one in past if one.generation == run.generation for task in one.spawned}
    return {one.planned: one for one in children if one.status not in GONE or one.id in mine}


def _look_over(
    tx: Tx,
    project: ProjectRow,
    parent: TaskRow,
    wanted: Sequence[WantedChild],
    living: Sequence[TaskRow],
) -> None:
    ids = {one.id for one in wanted}
    named = {one.unit: one.planned for one in living}
    working = {one.id for one in projects.agents_of(tx, project.id, only_active=True)}
    for one in wanted:
        unit = child_unit(parent.unit, one.id)
        if (other := named.setdefault(unit, one.id)) != one.id:
            raise _wrong(f"{other} and {one.id} would both be the unit {unit}: rename one of them")
        for need in one.depends_on:
            if need not in ids:
                raise _wrong(f"{one.id} depends on {need}, which is not in it")
        for pattern in one.write or ():
            if problem := problem_of(pattern):
                raise _wrong(f"write of {one.id}: {problem}")
        # a prediction of the plan limits nobody
        above = None if parent.write is None or parent.predicted else tuple(parent.write)
        if one.write is not None and not is_inside(one.write, above):
            raise _wrong(f"write of {one.id} reaches beyond what {parent.unit} itself may write")
        if one.agent and (agents.get(tx, one.agent, project.id) is None or one.agent not in working):
            raise _wrong(f"the agent {one.agent} of {one.id} does not work in {project.name}")
    if way := cycle({one.id: one.depends_on for one in wanted}):
        raise _wrong(f"its tasks wait for each other: {' → '.join(way)}")


def _wrong(what: str) -> UserError:
    return UserError(f"{BREAKDOWN}: {what}.", hint="Mend it there, then spawn again.")


def _make(
    tx: Tx,
    project: ProjectRow,
    parent: TaskRow,
    wanted: Breakdown,
    new: Sequence[WantedChild],
    known: dict[str, str],
) -> list[TaskRow]:
    """Each behind what it waits for."""
    of = {one.id: one for one in new}
    made = []
    above = units.get(tx, parent.id)
    for id in in_order({one.id: one.depends_on for one in wanted.children}):
        if id not in of:
            continue
        row = _task(tx, parent, of[id])
        tasks.insert(tx, row, [known[need] for need in of[id].depends_on if need in known])
        known[id] = row.id
        units.insert(tx, _unit(tx, row, above, of[id]))
        told = {"title": row.title[:200], "mission": row.mission, "unit": row.unit}
        tx.emit("task_added", told, project=project.id, task=row.id)
        tx.mark(subjects.task(row.id))
        made.append(row)
    return made


def _task(tx: Tx, parent: TaskRow, one: WantedChild) -> TaskRow:
    first = next((line.strip() for line in one.description.splitlines() if line.strip()), one.id)
    title = " ".join(first.split())[:200]
    texts.put(tx, title)  # for the message of its landing
    write = one.write if one.write is not None else parent.write
    return TaskRow(
        id=TaskId(new_id("t")),
        project=parent.project,
        agent=AgentName(one.agent or parent.agent),
        title=title,
        description=one.description,
        type=parent.type,
        priority=parent.priority,
        parent=parent.id,
        write=None if write is None else list(write),
        predicted=parent.predicted and one.write is None,
        checks=list(dict.fromkeys((*parent.checks, *one.checks))),
        timeout_s=parent.timeout_s,
        target=parent.branch,
        mission=parent.mission,
        planned=one.id,
        unit=child_unit(parent.unit, one.id),
        created_at=tx.now,
    )


def _unit(tx: Tx, row: TaskRow, above: UnitRow | None, one: WantedChild) -> UnitRow:
    own = {"unit": row.unit, "id": one.id, "description": one.description}
    more = {"checks": list(one.checks)} if one.checks else {}
    scoped = dump({**own, **more}) + (
        f"requirements:\n{_indented(one.requirements)}" if one.requirements else ""
    )
    return UnitRow(
        task=row.id,
        project=row.project,
        mission=row.mission,
        depth=(above.depth if above else 0) + 1,
        requirements=above.requirements if above else "",
        scoped=texts.put(tx, scoped),
        environment=dict(above.environment) if above else {},
    )


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


def _keep(
    tx: Tx,
    parent: TaskRow,
    run: RunRow,
    wanted: Breakdown,
    digest: str,
    spawned: Sequence[str],
) -> None:
    row = BreakdownRow(
        task=parent.id,
        run=run.id,
        generation=run.generation,
        digest=digest,
        body=_body(wanted),
        spawned=list(spawned),
        at=tx.now,
    )
    units.add_breakdown(tx, row)


def _body(wanted: Breakdown) -> dict[str, Any]:
    listed = [
        {
            "id": one.id,
            "description": one.description,
            "depends_on": list(one.depends_on),
            "agent": one.agent,
            "write": None if one.write is None else list(one.write),
            "checks": list(one.checks),
            "notes": dict(one.notes),
        }
        for one in wanted.children
    ]
    return {"tasks": listed, "notes": dict(wanted.notes)}
