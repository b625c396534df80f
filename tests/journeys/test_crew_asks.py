"""A real CLI whose model ends with a question: a person answers, and the same conversation goes on."""

from __future__ import annotations

import json

import pytest
from crew_house import LONG_S, crew, part, writes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2 * LONG_S)]

QUESTION = "Shall the list be sorted by name or by date?"


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "opencode"])
def test_an_agent_that_asks_is_answered_and_goes_on_with_its_conversation(client: str) -> None:
    ways = {"claude": ("say",), "codex": ("retry", "--note")}
    verb, *option = ways.get(client, ("say",))
    asked = part("Sort it", {"run": "echo looked-around"}, {"say": f"I looked at it.\n\n{QUESTION}"})
    told = part("Sort it", *writes("src/sorted.txt"), when="by date, newest first")
    with crew(client, told, asked) as house:
        task = house.add("Sort it")
        assert house.rest(task, limit_s=LONG_S) != 0
        assert house.state(task) == "needs_review asked"
        assert f"the agent asks: I looked at it. {QUESTION}" in house.ok("status")
        house.ok("task", verb, task, *option, "by date, newest first")
        house.lands(task)
        first, then = house.task(task)["runs"]
        assert (first["conversation"], first["commits"]) == (then["conversation"], 0)
        last = house.requests("by date, newest first")[-1]
        assert "looked-around" in json.dumps(last["body"]), "what it did before it asked is in its words"
        assert "src/sorted.txt" in house.files_on()
