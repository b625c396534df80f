"""Missions on the status page: above their tasks, as far as there is room."""

from __future__ import annotations

from typing import Any

from shown_missions import mission

from toryo.fronts.cli.look import work_tree

PROJECT = {"id": "p1", "name": "shop", "base": "main", "path": "/src/shop"}


def work(id: str, status: str, *after: str, mission: str | None = "n1") -> dict[str, Any]:
    return {
        "id": id,
        "title": f"Do {id}",
        "project": "p1",
        "status": status,
        "agent": "coder",
        "mission": mission,
        "dependencies": list(after),
        "reason": "",
        "steps": [],
    }


def answer(*tasks: dict[str, Any], missions: Any = ()) -> dict[str, Any]:
    counts: dict[str, int] = {}
    for one in tasks:
        counts[one["status"]] = counts.get(one["status"], 0) + 1
    return {"projects": [PROJECT], "missions": list(missions), "work": list(tasks), "counts": counts}


ACTIVE = {**mission("active", detail="1 of 2 done"), "id": "n1"}


def shown(lines: list[str]) -> list[str]:
    return [" ".join(line.split()) for line in lines]


def test_a_mission_stands_above_its_tasks_and_beside_tasks_of_nobody():
    tasks = [work("t1", "running"), work("t2", "blocked", "t1"), work("t3", "ready", mission=None)]
    assert shown(work_tree.draw(answer(*tasks, missions=[ACTIVE]), 0)) == [
        "shop main /src/shop",
        "├─ ● n1 Rate limits active 1 of 2 done",
        "│ └─ ● t1 Do t1 coder running",
        "│ └─ · t2 Do t2 coder blocked",
        "└─ · t3 Do t3 coder ready",
    ]


def test_a_mission_without_tasks_says_what_it_waits_for():
    asking = mission("questioning", reason="questions", detail="2 questions wait for you")
    (_, line) = shown(work_tree.draw(answer(missions=[asking]), 0))
    assert line == "└─ ◆ n1 Rate limits questioning 2 questions wait for you"


def test_what_runs_keeps_its_place_on_a_low_screen_before_missions_that_ended():
    over = [{**mission("completed"), "id": f"n{number}"} for number in range(2, 9)]
    lines = shown(work_tree.draw(answer(work("t1", "running"), missions=[*over, ACTIVE]), 0, 4))
    assert any("t1" in line for line in lines)
    assert any("n1 " in line for line in lines)
    assert len(lines) <= 5
