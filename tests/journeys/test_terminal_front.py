"""The terminal front on a real terminal: the whole life of a mission from the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from house import House
from real_terminal import RealTerminal
from test_sentence_to_landed_work import landed, prepared, script

from rehearsal.model_process import model_process
from waiting import eventually

Opens = Callable[..., RealTerminal]


@pytest.fixture
def opens() -> Iterator[Opens]:
    opened: list[RealTerminal] = []

    def open_front(house: House, *words: str, **size: int) -> RealTerminal:
        opened.append(RealTerminal(house, *words, **size))
        return opened[-1]

    yield open_front
    for one in opened:
        one.close()


@pytest.mark.long
def test_a_mission_lives_from_the_sentence_to_the_landing_by_keys_alone(
    make_house: Callable[..., House], opens: Opens, tmp_path: Path
) -> None:
    house = make_house(init=False)
    with model_process(tmp_path, script()) as model:
        prepared(house, model)
        front = opens(house)  # `toryo` alone
        front.until("details", "AI summary", "side")
        front.press("Tab")
        front.until("What do you want done?")
        front.write("Greet with the word kumo42x, please")
        front.until("1 question before the plan is made", "1) en  (default)")
        front.press("Enter")
        front.until("Write kumo42x", "Enter or y approves; a reason rejects")
        front.resize(80, 24)
        front.write("y")
        front.until("approved")
        front.press("Tab")
        front.until("AI summary")  # the work goes on
        front.press("3")
        front.until("work", "kumo42x")
        front.press("2")
        front.until("The mission is completed.", within_s=120)
        front.press("C-q")
        eventually(front.has_ended, within_s=20, what="the front's end")
    assert landed(house, "side").count("kumo42x") == 2


def test_outside_of_a_terminal_it_is_usage_as_ever(make_house: Callable[..., House]) -> None:
    house = make_house(init=False)
    alone = house.toryo()
    assert (alone.returncode, alone.stdout.startswith("usage: toryo VERB")) == (2, True)
    named = house.toryo("ui")
    assert named.returncode == 2
    assert "needs a person's terminal" in named.stderr
