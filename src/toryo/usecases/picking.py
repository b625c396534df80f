"""Which task an agent may start now in a project, and what it waits for otherwise.

`should_start` asks, `claim_run` asks again inside its transaction: one rule for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from toryo.domain.scopes import may_overlap
from toryo.domain.words import MAY_LAND, TaskStatus
from toryo.reconciler.decide import decide_task
from toryo.reconciler.subjects import Policy
from toryo.store import agents, gates, gather, marks, projects, ready, runs, tokens
from toryo.store.engine import Tx
from toryo.store.rows import AgentRow, ProjectRow, TargetRow, TaskRow
from toryo.usecases import parking
from toryo.usecases.scoping import from_json, scope_of

Writes = tuple[str, ...] | None
"""What a run may write; None: everything."""
PAGE = 50
PAGES = 4
"""At most 200 tasks are tried against the write scopes of live runs before giving up for this time."""


OUTSIDE = "outside"
"""The client of an agent that comes by itself: no coordinator starts it."""


@dataclass(frozen=True)
class Pick:
    project: ProjectRow | None = None
    agent: AgentRow | None = None
    task: TaskRow | None = None
    target: TargetRow | None = None
    """Where the task will land."""
    waiting_for: str = ""
    is_last: bool = False
    """No other task of the pair is ready."""


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
    live = runs.live_scopes(tx, project_id)
    sessions = [
        token
        for token in tokens.active_of_pair(tx, agent_id, project_id, tx.now)
        if not token.run and token.hash != session
    ]
    mine = sum(whose == agent_id for whose, _ in live)
    if mine + len(sessions) >= agent.slots:
        return Pick(project, agent, waiting_for="slots" if mine >= agent.slots else "a session of its agent")
    return _first_free(tx, agent, project, [from_json(scope).write for _, scope in live], first)


def _first_free(
    tx: Tx, agent: AgentRow, project: ProjectRow, busy: Sequence[Writes], page: list[TaskRow]
) -> Pick:
    """`page` is a short one: as a rule its first task may start, and a whole one would cost 1 ms."""
    waiting, is_last = "", len(page) == 1
    targets: dict[str, TargetRow | None] = {}
    for most in (2, *(PAGE,) * PAGES):
        for task in page:
            if task.target not in targets:
                target = projects.target(tx, project.id, task.target)
                targets[task.target] = target if target and base_may_start(tx, target) else None
            if targets[task.target] is None:
                waiting = waiting or "base"
                continue
            mine = scope_of(project, agent, task).write
            if any(may_overlap(mine, other) for other in busy):
                waiting = "overlapping write scope"
                continue
            fresh = _still_ready(tx, task)
            if fresh:
                return Pick(project, agent, fresh, targets[task.target], is_last=is_last)
        if len(page) < most:
            break
        page = ready.next_ready(tx, project.id, agent.id, limit=PAGE, after=(page[-1].priority, page[-1].seq))
    return Pick(project, agent, waiting_for=waiting or "work")


def _still_ready(tx: Tx, task: TaskRow) -> TaskRow | None:
    """As a look would find it now: while a task is marked, its status may be behind its facts.

    Without this a second claim that comes before the drain would start the same task once more."""
    if not marks.is_marked(tx, f"task:{task.id}"):
        return task
    facts = gather.task(tx, task.id)
    decision = decide_task(facts, Policy()) if facts else None
    if decision is None or decision.status is not TaskStatus.READY:
        return None
    return replace(task, reason=decision.reason, next_purpose=decision.purpose or "")


def base_may_start(tx: Tx, target: TargetRow) -> bool:
    if target.stopped or not target.tip or gather.following(tx, target):
        return (
            False  # until the tip followed the branch, work would begin on what a person removed or changed
        )
    if target.tip_tree == target.trusted_tree:
        return True
    gate = gates.get(tx, target.tip_gate) if target.tip_gate else None
    return gate is not None and gate.verdict in MAY_LAND
