"""`toryo why` of a mission: its status, the rows it stands on, and what it waits for."""

from __future__ import annotations

from typing import Any

from toryo.domain.reasons import Reason, Turn, meaning, parse
from toryo.domain.words import MISSION_ENDED, TaskStatus
from toryo.engine.actions import shown
from toryo.engine.missions.attention import sentence
from toryo.reconciler.missions.actions import mission_actions
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.tables import missions, orders, plans
from toryo.usecases.why.facts import Moment, aged
from toryo.usecases.why.standing import in_front_of

OVER = (TaskStatus.DONE, TaskStatus.CANCELLED)


def of_mission(tx: Tx, row: MissionRow) -> dict[str, Any]:
    links = [
        {"subject": f"order:{order.id}", "status": order.state, "reason": order.kind}
        for order in orders.pending_of_mission(tx, row.id)
    ]
    links += [
        {"subject": f"task:{task.id}", "status": task.status, "reason": task.reason}
        for task in missions.tasks_of(tx, row.id)
        if task.status not in OVER
    ]
    if parse(row.reason)[0] is Reason.OTHER_MISSIONS:
        links += in_front_of(tx, row)
    ended = row.status in MISSION_ENDED
    return {
        "subject": {"kind": "mission", "id": row.id, "title": row.title},
        "status": row.status,
        "reason": row.reason,
        "sentence": f"{row.status}: {sentence(row)}" if row.reason else row.status,
        "facts": aged(tx, _facts(tx, row)),
        "waits_for": [] if ended else links,
        "turn": Turn.NOBODY if ended else meaning(row.reason).turn or Turn.TORYO,
        "actions": [shown(one) for one in mission_actions(row.id, row.status, row.reason)],
        "dead": False,
        "dead_at": None,
    }


def _facts(tx: Tx, row: MissionRow) -> list[Moment]:
    name = f"mission:{row.id}"
    found: list[Moment] = [(row.created_at, "mission started", name)]
    for one in missions.questions_of(tx, row.id):
        if one.answered_at is not None:
            found.append((one.answered_at, f"{one.id} answered: {one.answer}"[:200], name))
    for plan in plans.of_mission(tx, row.id)[-2:]:
        about = f"version {plan.version} of its plan"
        found.append((plan.created_at, f"{about}: {len(plan.tasks)} tasks", name))
        if plan.rejected_at is not None:
            found.append((plan.rejected_at, f"{about} rejected: {plan.rejection}"[:200], name))
        if plan.approved_at is not None:
            found.append((plan.approved_at, f"{about} approved", name))
    for order in orders.pending_of_mission(tx, row.id):
        found.append((order.created_at, f"order {order.kind}: {order.state}", f"order:{order.id}"))
    return found
