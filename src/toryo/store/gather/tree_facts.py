"""Facts of a tree of units for its mission's decision."""

from __future__ import annotations

from toryo.domain.ids import MissionId
from toryo.domain.reasons import Reason
from toryo.domain.words import TaskStatus, Verb
from toryo.reconciler.unit_trees import TreeFacts
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.gather import mission_facts
from toryo.store.tables import missions, plans, tasks, verbs


def gather(tx: Tx, row: MissionRow, *, budget_reached: str) -> TreeFacts:
    root = tasks.get(tx, row.root)
    said = verbs.of_mission(tx, row.id)
    last = next((one for one in reversed(said) if one.verb in mission_facts.PAUSES), None)
    paused = last.verb if last else ""
    stopped = mission_facts.stopped_why(said)
    plan = plans.newest(tx, row.id)
    return TreeFacts(
        root=TaskStatus(root.status) if root else TaskStatus.CANCELLED,
        root_reason=root.reason if root else "",
        root_detail=root.detail if root else "",
        live_runs=missions.live_runs(tx, row.id),
        unclean=mission_facts.unclean(tx, row.id),
        cancelled=any(one.verb == Verb.CANCEL for one in said),
        paused=paused == Verb.PAUSE and not stopped,
        paused_now=paused == Verb.PAUSE_NOW,
        budget_reached=budget_reached,
        stopped=stopped,
        unapproved=plan is not None and plan.approved_at is None and plan.rejected_at is None,
    )


def went_on_at(tx: Tx, mission: MissionId) -> float:
    """When a person last let the tree go on that was stopped for turning in a circle; 0: never."""
    at, is_stopped = 0.0, False
    for one in verbs.of_mission(tx, mission):
        if one.reason == Reason.TREE_STOPPED and one.verb == Verb.PAUSE:
            is_stopped = True
        elif one.verb == Verb.RESUME and is_stopped:
            at, is_stopped = one.at, False
    return at
