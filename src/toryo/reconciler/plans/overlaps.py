"""Overlaps inside a plan: tasks that may write the same file run one after the other. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from toryo.domain.planned_tasks import PlannedTask
from toryo.domain.scopes import may_overlap
from toryo.reconciler.plans.facts import Edge, Note, NoteCode, PlanFacts


def overlap_edges(plan: PlanFacts, order: Sequence[str]) -> tuple[tuple[Edge, ...], tuple[Note, ...]]:
    """Edges all lead back along one order of the plan's own graph, so they close no cycle; none says what
    follows from others. Without an order there is a cycle to mend first."""
    unfinished = {task.id: task for task in plan.unfinished}
    order = [id for id in order if id in unfinished]
    behind: dict[str, set[str]] = {}
    edges: list[Edge] = []
    notes: list[Note] = []
    for place, id in enumerate(order):
        task = unfinished[id]
        behind[id] = set()
        for need in task.depends_on:
            behind[id] |= {need} | behind.get(need, set())
        for other in reversed(order[:place]):  # the nearest first: what it waits for is then behind it
            if other in behind[id] or not may_overlap(unfinished[other].write, task.write):
                continue
            edges.append(Edge(id, other))
            notes.append(Note(NoteCode.OVERLAP, (other, id), shared_paths(unfinished[other], task)))
            behind[id] |= {other} | behind[other]
    return tuple(edges), tuple(notes)


def shared_paths(one: PlannedTask, other: PlannedTask) -> tuple[str, ...]:
    """Of the second task's patterns those that may name a file of the first one's."""
    return tuple(path for path in other.write or () if may_overlap(one.write, (path,)))
