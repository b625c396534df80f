"""Words to a mission under way: a new demand, a pause, a budget, and another mission behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from house import House
from mission_house import LATER, WORD, fresh, lives, missions, part, plan, question, task

from waiting import eventually

MakeHouse = Callable[..., House]


def plans(*tasks: dict[str, object]) -> tuple[dict[str, object], ...]:
    return (part("question", question(), when=WORD), part("plan", plan(*tasks), when=WORD))


def test_a_demand_stops_one_of_three_running_tasks_and_leaves_pid_and_start_of_the_others(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    word, later = fresh(), fresh("sora")
    changed = task("B", word="{{later}}")
    script = (
        part("impact", {"answer": {"affected": ["T002"], "note": "B only", "replan": True}}, when=LATER),
        part("plan", plan(task("A", word=word), changed, task("C", word=word)), when=LATER),
        *plans(task("A"), task("B"), task("C")),
    )
    with missions(make_house(init=False), tmp_path, *script) as played:
        mission = played.begin(f"Greet with {word}")
        played.approve(mission)
        agents = {one: played.up(one) for one in "ABC"}
        before = played.tasks(mission)
        played.house.ok("mission", "say", mission, f"part B is to say {later}")
        eventually(lambda: not lives(*agents["B"][:2]), within_s=30, what="the agent of B is stopped")
        shown = played.until(
            mission, lambda one: (one["status"], one["reason"]) == ("active", "plan_ready"), "a new version"
        )
        assert shown["plan"]["version"] == 2
        assert all(lives(*agents[one][:2]) for one in "AC")
        played.house.ok("mission", "approve", mission)
        played.let_go("B")
        played.up("B", 2)
        assert all(lives(*agents[one][:2]) for one in "AC")
        played.let_go()
        played.completes(mission)
        after = played.tasks(mission)
        assert [after[one]["id"] == before[one]["id"] for one in ("T001", "T002", "T003")] == [
            True,
            False,
            True,
        ]
        assert played.house.task(before["T002"]["id"])["status"] == "cancelled"
        assert [len(after[one]["runs"]) for one in ("T001", "T002", "T003")] == [1, 1, 1]
        played.came_back(later, "impact", "plan")
        played.came_back(word, "question", "plan", "impact")
        assert [one["purpose"] for one in played.asked()] == ["question", "plan", "impact", "plan"]


@pytest.mark.long
def test_a_budget_that_is_reached_pauses_kills_nobody_and_a_larger_one_lets_it_go_on(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    word = fresh()
    with missions(make_house(init=False), tmp_path, *plans(task("A"), task("B", "A"))) as played:
        mission = played.begin(f"Greet with {word}")
        played.approve(mission)
        agent = played.up("A")
        spent = played.shown(mission)["usage"]
        tokens = spent["input_tokens"] + spent["output_tokens"]
        assert spent["calls"] == 2
        played.house.ok("mission", "budget", mission, f"tokens={tokens}")
        shown = played.until(mission, lambda one: one["status"] == "paused", "it is paused")
        assert shown["reason"].startswith("budget:tokens")
        assert lives(*agent[:2]), "whoever works is not stopped"
        played.let_go()
        first = shown["plan"]["tasks"][0]["task"]
        assert played.house.rest(first) == 0
        assert played.runs_of("B") == 0, "nothing new starts"
        assert played.shown(mission)["status"] == "paused"
        assert played.house.toryo("mission", "wait", mission).returncode == 1
        played.house.ok("mission", "budget", mission, f"tokens={tokens * 2}")
        played.completes(mission)
        played.came_back(word, "question", "plan")
        assert played.shown(mission)["usage"]["calls"] == 2


@pytest.mark.long
def test_a_second_mission_is_planned_meanwhile_and_begins_when_the_first_rests(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    word, other = fresh(), fresh()
    with missions(make_house(init=False), tmp_path, *plans(task("A"))) as played:
        first = played.begin(f"Greet with {word}")
        played.approve(first)
        played.up("A")
        second = played.begin(f"Greet with {other}", "--new")
        played.approve(second)
        played.stands(second, "queued other_missions")
        assert played.runs_of("A") == 1
        assert played.shown(first)["status"] == "active"
        played.let_go()
        played.completes(first, second)
        begun = [next(iter(played.tasks(one).values()))["runs"][0] for one in (first, second)]
        assert begun[0]["ended_at"] < begun[1]["started_at"]
        # both wrote the same file, the second one over the first
        assert (word in played.landed(), other in played.landed()) == (False, True)
        played.came_back(other, "question", "plan")


@pytest.mark.long
def test_a_mission_that_is_paused_holds_up_nobody(make_house: MakeHouse, tmp_path: Path) -> None:
    word, other = fresh(), fresh()
    with missions(make_house(init=False), tmp_path, *plans(task("A"))) as played:
        played.let_go()
        first = played.begin(f"Greet with {word}")
        played.stands(first, "awaiting_approval plan_ready")
        played.house.ok("mission", "pause", first)
        played.house.ok("mission", "approve", first)
        second = played.begin(f"Greet with {other}", "--new")
        played.approve(second)
        played.completes(second)
        assert played.shown(first)["status"] == "paused"
        played.house.ok("mission", "resume", first)
        played.completes(first)
        played.came_back(word, "question", "plan")


@pytest.mark.long
def test_paused_now_its_run_is_stopped_and_goes_on_in_the_same_worktree(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    word = fresh()
    with missions(make_house(init=False), tmp_path, *plans(task("A"), task("B"))) as played:
        mission = played.begin(f"Greet with {word}")
        played.approve(mission)
        agents = [played.up(one) for one in "AB"]
        (Path(agents[0][2]) / "draft.txt").write_text("half of A\n")
        played.house.ok("mission", "pause", mission, "--now")
        eventually(lambda: not any(lives(*agent[:2]) for agent in agents), within_s=30, what="nobody works")
        found = played.until(
            mission,
            lambda one: {task["reason"] for task in one["plan"]["tasks"]} == {"paused"},
            "its tasks are paused",
        )
        assert [one["status"] for one in found["plan"]["tasks"]] == ["ready", "ready"]
        assert len(played.asked()) == 2
        played.let_go()
        played.house.ok("mission", "resume", mission)
        played.completes(mission)
        assert [played.up(one, 2)[2] for one in "AB"] == [agent[2] for agent in agents]
        assert "draft.txt" in played.house.files_on("side"), "what lay there is in what landed"
        played.came_back(word, "question", "plan")
