"""What a ready task waits for, computed on reading; the claim decides by the same facts (`next_task`).

`of_task` is for one task; a page of tasks is asked one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toryo.domain.actions import Action, Do, action, line
from toryo.domain.advice import MOST_NAMES
from toryo.domain.client_names import OUTSIDE
from toryo.domain.ids import TaskId
from toryo.domain.reasons import Reason, Turn, meaning, parse
from toryo.domain.scopes import may_overlap
from toryo.domain.words import TaskStatus
from toryo.engine import capacities, parking
from toryo.engine.actions import shown
from toryo.engine.context import HeadContext
from toryo.engine.next_task import are_kin_of, base_may_start, has_room, is_waiting_unit, reviews_are_full
from toryo.engine.scope import writes_of, writes_of_live
from toryo.protocol.views import tasks as views
from toryo.reconciler.missions.actions import mission_actions
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, CoordinatorRow, ProjectRow, RunRow, TaskRow
from toryo.store.gather import subject_facts, unit_facts
from toryo.store.tables import agents, coordinators, missions, projects, runs, tasks, tokens

PAUSES = (Reason.PAUSED, Reason.BUDGET)
LOOKED_AT = 50


@dataclass(frozen=True)
class WaitsFor:
    code: str
    what: str
    """In words that follow "waits for"."""
    actions: tuple[Action, ...] = ()
    """What helps, the likeliest first."""
    tasks: tuple[TaskId, ...] = ()
    """Those that are in its way."""
    turn: Turn = Turn.TORYO
    subjects: tuple[str, ...] = ()
    """What else is in its way: a mission, a paused unit, an account, its target."""


TURN = WaitsFor("turn", "its turn: a coordinator takes it within seconds")


def of_task(context: HeadContext, tx: Tx, task: TaskRow) -> views.WaitsForView | None:
    found = found_of(context, tx, task)
    if found is None:
        return None
    return {
        "code": found.code,
        "what": found.what,
        "type": line(found.actions[0]) if found.actions else None,
        "tasks": list(found.tasks),
        "actions": [shown(one) for one in found.actions],
    }


def found_of(context: HeadContext, tx: Tx, task: TaskRow) -> WaitsFor | None:
    """None: it is not ready, so its status and reason say what it waits for."""
    project, agent = projects.get(tx, task.project), agents.get(tx, task.agent, task.project)
    if task.status != TaskStatus.READY or project is None or agent is None:
        return None
    return next(_reasons(context, tx, task, project, agent), TURN)


def _reasons(
    context: HeadContext, tx: Tx, task: TaskRow, project: ProjectRow, agent: AgentRow
) -> Iterator[WaitsFor]:
    yield from _pauses(tx, task)
    if agent.client == OUTSIDE:
        what = f"the outside agent {agent.id}: start it, it authenticates with its passkey"
        yield WaitsFor("outside_agent", what, (action(Do.PASSKEY, agent.id),), turn=Turn.PERSON)
        return
    here = [
        row
        for row in coordinators.listing(tx)
        if row.machine == project.machine and row.incarnation and not row.unseen
    ]
    if not here:
        what = "a coordinator: none is running"
        yield WaitsFor("no_coordinator", what, (action(Do.UP),), turn=Turn.PERSON)
    serving = [row for row in here if capacities.of(context, row.id).does_serve(agent.id)]
    if here and not serving:
        what = f"a coordinator for {agent.id}: `agents:` in coordinator.yaml leaves it out"
        yield WaitsFor("not_served", what, _given_to_others(context, tx, task, here), turn=Turn.PERSON)
    account = parking.waits_for(tx, project.machine, agent.client)
    if account:
        release = action(Do.RELEASE_ACCOUNT, agent.client, machine=_machine(tx, project, agent))
        about = (f"account:{agent.client}",)
        yield WaitsFor("account", account, (release,), turn=Turn.SERVICE, subjects=about)
    if reviews_are_full(tx, project):
        yield _reviews(tx, project)
    live = _live_runs(tx, project.id)
    scopes = runs.live_scopes(tx, project.id)
    resting = {one.task for one in scopes if is_waiting_unit(tx, one)}
    busy = {one.task for one in scopes if one.agent == agent.id} - resting
    yield from _slots(tx, agent, project, [run.task for run in live if run.task in busy])
    yield from _base(tx, task)
    yield from _parallelism(tx, task, [run for run in live if run.task not in resting])
    yield from _write_scope(task, project, agent, [one for one in scopes if not are_kin_of(task, one)])
    yield from _room(context, tx, serving)


def _pauses(tx: Tx, task: TaskRow) -> Iterator[WaitsFor]:
    """Its mission, or a unit that it is a part of."""
    mission = missions.get(tx, task.mission) if task.mission else None
    unit = unit_facts.paused_at(tx, task) if task.unit else None
    if unit is not None:
        what = f"{unit.unit}, which a person paused"
        about = () if unit.id == task.id else (f"task:{unit.id}",)
        resume = action(Do.RESUME_UNIT, unit.id)
        yield WaitsFor("paused", what, (resume,), turn=Turn.PERSON, subjects=about)
    elif mission is not None and (parse(mission.hold)[0] in PAUSES or task.reason == Reason.PAUSED):
        told = meaning(mission.hold or Reason.PAUSED).sentence
        offered = mission_actions(mission.id, mission.status, mission.reason)
        about = (f"mission:{mission.id}",)
        what = f"its mission {mission.id}: {told}"
        yield WaitsFor("paused", what, offered, turn=Turn.PERSON, subjects=about)


def _given_to_others(
    context: HeadContext, tx: Tx, task: TaskRow, here: list[CoordinatorRow]
) -> tuple[Action, ...]:
    """Agents of the project that a coordinator of its machine does serve; else no more than to end it."""
    served = [
        one.id
        for one in projects.agents_of(tx, task.project, only_active=True)
        if one.client and any(capacities.of(context, row.id).does_serve(one.id) for row in here)
    ]
    others = tuple(action(Do.REASSIGN, task.id, agent=name) for name in served if name != task.agent)
    return (*others[:MOST_NAMES], action(Do.CANCEL, task.id))


def _machine(tx: Tx, project: ProjectRow, agent: AgentRow) -> str:
    """Of its account, if that waits on several."""
    waiting = [one for one in parking.accounts(tx) if one["client"] == agent.client]
    return project.machine if len(waiting) > 1 else ""


def _reviews(tx: Tx, project: ProjectRow) -> WaitsFor:
    what = "your review of changes that are green"
    green = [
        row.id
        for row in tasks.page(tx, project=project.id, status=TaskStatus.NEEDS_REVIEW, limit=LOOKED_AT)
        if row.reason == Reason.REVIEW
    ]
    offered = (action(Do.STATUS), *(action(Do.APPROVE, one) for one in green[:1]))
    return WaitsFor("reviews", what, offered, tuple(green[:MOST_NAMES]), Turn.PERSON)


def _parallelism(tx: Tx, task: TaskRow, live: list[RunRow]) -> Iterator[WaitsFor]:
    if not task.mission or has_room(tx, task.mission):
        return
    mine = {one.id for one in missions.tasks_of(tx, task.mission)}
    busy = tuple(run.task for run in live if run.task in mine)
    what = f"a place in its mission {task.mission}: {', '.join(busy)} {'runs' if len(busy) == 1 else 'run'}"
    yield WaitsFor("parallelism", what, tasks=busy, subjects=(f"mission:{task.mission}",))


def _live_runs(tx: Tx, project: str) -> list[RunRow]:
    names = dict.fromkeys(one.agent for one in runs.live_scopes(tx, project))
    return [run for name in names for run in runs.live_of_pair(tx, name, project)]


def _slots(tx: Tx, agent: AgentRow, project: ProjectRow, mine: list[TaskId]) -> Iterator[WaitsFor]:
    most = agent.slots
    if most and len(mine) >= most:
        what = f"a slot of {agent.id}: {len(mine)} of {most} are taken by {', '.join(mine)}"
        yield WaitsFor("slots", what, (action(Do.MORE_SLOTS, agent.id, slots=str(most + 1)),), tuple(mine))
    sessions = [one for one in tokens.active_of_pair(tx, agent.id, project.id, tx.now) if not one.run]
    if sessions and len(mine) + len(sessions) >= (most or 1):
        what = f"the session of {agent.id} that was opened with its passkey"
        yield WaitsFor("session", what, (action(Do.RELEASE_AGENT, agent.id),), turn=Turn.PERSON)


def _base(tx: Tx, task: TaskRow) -> Iterator[WaitsFor]:
    target = projects.target(tx, task.project, task.target)
    if target is None or base_may_start(tx, target):
        return
    if subject_facts.following(tx, target):
        what = f"{task.target}: a person moved it, and it is being followed"
    else:
        what = f"the checks of {task.target} itself"
    yield WaitsFor("base", what, subjects=(f"target:{target.name}",))


def _write_scope(
    task: TaskRow, project: ProjectRow, agent: AgentRow, live: list[runs.LiveScope]
) -> Iterator[WaitsFor]:
    mine = writes_of(project, agent, task)
    others = [one.task for one in live if may_overlap(mine, writes_of_live(one))]
    if others:
        what = f"{', '.join(others)} to end: both may write {', '.join(mine or ())}"
        yield WaitsFor("write_scope", what, tasks=tuple(others))


def _room(context: HeadContext, tx: Tx, serving: list[CoordinatorRow]) -> Iterator[WaitsFor]:
    """Full is the machine only if all its coordinators are."""
    limits = {row.id: capacities.of(context, row.id).max_concurrent for row in serving}
    live = {name: runs.live_of_coordinator(tx, name) for name in limits}
    if serving and all(most and len(live[name]) >= most for name, most in limits.items()):
        busy = tuple(run.task for found in live.values() for run in found)
        most = sum(limits.values())
        what = f"room on the machine: {len(busy)} of {most} runs (max_concurrent in coordinator.yaml)"
        yield WaitsFor("max_concurrent", what, tasks=busy)
