"""Next task of an agent in a project: which may start now, and what it waits for otherwise.

`should_start` asks, `claim_run` asks again inside its transaction: one rule for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from toryo.domain import subjects
from toryo.domain.client_names import OUTSIDE
from toryo.domain.reasons import Reason
from toryo.domain.scopes import may_overlap
from toryo.domain.units import are_kin
from toryo.domain.words import MAY_LAND, TaskStatus, is_at_rest
from toryo.engine import parking
from toryo.engine.project_settings import settings_of
from toryo.engine.scope import writes_of, writes_of_live
from toryo.reconciler.decide import decide_task
from toryo.reconciler.subjects import Policy
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import AgentRow, ProjectRow, TargetRow, TaskRow
from toryo.store.gather import ready, subject_facts
from toryo.store.tables import agents, gates, marks, missions, plans, projects, runs, tasks, tokens

PAGE = 50
PAGES = 4
"""At most 200 tasks are tried against the write scopes of live runs before giving up for this time."""


@dataclass(frozen=True)
class Pick:
    project: ProjectRow | None = None
    agent: AgentRow | None = None
    task: TaskRow | None = None
    target: TargetRow | None = None
    """Where the task will land."""
    waiting_for: str = ""


def pick(tx: Tx, agent_id: str, project_id: str, *, session: str = "") -> Pick:
    """`session` is the hash of the asking outside agent's own token, which does not stand in its own way."""
    agent, project = agents.get(tx, agent_id, project_id), projects.get(tx, project_id)
    if not agent or not project:
        return Pick(waiting_for="unknown")
    if agent.status != "active" or project.status != "active" or not agent.client:
        return Pick(project, agent, waiting_for="inactive")
    if agent.client == OUTSIDE and not session:
        return Pick(project, agent, waiting_for="its outside agent")
    first = ready.next_ready(tx, project_id, agent_id, limit=2)
    if not first:  # asked for every pair at every interval: without work nothing else need be read
        return Pick(project, agent, waiting_for="work")
    parked = parking.waits_for(tx, project.machine, agent.client)
    if parked:
        return Pick(project, agent, waiting_for=parked)
    if reviews_are_full(tx, project):
        return Pick(project, agent, waiting_for="reviews")
    live = runs.live_scopes(tx, project_id)
    sessions = [
        token
        for token in tokens.active_of_pair(tx, agent_id, project_id, tx.now)
        if not token.run and token.hash != session
    ]
    mine = sum(one.agent == agent_id and not is_waiting_unit(tx, one) for one in live)
    most = agent.slots or (1 if session or sessions else len(live) + 1)  # who authenticates is alone
    if mine + len(sessions) >= most:
        return Pick(project, agent, waiting_for="slots" if mine >= most else "a session of its agent")
    return _first_free(tx, agent, project, live, first)


def _first_free(
    tx: Tx, agent: AgentRow, project: ProjectRow, busy: Sequence[runs.LiveScope], page: list[TaskRow]
) -> Pick:
    """`page` is a short one: as a rule its first task may start, and a whole one would cost 1 ms."""
    waiting = ""
    targets: dict[str, TargetRow | None] = {}
    missions_with_room: dict[str, bool] = {}
    for most in (2, *(PAGE,) * PAGES):
        for task in page:
            if task.target not in targets:
                target = projects.target(tx, project.id, task.target)
                targets[task.target] = target if target and base_may_start(tx, target) else None
            if targets[task.target] is None:
                waiting = waiting or "base"
                continue
            if task.mission and not missions_with_room.setdefault(task.mission, has_room(tx, task.mission)):
                waiting = waiting or "parallelism of its mission"
                continue
            mine = writes_of(project, agent, task)
            if any(may_overlap(mine, writes_of_live(one)) for one in busy if not are_kin_of(task, one)):
                waiting = "overlapping write scope"
                continue
            fresh = _still_ready(tx, task)
            if fresh:
                return Pick(project, agent, fresh, targets[task.target])
        if len(page) < most:
            break
        page = ready.next_ready(tx, project.id, agent.id, limit=PAGE, after=(page[-1].priority, page[-1].seq))
    return Pick(project, agent, waiting_for=waiting or "work")


def are_kin_of(task: TaskRow, live: runs.LiveScope) -> bool:
    """A unit works in what its parent may write, on its parent's branch: they never keep each other apart."""
    return bool(task.unit and live.unit) and task.mission == live.mission and are_kin(task.unit, live.unit)


def is_waiting_unit(tx: Tx, live: runs.LiveScope) -> bool:
    """Whether the run only waits for the children that it spawned: it takes no place from them."""
    if not live.unit:
        return False
    below = [one for one in tasks.children_of(tx, live.task) if one.unit]
    return any(not is_at_rest(TaskStatus(one.status), one.reason) for one in below)


def _still_ready(tx: Tx, task: TaskRow) -> TaskRow | None:
    """As a look would find it now: while a task is marked, its status may be behind its facts.

    Without this a second claim that comes before the drain would start the same task once more."""
    if not marks.is_marked(tx, subjects.task(task.id)):
        return task
    facts = subject_facts.task(tx, task.id)
    decision = decide_task(facts, Policy()) if facts else None
    if decision is None or decision.status is not TaskStatus.READY or decision.reason == Reason.PAUSED:
        return None
    return replace(task, reason=decision.reason, next_purpose=decision.purpose or "")


def reviews_are_full(tx: Tx, project: ProjectRow) -> bool:
    """Whether so many changes wait for a person's review that nothing new is to start."""
    limit = settings_of(project.settings).review.limit
    return bool(limit) and tasks.waiting_for_review(tx, project.id) >= limit


def has_room(tx: Tx, mission_id: str) -> bool:
    """Whether the mission may have one more run at once."""
    mission = missions.get(tx, mission_id)
    most = at_once(tx, mission) if mission else 0
    if not mission or not most or missions.live_runs(tx, mission_id) < most:
        return True
    mine = [one for one in runs.live_scopes(tx, mission.project) if one.mission == mission_id]
    return sum(not is_waiting_unit(tx, one) for one in mine) < most


def at_once(tx: Tx, mission: MissionRow) -> int:
    """A person's limit, else that of the plan in force; 0: none, as with a tree of units."""
    if mission.parallelism or mission.root:
        return mission.parallelism
    plan = plans.in_force(tx, mission.id)
    return max(1, plan.parallelism) if plan else 0


def base_may_start(tx: Tx, target: TargetRow) -> bool:
    if target.stopped or not target.tip or subject_facts.following(tx, target):
        return (
            False  # until the tip followed the branch, work would begin on what a person removed or changed
        )
    if target.unit or target.tip_tree == target.trusted_tree:
        return True
    gate = gates.get(tx, target.tip_gate) if target.tip_gate else None
    return gate is not None and gate.verdict in MAY_LAND
