"""Impact of a new demand on a mission under way: which tasks it stops, and whether it is planned anew."""

from __future__ import annotations

from toryo.domain import subjects
from toryo.domain.words import Speaker
from toryo.engine.missions.conversation import say
from toryo.protocol.kinds.planner import ImpactAnswer
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.tables import missions


def apply_impact(tx: Tx, row: MissionRow, answer: ImpactAnswer) -> None:
    """Affected tasks stop now; what becomes of them stands in the next version, which a person approves."""
    known = {one.planned: one for one in missions.planned_of(tx, row.id) if not one.landed_commit}
    affected = [id for id in answer.affected if id in known]
    named = ", ".join(affected) or "no task that is under way"
    say(tx, row.id, Speaker.PLANNER, f"That affects {named}. {answer.note}".strip())
    replan = answer.replan or bool(affected) or bool((row.demand or {}).get("replan"))
    weighed = {**(row.demand or {}), "weighed": True, "replan": replan, "affected": affected}
    missions.update(tx, row.id, demand=weighed)
    for id in affected:
        tx.mark(subjects.task(known[id].id))
    told = {"mission": row.id, "affected": affected, "replan": replan}
    tx.emit("mission_impact", told, project=row.project, subject=subjects.mission(row.id))
