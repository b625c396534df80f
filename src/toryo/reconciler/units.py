"""Units: a task that may have children waits for them, integrates what landed, and goes up. Pure.

A unit's own run never makes it done: its children are at rest by facts, and its branch lands like any task's.
"""

from __future__ import annotations

from dataclasses import dataclass

from toryo.domain.reasons import Reason
from toryo.domain.words import Purpose, TaskStatus
from toryo.reconciler.attempts import Attempt
from toryo.reconciler.decisions import TaskDecision
from toryo.reconciler.dispatch import again
from toryo.reconciler.subjects import Policy, RunFacts, TaskFacts, UnitFacts

OWN_PURPOSES = (Purpose.DECOMPOSE, Purpose.INTEGRATE)
"""Runs in which a unit does its own part; fix and resolve runs only mend it."""


@dataclass(frozen=True)
class SpawnLimits:
    depth: int = 4
    """The root's is 1."""
    children: int = 8
    total: int = 50
    fruitless: int = 25
    """Units of a tree none of which has landed."""


@dataclass(frozen=True)
class SpawnFacts:
    """A unit that wants children, and its tree."""

    depth: int
    living: int
    """Its children that did not fail and were not cancelled."""
    total: int
    """Units of the tree that ever were."""
    landed: int
    """Units of the tree that have landed."""
    same: int
    """How often this very breakdown was spawned before, by this unit, since a person let the tree go on."""
    fresh: int | None = None
    """Units of the tree since then; None: it was never stopped."""


SAME_BREAKDOWNS = 3


def refused(facts: SpawnFacts, new: int, limits: SpawnLimits) -> str:
    """Why the children may not be made; empty: they may."""
    if facts.depth >= limits.depth:
        return f"a unit of depth {facts.depth} has no children (units.depth is {limits.depth}): implement it"
    if facts.living + new > limits.children:
        return f"{facts.living + new} children are more than units.children allows ({limits.children})"
    if facts.total + new > limits.total:
        return f"{facts.total + new} units are more than units.total allows ({limits.total})"
    return ""


def stopped(facts: SpawnFacts, new: int, limits: SpawnLimits) -> str:
    """Why the whole tree stops: it turns in a circle, and only a person can tell what is wrong."""
    if facts.same + 1 >= SAME_BREAKDOWNS:
        return f"the same breakdown was spawned {facts.same + 1} times"
    number = (facts.total if facts.fresh is None else facts.fresh) + new
    if not facts.landed and number > limits.fruitless:
        return f"{number} units were spawned and none has landed"
    return ""


def children_of(unit: UnitFacts, attempt: Attempt) -> UnitFacts:
    """Those that this attempt spawned: a retry begins without any."""
    first = attempt.runs[0].generation if attempt.runs else 1
    mine = tuple(one for one in unit.children if one.generation >= first)
    return UnitFacts(children=mine, covered=unit.covered, pauses=unit.pauses)


def before_judging(
    task: TaskFacts, attempt: Attempt, run: RunFacts, failure: TaskDecision | None, policy: Policy
) -> TaskDecision | None:
    """What a unit with children waits for; None: its run is judged like any other's."""
    if task.unit is None:
        return failure
    unit = children_of(task.unit, attempt)
    if not unit.children or run.stopped:
        return failure
    moving = [one for one in unit.children if not one.at_rest]
    if moving:
        return _waiting(unit)
    if not unit.covered:
        return again(task, attempt, Purpose.INTEGRATE, Reason.CHILDREN_AT_REST, policy)
    if failure and run.purpose in OWN_PURPOSES and _failed_integrates(attempt) <= 1:
        return again(task, attempt, Purpose.INTEGRATE, Reason.INTEGRATE_FAILED, policy, failure.detail)
    return failure


def brought_nothing(task: TaskFacts, attempt: Attempt) -> TaskDecision | None:
    """Of a run that succeeded without a commit of its own; None: that is fine, its children's work lands."""
    unit = children_of(task.unit, attempt) if task.unit else UnitFacts()
    if not unit.children:
        detail = "it neither spawned a child nor committed anything"
        return TaskDecision(TaskStatus.NEEDS_REVIEW, Reason.NOT_SPLIT, detail)
    if any(one.landed for one in unit.children):
        return None
    names = ", ".join(one.unit for one in unit.children[:5])
    return TaskDecision(TaskStatus.FAILED, Reason.CHILDREN_FAILED, f"none of its children landed: {names}")


def has_landed_children(task: TaskFacts, attempt: Attempt) -> bool:
    return task.unit is not None and any(one.landed for one in children_of(task.unit, attempt).children)


def _waiting(unit: UnitFacts) -> TaskDecision:
    landed = sum(one.landed for one in unit.children)
    moving = ", ".join(one.unit for one in unit.children if not one.at_rest)
    detail = f"{landed} of {len(unit.children)} landed; waits for {moving}"
    return TaskDecision(TaskStatus.BLOCKED, Reason.WAITING_FOR_CHILDREN, detail)


def _failed_integrates(attempt: Attempt) -> int:
    return sum(run.purpose is Purpose.INTEGRATE and _has_failed(run) for run in attempt.runs)


def _has_failed(run: RunFacts) -> bool:
    odd = run.timed_out or run.could_not_start or run.signal or run.problem
    return bool(odd) or run.exit_code not in (0, None)
