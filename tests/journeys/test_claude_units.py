"""Trees of units whose agents are the real Claude Code: a parent is typed to, or told as it begins again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from crew_house import LONG_S, Crew, crew, reports, writes

from repositories import git
from waiting import eventually

pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.timeout(2 * LONG_S)]

SPAWN = {
    "run": """cat > task-breakdown.yml <<'END'
tasks:
  - {id: part, description: Add src/part.txt.}
END
toryo spawn --from-breakdown"""
}
WORKS_ON = {
    "run": """touch "$HOME/held"
for i in $(seq 300); do [ -e "$HOME/go" ] && break; sleep 0.25; done"""
}
"""A call of its shell tool that goes on while its child lands: at most 75 seconds."""
ROOT = "You are the root unit of a tree"
CHILD = {
    "when": ["^You are one unit of a tree"],
    "replies": [{"call": "authenticate"}, *writes("src/part.txt"), *reports("the part is there")],
}
LINE = "[CHILD:root-part] Status: completed, Message: the part is there"


def spawned(house: Crew) -> None:
    (house.repo / "requirements.yml").write_text("goal: one small file\n")
    house.ok("spawn", "--yes", "--onto", "main")


def lines_told(house: Crew) -> list[int]:
    """How often each request of the root to its model holds the line about its child."""
    return [json.dumps(one["body"]["messages"]).count(LINE) for one in house.requests(ROOT)]


def landed_one_level_up_each(house: Crew) -> None:
    units: dict[str, Any] = {one["unit"]: one for one in house.read("unit", "tree")["units"]}
    assert {name: one["status"] for name, one in units.items()} == {"root": "done", "root-part": "done"}
    merges = git(house.repo, "log", "--merges", "--topo-order", "--format=%s", "main").splitlines()
    order = [units[name]["branch"] for name in ("root", "root-part")]
    assert [branch in line for branch, line in zip(order, merges, strict=True)] == [True, True]
    assert house.text_on("src/part.txt") == "fine"


def test_a_parent_is_typed_to_once_on_its_screen_when_its_child_has_landed() -> None:
    parent = {"when": [f"^{ROOT}"], "replies": [SPAWN, WORKS_ON, SPAWN, {"say": "The parts fit together."}]}
    with crew("claude", parent, CHILD, worker=("--style", "interactive")) as house:
        spawned(house)
        home = Path(house.env["HOME"])
        eventually((home / "held").exists, within_s=LONG_S, what="the root has spawned, and works on")

        def states() -> list[str]:
            return [one["state"] for one in house.read("inbox", "root")["messages"]]

        eventually(lambda: states() == ["delivered"], within_s=LONG_S, what="the root is typed to")
        before = lines_told(house)
        (home / "go").touch()
        house.lands("root")
        assert lines_told(house) == [*(0 for _ in before), 1, 1], "its next request holds it, once"
        assert len(house.task("root")["runs"]) == 1, "it knew of its child: nothing is left to integrate"
        landed_one_level_up_each(house)


def test_a_parent_that_ended_is_told_once_as_it_begins_to_integrate() -> None:
    parent = {"when": [f"^{ROOT}"], "replies": [SPAWN, {"say": "Spawned."}]}
    integrates = {"when": [f"^{ROOT}", "^Your children are at rest"], "replies": [{"say": "It fits."}]}
    with crew("claude", integrates, parent, CHILD) as house:
        spawned(house)
        house.lands("root")
        assert lines_told(house) == [0, 0, 1]
        assert [one["outcome"] for one in house.task("root")["runs"]] == ["succeeded", "succeeded"]
        landed_one_level_up_each(house)
