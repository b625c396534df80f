"""Plans of missions, numbered: of a version only its faults, and what became of it, ever change."""

from __future__ import annotations

from typing import Any

from sqlalchemy import bindparam, select

from toryo.store.database.engine import Tx
from toryo.store.database.mission_rows import PlanRow
from toryo.store.database.mission_schema import plans
from toryo.store.database.statements import add, change, every, first

_OF_MISSION = select(plans).where(plans.c.mission == bindparam("it")).order_by(plans.c.version)
_NEWEST = select(plans).where(plans.c.mission == bindparam("it")).order_by(plans.c.version.desc()).limit(1)

_IN_FORCE = (
    select(plans)
    .where(plans.c.mission == bindparam("it"), plans.c.made_at.is_not(None))
    .order_by(plans.c.version.desc())
    .limit(1)
)


def insert(tx: Tx, row: PlanRow) -> None:
    add(tx, plans, row)


def of_mission(tx: Tx, mission: str) -> list[PlanRow]:
    """Every version, the first one first."""
    return every(tx, PlanRow, _OF_MISSION, it=mission)


def newest(tx: Tx, mission: str) -> PlanRow | None:
    return first(tx, PlanRow, _NEWEST, it=mission)


def in_force(tx: Tx, mission: str) -> PlanRow | None:
    """The version whose tasks were made last."""
    return first(tx, PlanRow, _IN_FORCE, it=mission)


def update(tx: Tx, mission: str, version: int, **columns: Any) -> None:
    change(tx, plans, {"mission": mission, "version": version}, columns)
