"""Rules for a plan's graph: what a planner has to mend before anybody is asked to approve it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from toryo.domain.dependency_graphs import cycle, in_order
from toryo.domain.planned_tasks import PLAN_ID, PlannedTask, Worktree
from toryo.domain.scopes import problem_of
from toryo.reconciler.plans.facts import Fault, FaultCode, PlanFacts, PlanJudgement
from toryo.reconciler.plans.notes import notes_of
from toryo.reconciler.plans.overlaps import overlap_edges

MOST_MENDS = 2
"""Times a planner may mend a faulty plan; then a person sees it as it is."""


def judge_plan(plan: PlanFacts) -> PlanJudgement:
    faults = (*_whole(plan), *(fault for task in plan.unfinished for fault in _of_task(task, plan)))
    order = in_order(plan.graph)
    edges, overlaps = overlap_edges(plan, order)
    return PlanJudgement(faults, (*notes_of(plan), *overlaps), edges, order)


def unchecked_tasks(tasks: Iterable[PlannedTask], *, has_checks: bool) -> tuple[str, ...]:
    """Ids of those that no command checks. `has_checks`: the project has some for every task."""
    return () if has_checks else tuple(task.id for task in tasks if not any(map(str.strip, task.checks)))


def shared_predecessor(task: PlannedTask, plan: PlanFacts) -> str:
    """The task whose agent goes on with this one, the only one of that agent that it needs; else empty.

    A unit is none: its work is its children's."""
    mine = task.agent or plan.default_agent
    able = (one for one in plan.tasks if not (one.done or one.unit))
    alike = {one.id for one in able if (one.agent or plan.default_agent) == mine}
    usable = [need for need in dict.fromkeys(task.depends_on) if need in alike]
    return usable[0] if len(usable) == 1 else ""


def _whole(plan: PlanFacts) -> Iterator[Fault]:
    if not plan.tasks:
        yield Fault(FaultCode.EMPTY)
    twice = [id for id, times in Counter(task.id for task in plan.tasks).items() if times > 1]
    if twice:
        yield Fault(FaultCode.DUPLICATE_ID, tuple(twice))
    ring = cycle(plan.graph)
    if ring:
        yield Fault(FaultCode.CYCLE, ring)
    if unchecked := unchecked_tasks(plan.unfinished, has_checks=plan.has_checks):
        yield Fault(FaultCode.NO_CHECK, unchecked)


def _of_task(task: PlannedTask, plan: PlanFacts) -> Iterator[Fault]:
    mine = (task.id,)
    if not PLAN_ID.fullmatch(task.id):
        yield Fault(FaultCode.BAD_ID, mine)
    if not task.title.strip():
        yield Fault(FaultCode.NO_TITLE, mine)
    known = {one.id for one in plan.tasks} | plan.landed
    unknown = tuple(need for need in dict.fromkeys(task.depends_on) if need not in known)
    if unknown:
        yield Fault(FaultCode.UNKNOWN_DEPENDENCY, mine, unknown)
    if task.agent and task.agent not in plan.agents:
        yield Fault(FaultCode.UNKNOWN_AGENT, mine, (task.agent,))
    if task.write == ():
        yield Fault(FaultCode.WRITES_NOTHING, mine)
    bad = tuple(path for path in task.write or () if problem_of(path))
    if bad:
        yield Fault(FaultCode.BAD_PATH, mine, bad)
    if task.worktree is Worktree.SHARED and task.unit:
        yield Fault(FaultCode.SHARED_UNIT, mine)
    elif task.worktree is Worktree.SHARED and not shared_predecessor(task, plan):
        yield Fault(FaultCode.SHARED_WORKTREE, mine)
