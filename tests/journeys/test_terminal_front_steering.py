"""The terminal front on a real terminal: a word in mid-work, Esc, settings, a lost daemon, long lists."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from house import House
from mission_house import WORD, fresh, lives, missions, part, plan, question, task
from real_terminal import RealTerminal
from test_sentence_to_landed_work import script
from test_terminal_front import opens

from rehearsal.model_process import model_process
from repositories import git
from toryo.protocol.wire import Connection
from toryo.settings import Home
from waiting import eventually

__all__ = ["opens"]

MakeHouse = Callable[..., House]
Opens = Callable[..., RealTerminal]
pytestmark = pytest.mark.long


def test_a_word_in_mid_work_reaches_the_model_and_esc_enter_ends_the_agents_until_it_is_resumed(
    make_house: MakeHouse, opens: Opens, tmp_path: Path
) -> None:
    word = fresh()
    parts = (
        part(
            "impact", {"answer": {"affected": [], "note": "nothing of it", "replan": False}}, when="for PUT"
        ),
        part("question", question(), when=WORD),
        part("plan", plan(task("A")), when=WORD),
    )
    with missions(make_house(init=False), tmp_path, *parts) as played:
        mission = played.begin(f"Greet with {word}")
        played.approve(mission)
        agent = played.up("A")
        front = opens(played.house, "ui", "--screen", "agent")
        front.until("Unfinished missions")
        front.press("Enter")
        front.until("active", "Say something to it, or Esc")
        front.write("also for PUT")
        front.until("also for PUT", "nothing of it")
        assert lives(*agent[:2]), "who is not concerned goes on"
        front.press("Escape")
        front.until("Enter or Esc once more ends its agents")
        assert lives(*agent[:2]), "the first one only asks"
        front.press("Enter")
        front.until("Paused; its runs are stopped.", "/resume goes on")
        eventually(lambda: not lives(*agent[:2]), within_s=30, what="its agent is ended")
        played.let_go()
        front.write("/resume")
        front.until("Resumed.")
        front.until("The mission is completed.", within_s=90)
    assert word in played.landed()


def test_settings_that_become_valid_by_the_wizard_switch_the_input_on(
    make_house: MakeHouse, opens: Opens, tmp_path: Path
) -> None:
    house = make_house()
    with model_process(tmp_path, script()) as model:
        front = opens(house, "ui", "--screen", "agent")
        front.until("AI settings are required (F2)")
        front.press("F2")
        front.until("The model that plans")
        front.write(f"{model.url}/v1")
        front.write("tea")
        front.press("Enter")
        front.until("What do you want done?", "tea answers")
        front.write("Greet with the word kumo42x, please")
        front.until("1 question before the plan is made")


def test_a_killed_daemon_is_shown_and_regained_with_what_came_meanwhile(
    make_house: MakeHouse, opens: Opens
) -> None:
    house = make_house()
    house.add("Mend the parser")
    front = opens(house, "ui", "--screen", "work")
    front.until("Mend the parser")
    house.kill(house.pids()[0])
    front.until("What you see may be old", "Mend the parser")
    house.ok("up")
    house.add("Came later")
    text = front.until("Mend the parser", "Came later")
    assert "What you see may be old" not in text


def test_2000_tasks_are_filtered_and_scrolled_at_80_columns(make_house: MakeHouse, opens: Opens) -> None:
    house = make_house()
    house.agent("exec sleep 600")
    first = house.add("The first one", "--agent", "worker")
    home = Home(house.home)
    about = {"path": str(house.repo), "after": [first], "agent": "worker"}
    with closing(Connection(home.socket_in_use(), home.operator_key.read_text().strip())) as wire:
        for number in range(2, 2001):
            wire.call("add_task", {"title": f"Task number {number}", **about})
    front = opens(house, "ui", "--screen", "work", columns=80, rows=24)
    front.until("The first one", "Task number 2 ")
    front.press("G")
    front.until("Task number 2000")
    front.press("g")
    front.until("The first one")
    front.press("/")
    front.until("filter: Enter keeps it")
    front.write("number 1777")
    text = front.until("Task number 1777")
    assert "Task number 2 " not in text


def test_500_branches_are_filtered_and_scrolled_at_80_columns(make_house: MakeHouse, opens: Opens) -> None:
    house = make_house()
    tip = git(house.repo, "rev-parse", "main").strip()
    packed = [f"{tip} refs/heads/topic/{number:03}" for number in range(498)]
    (house.repo / ".git" / "packed-refs").write_text("\n".join(["# pack-refs with: sorted", *packed, ""]))
    front = opens(house, columns=80, rows=24)
    front.until("branches 500", "topic/000")
    front.press("G")
    front.until("topic/497")
    front.press("/")
    front.write("topic/123")
    text = front.until("branches 1 of 500", "topic/123")
    assert "topic/497" not in text
