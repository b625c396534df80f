"""Standing of a task that waits for no other one: whose turn it is, what they may do, what it waits for.

Of a ready task the claim's own facts decide, of one that its mission holds back that mission.
"""

from __future__ import annotations

from dataclasses import dataclass

from toryo.domain.actions import Action
from toryo.domain.reasons import About, Reason, Turn, meaning, parse, turn
from toryo.domain.words import TaskStatus
from toryo.engine import attention
from toryo.engine.context import HeadContext
from toryo.reconciler.missions.actions import mission_actions
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.database.rows import TaskRow
from toryo.store.gather import mission_facts
from toryo.store.gather.task_chains import Link, link
from toryo.store.tables import missions, projects, tasks
from toryo.usecases.tasks import waits_for


@dataclass(frozen=True)
class Standing:
    turn: Turn
    actions: tuple[Action, ...] = ()
    links: tuple[Link, ...] = ()
    what: str = ""
    """Of a ready task: what it waits for, in words."""


def of_task(context: HeadContext, tx: Tx, row: TaskRow) -> Standing:
    ready = waits_for.found_of(context, tx, row)
    if ready is not None:
        return Standing(ready.turn, ready.actions, _links_of_ready(tx, row, ready), ready.what)
    mission = missions.get(tx, row.mission) if row.mission else None
    if mission and row.status == TaskStatus.BLOCKED and meaning(row.reason).about is About.MISSION:
        return _of_mission(tx, row, mission)
    found = attention.actions_of(tx, row)
    whose = Turn.NOBODY if attention.is_dead_root(tx, row) else turn(TaskStatus(row.status), row.reason)
    return Standing(whose, found, _links(tx, row))


def _links_of_ready(tx: Tx, row: TaskRow, ready: waits_for.WaitsFor) -> tuple[Link, ...]:
    found = [link(one) for name in ready.tasks if (one := tasks.get(tx, name))]
    for name in ready.subjects:
        kind, _, id = name.partition(":")
        mission = missions.get(tx, id) if kind == "mission" else None
        task = tasks.get(tx, id) if kind == "task" else None
        if mission is not None:
            found.append(of_mission(mission))
        elif task is not None:
            found.append(link(task))
        elif kind == "account":
            found.append({"subject": name, "status": "parked", "reason": ready.what})
        elif kind == "target" and (target := projects.target(tx, row.project, id)) is not None:
            stands = "stopped" if target.stopped else "moving"
            found.append({"subject": name, "status": stands, "reason": target.stopped})
    return tuple(found)


def of_mission(row: MissionRow) -> Link:
    return {"subject": f"mission:{row.id}", "status": row.status, "reason": row.reason}


def in_front_of(tx: Tx, row: MissionRow) -> tuple[Link, ...]:
    """Missions that a queued one waits for."""
    holders, ahead = mission_facts.in_front_of(tx, row)
    return tuple(of_mission(one) for one in (*holders, *ahead))


def _of_mission(tx: Tx, row: TaskRow, mission: MissionRow) -> Standing:
    """It is held back by its mission, or by those that go before that one."""
    if parse(row.reason)[0] is Reason.OTHER_MISSIONS and (others := in_front_of(tx, mission)):
        return Standing(Turn.TORYO, links=others)
    whose = meaning(mission.reason).turn or Turn.TORYO
    offered = mission_actions(mission.id, mission.status, mission.reason) if whose is Turn.PERSON else ()
    return Standing(whose, offered, (of_mission(mission),))


def _links(tx: Tx, row: TaskRow) -> tuple[Link, ...]:
    """A target that stands still holds up everything for it; a unit's is the worktree of its parent."""
    target = projects.target(tx, row.project, row.target)
    is_held = meaning(row.reason).about is About.TARGET
    if target is None or not (target.stopped or is_held):
        return ()
    if parse(row.reason)[0] is Reason.WAITING_FOR_PARENT and (parent := tasks.get(tx, target.unit)):
        return (link(parent),)
    stands = "stopped" if target.stopped else "moving"
    return ({"subject": f"target:{target.name}", "status": stands, "reason": target.stopped or row.reason},)
