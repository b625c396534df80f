"""Conversation of a mission: one line more, by a person, the planner or Toryo itself."""

from __future__ import annotations

from toryo.domain.ids import MissionId
from toryo.domain.words import Speaker
from toryo.engine.ids import new_id
from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import MessageRow
from toryo.store.tables import missions

LONGEST = 50_000


def say(tx: Tx, mission: str, who: Speaker, text: str) -> None:
    row = MessageRow(id=new_id("m"), mission=MissionId(mission), who=who, text=text[:LONGEST], at=tx.now)
    missions.say(tx, row)
