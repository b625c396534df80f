"""Files of a mission that could not be landed: a person has them tried again, or gives the mission up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mission_shop import PlannerHands
from test_landings_of_files import changed, landings_of
from whole_daemon import FIRST, Shop

from toryo.domain.words import FilesPurpose
from toryo.engine.subjects.files import land_files
from toryo.protocol.base import Problem
from toryo.protocol.kinds.files import Written
from toryo.settings import Home
from toryo.store.database.mission_rows import MissionRow
from toryo.store.tables import missions


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(Home(tmp_path / "home"), tmp_path)
    yield made
    made.daemon.close()


@pytest.fixture
def mission(house: Shop) -> MissionRow:
    """Its files stand against something, and all else is over."""
    PlannerHands(house)
    facts: dict[str, Any] = {"target": "main", "text": "do it", "spec_dir": "specs/SPEC-1", "size": "normal"}
    row = MissionRow(
        id="n1", project=house.project, status="active", created_at=1, changed_at=1, approved_at=1, **facts
    )

    def begin(tx: Any) -> None:
        missions.insert(tx, row)
        land_files(tx, row, FilesPurpose.SPEC, 1, [("specs/SPEC-1/spec.md", "x")], "docs: the spec")

    changed(house, begin)
    house.daemon.settle()
    problem = Problem(code="path_taken", message="specs is a file")
    house.hands.report(house.hands.order("write"), "written", Written(problem=problem))
    assert [one.ended for one in landings_of(house, row)] == ["problem"]
    return row


def test_resume_has_them_written_once_more_on_the_tip_of_now(house: Shop, mission: MissionRow) -> None:
    assert not house.daemon.person("resume_mission", mission=mission.id).get("already")
    inputs = house.hands.order("write")["inputs"]
    (again,) = landings_of(house, mission)
    assert (inputs["base"], inputs["landing"], again.ended) == (FIRST, again.id, "")


def test_a_cancelled_mission_lands_nothing_that_is_still_on_its_way(house: Shop, mission: MissionRow) -> None:
    house.daemon.person("resume_mission", mission=mission.id)
    house.daemon.person("cancel_mission", mission=mission.id)
    assert [one.ended for one in landings_of(house, mission)] == ["withdrawn"]
    kinds = {one["kind"] for one in house.hands.speak("next_orders", wait_s=0)["orders"]}
    assert kinds <= {"scan"}
