"""Missions after a finished one: continued where it says so or a person does, begun anew where not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from house import House
from mission_house import LATER, WORD, Missions, fresh, missions, part, plan, question, task

MakeHouse = Callable[..., House]
pytestmark = pytest.mark.long
FIRST = (
    part("question", question(size="normal"), when=WORD),
    part("plan", plan(task("B", word="{{later}}"), word="{{later}}"), when=LATER),
    part("plan", plan(task("A")), when=WORD),
    part("analyze", {"answer": {"findings": []}}),
)
FINISHED = r"- (?P<before>n[0-9a-z]{6,}): "


def finished(played: Missions, word: str) -> dict[str, Any]:
    played.let_go()
    mission = played.begin(f"Greet with {word}")
    played.approve(mission)
    played.completes(mission)
    return played.shown(mission)


def test_the_model_says_that_it_continues_a_finished_mission_and_its_spec_is_written_on(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    word, later = fresh(), fresh("sora")
    going_on = {"title": "{{later}}", "size": "normal", "questions": [], "continues": "{{before}}"}
    script = ({**part("question", {"answer": going_on}), "when": [LATER, FINISHED]}, *FIRST)
    with missions(make_house(init=False), tmp_path, *script) as played:
        before = finished(played, word)
        mission = played.begin(f"And now say {later}")
        shown = played.stands(mission, "awaiting_approval plan_ready")
        assert shown["spec"] == before["spec"]
        assert word in played.answered("question")[-1], "the finished ones are listed"
        assert word in played.answered("plan")[-1], "it is planned on from the spec that is there"
        played.house.ok("mission", "approve", mission)
        played.completes(mission)
        assert later in played.house.text_on(f"{before['spec'].rstrip('/')}/spec.md", "side")
        played.came_back(later, "question", "plan")


def test_a_person_has_it_go_on_from_a_finished_one_or_begin_anew(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    word, later, other = fresh(), fresh("sora"), fresh("sora")
    fresh_one = {"answer": {"title": "{{later}}", "size": "normal", "questions": []}}
    with missions(
        make_house(init=False), tmp_path, part("question", fresh_one, when=LATER), *FIRST
    ) as played:
        before = finished(played, word)
        on = played.begin(f"And now say {later}", "--follow", before["id"])
        played.approve(on)
        played.completes(on)
        assert played.shown(on)["spec"] == before["spec"]
        assert word in played.answered("plan")[-1]
        anew = played.begin(f"And now say {other}", "--new")
        played.approve(anew)
        played.completes(anew)
        assert played.shown(anew)["spec"] != before["spec"]
        assert word not in played.answered("question")[-1], "what is new is not asked about what was"
        played.came_back(other, "question", "plan")
        specs = {
            path.rpartition("/")[0] for path in played.house.files_on("side") if path.startswith("specs/")
        }
        assert len(specs) == 2
