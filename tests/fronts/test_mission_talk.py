"""`toryo do` on a terminal: it asks once, shows the plan, takes one yes, follows, and lets go by Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from shown_missions import FREE, mission, plan
from test_mission_commands import ASKING, DONE, PLANNED, Story
from typing_terminal import TypingTerminal

APPROVE = "Start the work?"


@pytest.fixture
def terminal(toryo_home: Path) -> Iterator[Callable[..., TypingTerminal]]:
    made: list[TypingTerminal] = []

    def begin(*words: str, **how: Any) -> TypingTerminal:
        made.append(TypingTerminal(toryo_home, *words, **how))
        return made[-1]

    yield begin
    for one in made:
        one.close()


def test_enter_takes_every_default_and_enter_approves(peer, terminal):
    story = Story(peer, ASKING, PLANNED, DONE)
    screen = terminal("do", "add rate limiting")
    screen.see("1> ")
    screen.type("\n")
    screen.see(APPROVE)
    screen.type("\n")
    assert screen.end() == 0
    assert "1) memory  (default)" in screen.text
    assert screen.text.index("A counter in memory.") < screen.text.index(APPROVE)
    assert story.there.arguments_of("answer_mission") == {"mission": "n1", "answers": {}, "defaults": True}
    assert story.there.arguments_of("approve_mission") == {"mission": "n1", "version": 1}


@pytest.mark.parametrize(("rows", "paged"), [(10, True), (60, False)])
def test_a_plan_longer_than_the_screen_goes_through_the_pager(peer, terminal, rows, paged):
    Story(peer, PLANNED)
    screen = terminal("do", "add rate limiting", rows=rows, pager="sed s/^/paged:/")
    screen.see(APPROVE)
    assert ("paged:A counter in memory." in screen.text) is paged


def test_numbers_and_words_answer_and_what_is_missing_is_asked_again(peer, terminal):
    asking = mission("questioning", reason="questions", questions=[*ASKING["questions"], FREE])
    story = Story(peer, asking, DONE)
    screen = terminal("do", "add rate limiting")
    screen.see("1> ")
    screen.type("2\n")
    screen.see("2> ")
    screen.type("\n")
    screen.see("There is no default for 3.")
    screen.type("3=try later\n")
    screen.type("\n")
    assert screen.end() == 0
    given = {"mission": "n1", "answers": {"Q1": "Redis", "Q3": "try later"}, "defaults": True}
    assert story.there.arguments_of("answer_mission") == given


def test_other_words_at_the_approval_are_left_to_the_daemon_to_judge(peer, terminal):
    again = mission("awaiting_approval", reason="plan_ready", plan=plan(version=2, plan="Redis it is."))
    story = Story(peer, PLANNED, again, DONE)
    screen = terminal("do", "add rate limiting")
    screen.see(APPROVE)
    screen.type("use Redis\n")
    screen.see("Redis it is.")
    screen.see(APPROVE)
    screen.type("実行して\n")
    assert screen.end() == 0
    said = [given["text"] for name, given in story.there.calls if name == "say_mission"]
    assert said == ["use Redis", "実行して"]


def test_ctrl_c_lets_go_of_the_mission_and_says_how_to_look_again(peer, terminal):
    story = Story(peer, PLANNED)
    screen = terminal("do", "add rate limiting")
    screen.see(APPROVE)
    screen.type("\x03")
    assert screen.end() == 130
    assert "n1 goes on without you" in screen.text
    assert "toryo mission wait n1" in screen.text
    assert {"cancel_mission", "pause_mission", "approve_mission"}.isdisjoint(story.calls)


def test_a_refused_approval_is_told_and_asked_for_again(peer, terminal):
    refused = {"success": False, "error": "Version 1 has faults.", "hint": "reject it"}
    story = Story(peer, PLANNED, DONE, approve_mission=refused)
    screen = terminal("do", "add rate limiting")
    screen.see(APPROVE)
    screen.type("y\n")
    screen.see("Version 1 has faults. reject it")
    screen.see(APPROVE)
    screen.type("smaller\n")
    assert screen.end() == 0
    assert story.calls.count("say_mission") == 1
    assert screen.text.count("A counter in memory.") == 1


def test_mission_answer_asks_on_a_terminal(peer, terminal):
    story = Story(peer, ASKING, PLANNED)
    screen = terminal("mission", "answer", "n1")
    screen.see("1> ")
    screen.type("Redis\n")
    screen.see("2> ")
    screen.type("90\n")
    assert screen.end() == 0
    assert story.there.arguments_of("answer_mission")["answers"] == {"Q1": "Redis", "Q2": "90"}
