"""Replies to what a person said to a mission: what was kept, or who was first."""

from __future__ import annotations

from toryo.protocol.views import missions as views
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MissionRow
from toryo.store.tables import missions


def reply(tx: Tx, row: MissionRow, said: str, *, already: bool = False, by: str = "") -> views.SaidToMission:
    now = missions.get(tx, row.id) or row
    return {
        "success": True,
        "mission": row.id,
        "said": said,
        "status": now.status,
        "reason": now.reason,
        "already": already,
        "by": by,
    }
