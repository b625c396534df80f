"""The real Claude Code in missions: as planner and worker, and as whoever directs one over `toryo mcp`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from house import House
from mission_house import WORD, Missions, fresh, missions, part, plan, question, task

from rehearsal.real_clients import argv_for, clean_environment, run_client
from toryo.rehearsal.environments import environment
from waiting import eventually

MakeHouse = Callable[..., House]
Reply = dict[str, Any]
pytestmark = [pytest.mark.long, pytest.mark.xdist_group("agent-clis")]
PLANS = (part("question", question(), when=WORD), part("plan", plan(task("A")), when=WORD))
ASKED = {"id": "q1", "text": "How loud?", "options": ["low", "high"], "default": "low"}


def worker(*replies: Reply, when: str) -> dict[str, Any]:
    return {"when": when, "replies": list(replies)}


def wrote(path: str = "work/A.txt") -> list[Reply]:
    return [{"write": {"path": path, "text": "{{word}}\n"}}, {"commit": "add {{word}}"}, {"say": "Done."}]


def with_claude(played: Missions) -> None:
    """The planner's model and the only agent."""
    house = played.house
    own = environment("claude", played.model.url, Path(house.env["HOME"]))
    house.env |= own | {"PATH": clean_environment()["PATH"]}
    house.ok("down")  # those that run have no such PATH
    house.ok("agent", "add", "coder", "--client", "claude")
    house.ok("agent", "assign", "coder", "--default")


def worked(played: Missions) -> list[dict[str, Any]]:
    """Requests of its agents, without titles and the like."""
    return [one for one in played.model.requests() if not one.get("purpose") and not one.get("side", True)]


def test_claude_plans_and_works_and_the_word_lands(make_house: MakeHouse, tmp_path: Path) -> None:
    word = fresh()
    script = (*PLANS, worker(*wrote(), when=f"Part A of {WORD}"))
    with missions(make_house(init=False), tmp_path, *script, agent=False) as played:
        with_claude(played)
        played.house.ok("planner", "use", "claude")
        done = played.house.toryo("do", f"Greet with {word}", "--yes", "--json", limit_s=150)
        assert done.returncode == 0, done.stdout + done.stderr + played.house.story()
        asked = [(one["purpose"], one["dialect"]) for one in played.asked()]
        assert asked == [("question", "anthropic"), ("plan", "anthropic")]
        assert word in played.landed()
        assert word in json.dumps(worked(played)[0]["body"]), "in the worker's prompt"
        (told,) = json.loads(done.stdout)["tasks"]
        assert word in told["title"]


def test_paused_now_claude_goes_on_in_the_same_worktree_and_conversation(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    word, seen = fresh(), tmp_path / "begun"
    begun: Reply = {"run": f"echo half > half.txt; touch {seen}; sleep 300"}
    script = (
        *PLANS,
        {"when": ["stopped in the middle", WORD], "replies": wrote()},
        worker(begun, when=f"Part A of {WORD}"),
    )
    with missions(make_house(init=False), tmp_path, *script, agent=False) as played:
        with_claude(played)
        mission = played.begin(f"Greet with {word}")
        played.approve(mission)
        eventually(seen.exists, within_s=60, what="it is at work")
        played.house.ok("mission", "pause", mission, "--now")
        played.until(mission, lambda one: one["plan"]["tasks"][0]["reason"] == "paused", "its task is paused")
        played.house.ok("mission", "resume", mission)
        played.completes(mission)
        runs = played.tasks(mission)["T001"]["runs"]
        assert len(runs) == 2
        assert len({run["conversation"] for run in runs}) == 1, runs
        assert "half.txt" in json.dumps(worked(played)[-1]["body"]), "its first words are in its last request"
        assert "half.txt" in played.house.files_on("side"), "what lay in its worktree is there"
        assert word in played.landed()


def test_claude_directs_a_mission_over_mcp_from_the_sentence_to_what_landed(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    word = fresh()
    house = make_house(init=False)
    repo = str(house.repo)
    names = ("start_mission", "wait_mission", "answer_mission", "approve_mission", "show_mission")
    tools = ",".join(f"mcp__toryo__{name}" for name in names)
    # each wait ends with what is new, and at once where the mission rests
    it, seen = {"mission": {"from": "last.mission"}}, {"mission": {"from": "last.mission.id"}}
    wait = {"call": {"tool": "wait_mission", "arguments": {**it, "timeout_s": 20}}}
    again = {"call": {"tool": "wait_mission", "arguments": {**seen, "timeout_s": 20}}}
    directs = worker(
        {"run": "sleep 5"},  # its servers are connected beside its first request
        {"call": {"tool": "ToolSearch", "arguments": {"query": f"select:{tools}", "max_results": 5}}},
        {"call": {"tool": "start_mission", "arguments": {"text": "Greet with {{word}}", "path": repo}}},
        *(wait, *[again] * 4),
        {"call": {"tool": "answer_mission", "arguments": {**seen, "defaults": True}}},
        *(wait, *[again] * 5),
        {"call": {"tool": "approve_mission", "arguments": seen}},
        *(wait, *[again] * 16),
        {"say": "It is landed."},
        when=f"Have it greet with {WORD}",
    )
    script = (part("question", question(ASKED), when=WORD), PLANS[1], directs)
    with missions(house, tmp_path, *script) as played:
        played.let_go()
        env = environment("claude", played.model.url, tmp_path / "home")
        add = ["claude", "mcp", "add", "toryo", "--env", f"TORYO_HOME={house.home}", "--"]
        told = run_client([*add, sys.executable, "-m", "toryo", "mcp"], house.repo, **env)
        assert told.returncode == 0, told.stdout + told.stderr
        found = run_client(["claude", "mcp", "get", "toryo"], house.repo, **env)
        assert "Connected" in found.stdout, found.stdout + found.stderr
        argv = argv_for("claude", f"Have it greet with {word}.", "--allowedTools", "mcp__toryo")
        done = run_client(argv, house.repo, **env)
        asked = [json.dumps(one["body"]["messages"]) for one in worked(played)]
        assert done.returncode == 0, done.stdout + done.stderr
        assert "It is landed." in done.stdout, asked[-1][-3000:]
        (line,) = house.read("mission", "list")["missions"]
        assert line["status"] == "completed", asked[-1]
        assert "completed" in asked[-1], "it was told so"
        played.came_back(word, "question", "plan", branch="side")
