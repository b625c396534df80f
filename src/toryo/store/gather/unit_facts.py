"""Facts of a unit for its task's decision: its children, what its runs were told of them, pauses above it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from toryo.domain.reasons import Reason
from toryo.domain.words import Style, TaskStatus, Verb, is_at_rest
from toryo.reconciler.subjects import ChildFacts, UnitFacts
from toryo.store.database.engine import Tx
from toryo.store.database.rows import RunRow, TaskRow
from toryo.store.database.unit_rows import BreakdownRow
from toryo.store.tables import agents, missions, runs, tasks, verbs
from toryo.store.tables.units import unit_messages, units

PAUSES = (Verb.PAUSE, Verb.PAUSE_NOW, Verb.RESUME)


def gather(tx: Tx, row: TaskRow, pause: str) -> UnitFacts:
    """`pause`: what `pause_of` says of it."""
    spawned = {task: one.generation for one in breakdowns(tx, row) for task in one.spawned}
    children = _spawned_in(tx, row, spawned)
    return UnitFacts(
        children=tuple(
            ChildFacts(
                id=one.id,
                unit=one.unit,
                generation=spawned[one.id],
                landed=one.status == TaskStatus.DONE,
                at_rest=_rests(one),
            )
            for one in children
        ),
        covered=_is_covered(tx, row, children),
        pauses=bool(pause),
    )


def breakdowns(tx: Tx, row: TaskRow) -> list[BreakdownRow]:
    """Of the present attempt, the first one first: a person's retry begins without any."""
    found = units.breakdowns_of(tx, row.id)
    floor = max((one.generation for one in verbs.of_task(tx, row.id) if one.verb == Verb.RETRY), default=0)
    return [one for one in found if one.generation > floor] if floor else found


def children(tx: Tx, row: TaskRow) -> list[TaskRow]:
    """Those that the present attempt spawned, the oldest first."""
    return _spawned_in(tx, row, {task for one in breakdowns(tx, row) for task in one.spawned})


def newest_of_each(rows: Iterable[TaskRow]) -> list[TaskRow]:
    """A child that was spawned anew stands in the place of the one before it."""
    return list({one.planned: one for one in rows}.values())


def _spawned_in(tx: Tx, row: TaskRow, spawned: Collection[str]) -> list[TaskRow]:
    return [one for one in tasks.children_of(tx, row.id) if one.id in spawned] if spawned else []


def name_of(tx: Tx, task: str) -> str:
    row = tasks.get(tx, task)
    return row.unit if row else task


def _rests(row: TaskRow) -> bool:
    return is_at_rest(TaskStatus(row.status), row.reason)


def states(children: list[TaskRow]) -> list[str]:
    """Which children there are and what landed of each: another list is news to their parent. How one ended
    that did not land is none: it is cancelled when its parent ends."""
    return sorted(f"{one.id} {one.landed_commit}" for one in children)


def _is_covered(tx: Tx, row: TaskRow, children: list[TaskRow]) -> bool:
    if not children or not all(_rests(one) for one in children):
        return False
    past = runs.of_task(tx, row.id)
    now = states(children)
    if any(run.told.get("children") == now for run in past):
        return True
    return bool(past) and _heard_all(tx, past[-1], children)


def _heard_all(tx: Tx, run: RunRow, children: list[TaskRow]) -> bool:
    """A parent on a screen is typed to while it waits: it had seen every line about them when it ended."""
    agent = agents.get(tx, run.agent, run.project)
    if agent is None or agent.style != Style.INTERACTIVE or run.ended_at is None:
        return False
    if any(one.changed_at > run.ended_at for one in children):
        return False
    mine = {one.id for one in children}
    return not any(one.task in mine for one in unit_messages.waiting(tx, run.task))


def paused_at(tx: Tx, row: TaskRow) -> TaskRow | None:
    """The uppermost unit that a person paused, of it and those above it: whose resume frees it. A root that
    is paused is its mission's pause, and of that the mission says it."""
    found, unit = None, row if row.unit else None
    while unit is not None:
        found = unit if _pause(tx, unit) else found
        unit = tasks.get(tx, unit.parent) if unit.parent else None
    mission = missions.get(tx, row.mission) if found else None
    if mission is not None and mission.root and mission.hold == Reason.PAUSED:
        return tasks.get(tx, mission.root)
    return found


def pause_of(tx: Tx, row: TaskRow) -> str:
    """A person's word about it or a unit above it: `pause`, `pause_now`, or nothing."""
    unit: TaskRow | None = row
    while unit is not None:
        if said := _pause(tx, unit):
            return said
        unit = tasks.get(tx, unit.parent) if unit.parent else None
    return ""


def _pause(tx: Tx, unit: TaskRow) -> str:
    said = [one.verb for one in verbs.of_task(tx, unit.id) if one.verb in PAUSES and one.note == WHOLE]
    return said[-1] if said and said[-1] != Verb.RESUME else ""


WHOLE = "subtree"
"""Note of a person's pause or resume of a unit; a run that its mission stopped has the same verb."""
