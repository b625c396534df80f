"""A person's word on a plan: rejected it is made anew, planned only it waits, approved it lands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from house import House
from mission_house import LATER, WORD, fresh, missions, part, plan, question, task

MakeHouse = Callable[..., House]


def test_a_rejected_plan_is_made_anew_with_the_reason_and_only_the_new_one_is_done(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    word, later = fresh(), fresh("sora")
    script = (
        part("question", question(), when=WORD),
        part("plan", plan(task("C", word="{{later}}"), word="{{later}}"), when=LATER),
        part("plan", plan(task("A"), task("B", "A")), when=WORD),
    )
    with missions(make_house(init=False), tmp_path, *script) as played:
        played.let_go()
        mission = played.begin(f"Greet with {word}")
        first = played.stands(mission, "awaiting_approval plan_ready")
        assert [one["id"] for one in first["plan"]["tasks"]] == ["T001", "T002"]
        played.house.ok("mission", "reject", mission, f"one task is enough, named {later}")
        second = played.until(
            mission, lambda one: one["plan"]["version"] == 2 and one["reason"] == "plan_ready", "version 2"
        )
        assert [one["title"] for one in second["plan"]["tasks"]] == [f"Part C of {later}"]
        assert played.house.read("task", "list")["tasks"] == [], "no task of a rejected plan exists"
        played.house.ok("mission", "approve", mission)
        played.completes(mission)
        played.came_back(later, "plan")
        assert [word in body for body in played.answered("plan")] == [True, True]
        assert [one["purpose"] for one in played.asked()] == ["question", "plan", "plan"]
        assert "work/A.txt" not in played.house.files_on("side")


@pytest.mark.long
def test_a_plan_that_was_only_to_be_shown_lies_there_and_its_next_version_takes_the_place(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    word, later = fresh(), fresh("sora")
    script = (
        part("question", question(size="normal"), when=WORD),
        part("plan", plan(task("C", word="{{later}}"), word="{{later}}"), when=LATER),
        part("plan", plan(task("A"), task("B", "A")), when=WORD),
        part("analyze", {"answer": {"findings": []}}),
    )
    with missions(make_house(init=False), tmp_path, *script) as played:
        played.let_go()
        done = played.house.toryo("do", f"Only show me how to greet with {word}", "--plan-only", "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        told = json.loads(done.stdout)
        assert (told["status"], told["reason"]) == ("awaiting_approval", "plan_only")
        spec = played.house.repo / told["spec"] / "spec.md"
        assert word in spec.read_text()
        assert played.house.read("task", "list")["tasks"] == []
        played.house.ok("mission", "reject", told["mission"], f"one task is enough, named {later}")
        played.until(
            told["mission"],
            lambda one: one["plan"]["version"] == 2 and one["reason"] == "plan_only",
            "version 2",
        )
        asked = len(played.asked())
        assert word in spec.read_text(), "nobody touched it since"
        played.house.ok("mission", "approve", told["mission"])
        played.completes(told["mission"])
        assert len(played.asked()) == asked, "nothing more was asked"
        played.came_back(later, "plan", "analyze")
        ticks = played.house.text_on(f"{told['spec'].rstrip('/')}/tasks.md", "side")
        assert (ticks.count("- [x] T00"), ticks.count("- [ ]")) == (1, 0)
        assert later in spec.read_text()
