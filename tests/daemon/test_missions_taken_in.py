"""A spec-kit folder taken in: its tasks as it says, without a model, ticked in its own file at the end."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from mission_shop import MissionShop
from test_missions import land

from toryo.domain.words import CheckResult
from toryo.protocol.asks import AskAnswer
from toryo.protocol.kinds.files import Written
from toryo.protocol.kinds.gate import Checked
from toryo.protocol.kinds.landing import Accepted, Published
from toryo.protocol.wire import ToolFailed
from toryo.settings import Home

SPEC = "# Feature Specification: Parcels\n"
TASKS = """# Tasks: Parcels

## Phase 1: Setup

- [x] T001 Begin
- [ ] T002 Go on in src/a.py

## Phase 2: User Story 1 - See it

- [ ] T003 [US1] Show it

## Phase 3: User Story 2 - Send it

- [ ] T004 [US2] Send it
"""
FILES = {"spec.md": SPEC, "tasks.md": TASKS}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[MissionShop]:
    opened = MissionShop(Home(tmp_path / "home"), tmp_path)
    opened.setting(dod={"checks": [{"type": "test", "command": "true"}]})
    try:
        yield opened
    finally:
        opened.close()


def take_in(
    shop: MissionShop,
    files: dict[str, str],
    uncommitted: tuple[str, ...] = (),
    *,
    whole: bool = False,
    **wish: Any,
) -> Any:
    """Its id, or the whole answer."""
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(
            shop.daemon.person, "start_mission", project=shop.project, taken_from="specs/001-x", **wish
        )
        ask = shop.hands.ask("folder")
        assert (ask["read"]["folder"], ask["read"]["branch"]) == ("specs/001-x", "main")
        body = {"files": files, "uncommitted": list(uncommitted)}
        shop.hands.answer(ask, AskAnswer(ended=True, body=body))
        begun = asked.result(20)
        return begun if whole else begun["mission"]


def test_its_graph_is_the_files_and_no_model_is_needed(shop: MissionShop) -> None:
    mission = take_in(shop, FILES)
    now = shop.mission(mission)
    assert (now["status"], now["reason"], now["title"]) == ("awaiting_approval", "plan_ready", "Parcels")
    assert now["spec"] == "specs/001-x/"
    listed = {one["id"]: one for one in now["plan"]["tasks"]}
    assert {id: one["status"] for id, one in listed.items()} == {
        "T001": "done",
        "T002": None,
        "T003": None,
        "T004": None,
    }
    assert (listed["T003"]["depends_on"], listed["T004"]["depends_on"]) == (["T002"], ["T002"])
    assert now["parallelism"] == 2, "its stories run side by side"
    shop.daemon.person("approve_mission", mission=mission)
    made = shop.mission_tasks(mission)
    assert made["T001"] is None, "ticked: not done again"
    assert {id: shop.state(task) for id, task in made.items() if task} == {
        "T002": "ready",
        "T003": "blocked dependency",
        "T004": "blocked dependency",
    }
    task = shop.task(made["T002"])
    assert (task["agent"], task["write"], task["checks"]) == ("dev", None, [])


def test_done_its_own_file_is_ticked_and_nothing_else_of_it_is_written(shop: MissionShop) -> None:
    short = TASKS.partition("## Phase 2")[0]
    mission = take_in(shop, {**FILES, "tasks.md": short})
    shop.daemon.person("approve_mission", mission=mission)
    land(shop)
    order = shop.hands.order("write")
    (file,) = order["inputs"]["files"]
    assert file["path"] == "specs/001-x/tasks.md"
    text = shop.daemon.by(shop.hands.key, "fetch_blob", hash=file["blob"])["text"]
    assert text == short.replace("- [ ] T002", "- [x] T002")
    shop.hands.report(order, "written", Written(commit="8" * 40, tree="8" * 40))
    shop.hands.build("8" * 40)
    passed = Checked(result=CheckResult.PASSED, exit_code=0)
    shop.hands.report(shop.hands.order("check"), "checked", passed)
    shop.hands.report(shop.hands.order("accept"), "accepted", Accepted(moved=True, tip="8" * 40))
    shop.hands.report(shop.hands.order("publish"), "published", Published(published=True, commit="8" * 40))
    assert shop.standing(mission) == "completed"


@pytest.mark.parametrize("name", ["spec.md", "tasks.md"])
def test_open_points_are_asked_and_their_answers_need_no_new_plan(shop: MissionShop, name: str) -> None:
    ticked = "- [x] T000 Buy [NEEDS CLARIFICATION: what?]\n"
    files = {**FILES, "tasks.md": TASKS.replace("- [x] T001", f"{ticked}- [x] T001")}
    files[name] = files[name].replace(
        ": Parcels\n", ": Parcels\n\n- [ ] T005 In [NEEDS CLARIFICATION: which colour?]\n"
    )
    mission = take_in(shop, files)
    (question,) = shop.mission(mission)["questions"]
    shop.daemon.person("answer_mission", mission=mission, answers={question["id"]: "red"})
    assert shop.standing(mission) == "awaiting_approval plan_ready"


@pytest.mark.parametrize(
    ("files", "uncommitted", "says"),
    [
        (FILES, ("tasks.md",), "tasks.md of specs/001-x has changes that are not committed."),
        ({"spec.md": SPEC}, (), "specs/001-x on main has no tasks.md."),
        ({}, (), "specs/001-x on main has no spec.md and no tasks.md."),
        ({**FILES, "tasks.md": "- [x] T001 a\n"}, (), "every line of specs/001-x/tasks.md is ticked"),
        ({**FILES, "tasks.md": "none\n"}, (), "no line of specs/001-x/tasks.md is a task"),
    ],
)
def test_what_the_branch_does_not_hold_is_refused(
    shop: MissionShop, files: dict[str, str], uncommitted: tuple[str, ...], says: str
) -> None:
    with pytest.raises(ToolFailed) as refused:
        take_in(shop, files, uncommitted)
    assert says in refused.value.body["error"]
    if "ticked" not in says and "is a task" not in says:
        assert "git add specs/001-x && git commit" in refused.value.body["hint"]
    assert shop.daemon.person("list_missions")["missions"] == []


def test_a_way_out_of_the_repository_is_no_folder(shop: MissionShop) -> None:
    wish = {"project": shop.project, "taken_from": "../elsewhere"}
    refused = shop.daemon.refused(shop.daemon.operator, "start_mission", **wish)
    assert "below the root" in refused["error"]
