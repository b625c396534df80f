"""What a ready task waits for, computed on reading; the claim decides by the same facts (`next_task`).

`of_task` is for one task; a page of tasks is asked one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toryo.domain.client_names import OUTSIDE
from toryo.domain.scopes import may_overlap
from toryo.domain.words import TaskStatus
from toryo.engine import capacities, parking
from toryo.engine.context import HeadContext
from toryo.engine.next_task import are_kin_of, base_may_start, is_waiting_unit, reviews_are_full
from toryo.engine.scope import writes_of, writes_of_live
from toryo.protocol.views import tasks as views
from toryo.store.database.engine import Tx
from toryo.store.database.rows import AgentRow, CoordinatorRow, ProjectRow, RunRow, TaskRow
from toryo.store.gather import subject_facts
from toryo.store.tables import agents, coordinators, projects, runs, tokens


@dataclass(frozen=True)
class WaitsFor:
    code: str
    what: str
    """In words that follow "waits for"."""
    type: str = ""
    """The line that helps, if there is one."""
    tasks: tuple[str, ...] = ()
    """Those that are in its way."""


TURN = WaitsFor("turn", "its turn: a coordinator takes it within seconds")


def of_task(context: HeadContext, tx: Tx, task: TaskRow) -> views.WaitsForView | None:
    """None: it is not ready, so its status and reason say what it waits for."""
    project, agent = projects.get(tx, task.project), agents.get(tx, task.agent, task.project)
    if task.status != TaskStatus.READY or project is None or agent is None:
        return None
    found = next(_reasons(context, tx, task, project, agent), TURN)
    return {
        "code": found.code,
        "what": found.what,
        "type": found.type or None,
        "tasks": list(found.tasks),
    }


def _reasons(
    context: HeadContext, tx: Tx, task: TaskRow, project: ProjectRow, agent: AgentRow
) -> Iterator[WaitsFor]:
    if agent.client == OUTSIDE:
        what = f"the outside agent {agent.id}: start it, it authenticates with its passkey"
        yield WaitsFor("outside_agent", what, f"toryo agent passkey {agent.id}")
        return
    here = [
        row
        for row in coordinators.listing(tx)
        if row.machine == project.machine and row.incarnation and not row.unseen
    ]
    if not here:
        yield WaitsFor("no_coordinator", "a coordinator: none is running", "toryo up")
    serving = [row for row in here if capacities.of(context, row.id).does_serve(agent.id)]
    if here and not serving:
        what = f"a coordinator for {agent.id}: `agents:` in coordinator.yaml leaves it out"
        yield WaitsFor("not_served", what)
    account = parking.waits_for(tx, project.machine, agent.client)
    if account:
        yield WaitsFor("account", account, f"toryo task retry {task.id}")
    if reviews_are_full(tx, project):
        yield WaitsFor("reviews", "your review of changes that are green", "toryo status")
    live = _live_runs(tx, project.id)
    scopes = runs.live_scopes(tx, project.id)
    busy = {one.task for one in scopes if one.agent == agent.id and not is_waiting_unit(tx, one)}
    yield from _slots(tx, agent, project, [run.task for run in live if run.task in busy])
    yield from _base(tx, task)
    yield from _write_scope(task, project, agent, [one for one in scopes if not are_kin_of(task, one)])
    yield from _room(context, tx, serving)


def _live_runs(tx: Tx, project: str) -> list[RunRow]:
    names = dict.fromkeys(one.agent for one in runs.live_scopes(tx, project))
    return [run for name in names for run in runs.live_of_pair(tx, name, project)]


def _slots(tx: Tx, agent: AgentRow, project: ProjectRow, mine: list[str]) -> Iterator[WaitsFor]:
    most = agent.slots
    if most and len(mine) >= most:
        what = f"a slot of {agent.id}: {len(mine)} of {most} are taken by {', '.join(mine)}"
        yield WaitsFor("slots", what, f"toryo agent add {agent.id} --slots {most + 1}", tuple(mine))
    sessions = [one for one in tokens.active_of_pair(tx, agent.id, project.id, tx.now) if not one.run]
    if sessions and len(mine) + len(sessions) >= (most or 1):
        what = f"the session of {agent.id} that was opened with its passkey"
        yield WaitsFor("session", what, f"toryo agent release {agent.id}")


def _base(tx: Tx, task: TaskRow) -> Iterator[WaitsFor]:
    target = projects.target(tx, task.project, task.target)
    if target is None or base_may_start(tx, target):
        return
    if subject_facts.following(tx, target):
        what = f"{task.target}: a person moved it, and it is being followed"
    else:
        what = f"the checks of {task.target} itself"
    yield WaitsFor("base", what)


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
