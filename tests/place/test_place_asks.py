"""Asks at a place: a lane of their own, each answered once, none after its time, and nothing is written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from toryo.place.asks import Asks
from toryo.place.daemon_client import Registered
from toryo.place.lifecycle import Lifecycle
from toryo.protocol.asks import Answered, Ask, AskAnswer
from toryo.protocol.wire import WireError
from waiting import eventually

ME = Registered("m/main", 1)


def an_ask(name: str, within_s: float = 20) -> Ask:
    return Ask(id=name, within_s=within_s, read={"what": "log", "run": "r1"})


class Told:
    def __init__(self) -> None:
        self.answers: list[str] = []
        self.superseded = False
        self.away: list[str] = []

    def __call__(self, place: Registered, answered: Answered) -> bool:
        assert place == ME
        if answered.id in self.away:
            raise WireError("away")
        self.answers.append(answered.id)
        return self.superseded


@pytest.fixture
def made() -> Iterator[Callable[..., tuple[Asks, Told, Lifecycle]]]:
    begun: list[Asks] = []

    def make(answer: Callable[[Ask], AskAnswer], **how: object) -> tuple[Asks, Told, Lifecycle]:
        told, lifecycle = Told(), Lifecycle()
        begun.append(Asks(answer, told, lifecycle, **how))  # type: ignore[arg-type]
        return begun[-1], told, lifecycle

    yield make
    for one in begun:
        one.close()
    eventually(lambda: not [one for one in threading.enumerate() if one.name.startswith("asks-")])


def test_an_ask_that_is_handed_over_twice_is_answered_once(made) -> None:
    go = threading.Event()

    def answer(_: Ask) -> AskAnswer:
        go.wait(20)
        return AskAnswer()

    asks, told, _ = made(answer)
    asks.take(ME, [an_ask("k1")])
    asks.take(ME, [an_ask("k1"), an_ask("k2")])
    go.set()
    eventually(lambda: len(told.answers) >= 2)
    assert sorted(told.answers) == ["k1", "k2"]


def test_a_slow_ask_holds_up_no_other_one(made) -> None:
    go = threading.Event()

    def answer(ask: Ask) -> AskAnswer:
        if ask.id == "slow":
            go.wait(20)
        return AskAnswer()

    asks, told, _ = made(answer)
    asks.take(ME, [an_ask("slow"), an_ask("k1")])
    eventually(lambda: told.answers == ["k1"])
    go.set()
    eventually(lambda: told.answers == ["k1", "slow"])


def test_an_ask_whose_time_is_over_is_let_go(made) -> None:
    now = [0.0]
    done: list[str] = []
    asks, told, _ = made(lambda ask: done.append(ask.id) or AskAnswer(), clock=lambda: now[0])
    asks.take(ME, [an_ask("late", within_s=0), an_ask("k1")])
    eventually(lambda: told.answers == ["k1"])
    assert done == ["k1"]


def test_whoever_is_superseded_answers_nothing_more(made) -> None:
    asks, told, lifecycle = made(lambda ask: AskAnswer())
    told.superseded = True
    asks.take(ME, [an_ask("k1")])
    eventually(lambda: lifecycle.superseded)
    asks.take(ME, [an_ask("k2")])
    asks.close()
    eventually(lambda: not [one for one in threading.enumerate() if one.name.startswith("asks-")])
    assert told.answers == ["k1"]


def test_an_answer_that_cannot_be_told_is_let_go_and_the_next_one_is_told(made) -> None:
    asks, told, _ = made(lambda ask: AskAnswer())
    told.away = ["k1"]
    asks.take(ME, [an_ask("k1")])
    asks.take(ME, [an_ask("k2")])
    eventually(lambda: told.answers == ["k2"])
