"""Calls to the model of a mission: none while it waits, each once through an outage, and what they hold."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from house import House
from mission_house import LATER, WORD, fresh, missions, part, plan, question, task

from toryo.planner.compaction import UNKNOWN, tokens
from waiting import eventually

MakeHouse = Callable[..., House]
IDLE_S = 8.0
ASKED = {"id": "q1", "text": "How loud?", "options": ["low", "high"], "default": "low"}


def plans(*tasks: dict[str, object]) -> tuple[dict[str, object], ...]:
    return (part("question", question(), when=WORD), part("plan", plan(*tasks), when=WORD))


@pytest.mark.long
def test_one_active_one_awaiting_approval_and_one_paused_ask_the_model_nothing(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    with missions(make_house(init=False), tmp_path, *plans(task("A"))) as played:
        active, paused = (played.begin(f"Greet with {fresh()}", "--new") for _ in range(2))
        played.approve(active)
        agent = played.up("A")
        waits = played.begin(f"Greet with {fresh()}", "--new")
        for mission in (paused, waits):
            played.stands(mission, "awaiting_approval plan_ready")
        played.house.ok("mission", "pause", paused)
        played.stands(paused, "paused paused")
        asked, calls = len(played.asked()), _calls(played.house)
        assert (asked, calls) == (6, 6)
        end = time.monotonic() + IDLE_S
        eventually(lambda: time.monotonic() > end, within_s=2 * IDLE_S, what="some time of nothing")
        assert (len(played.asked()), _calls(played.house)) == (asked, calls)
        listed = {one["id"]: one["status"] for one in played.house.read("mission", "list")["missions"]}
        assert listed == {active: "active", paused: "paused", waits: "awaiting_approval"}
        assert played.runs_of("A") == 1
        assert Path(f"/proc/{agent[0]}").exists(), "its agent was there all the time"


def _calls(house: House) -> int:
    """Lines of the call log."""
    return len((house.home / "logs" / "agent.master.llm.jsonl").read_text().splitlines())


@pytest.mark.long
def test_agents_go_on_through_an_outage_and_what_was_asked_meanwhile_is_answered_once(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    word, later = fresh(), fresh("sora")
    outage = {"error": 503, "times": 4}
    weighed = {"answer": {"affected": ["T002"], "note": "B", "replan": True}}
    script = (
        part("impact", outage, weighed, when=LATER),
        part("plan", plan(task("A", word=word), task("B", "A", word="{{later}}")), when=LATER),
        *plans(task("A"), task("B", "A")),
    )
    with missions(make_house(init=False), tmp_path, *script) as played:
        mission = played.begin(f"Greet with {word}")
        played.approve(mission)
        played.up("A")
        before = played.shown(mission)["plan"]["tasks"]
        played.house.ok("mission", "say", mission, f"B is to say {later}")
        played.until(mission, lambda one: one["reason"].startswith("planner_waits"), "the outage is said")
        played.let_go("A")
        assert played.house.rest(before[0]["task"]) == 0, "what runs lands without a model"
        played.until(mission, lambda one: one["reason"] == "plan_ready", "the model is back")
        played.house.ok("mission", "approve", mission)
        played.let_go()
        played.completes(mission)
        assert [one["verb"] for one in played.asked("impact")] == ["error"] * 4 + ["answer"]
        assert len(played.answered("plan")) == 2
        played.came_back(later, "impact", "plan")
        played.came_back(word, "question", "plan")


@pytest.mark.long
def test_a_long_conversation_is_shortened_and_the_model_gets_summary_last_words_and_open_tasks(
    make_house: MakeHouse, tmp_path: Path
) -> None:
    word, last = fresh(), fresh("sora")
    unaffected = {"answer": {"affected": [], "note": "no change", "replan": False}}
    script = (
        part("summarise", {"answer": {"summary": "The person talked of the weather."}}),
        part("impact", unaffected),
        *plans(task("A"), task("B", "A")),
    )
    with missions(make_house(init=False), tmp_path, *script) as played:
        mission = played.begin(f"Greet with {word}")
        played.approve(mission)
        played.up("A")
        said = 24
        for number in range(said):
            words = f"weather{number:02d} " + "rain and wind " * 150
            played.house.ok("mission", "say", mission, words if number < said - 1 else f"and {last}")
            count = number + 1
            eventually(
                lambda count=count: len(played.answered("impact")) == count,  # type: ignore[misc]
                within_s=60,
                what=f"word {number} is weighed",
            )
        played.let_go()
        played.completes(mission)
        newest = played.answered("impact")[-1]
        text = "\n".join(str(turn["content"]) for turn in json.loads(newest)["messages"])
        assert tokens(text) <= UNKNOWN
        assert "The person talked of the weather." in text
        assert (word in text, last in text, "weather22" in text, "weather00" in text) == (
            True,
            True,
            True,
            False,
        )
        assert "Part B of" in text, "unfinished tasks are kept"
        assert played.asked("summarise")
        played.came_back(word, "question", "plan", "impact")
