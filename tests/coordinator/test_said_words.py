"""Words for agents without a screen, as the daemon orders them: put once, told when taken or unheard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from crew import Crew, waiting_agent

from toryo.workbench.runs import hearing
from waiting import eventually


@pytest.fixture
def busy(crew: Crew, repo: Path, tmp_path: Path) -> Crew:
    """A coordinator whose agent r1 works until the file `gate` is there."""
    crew.daemon.start()
    crew.start()
    crew.daemon.give(crew.run_order("r1", repo, waiting_agent(tmp_path / "gate", tmp_path / "trace")))
    eventually((tmp_path / "trace").exists, within_s=30)
    return crew


def give(crew: Crew, number: int = 1) -> str:
    crew.daemon.texts["words"] = "hurry up"
    inputs = {"run": "r1", "message": f"m{number}", "text": "words", "number": number}
    crew.daemon.give(crew.order(f"osay{number}", "say", inputs, run="r1", generation=1))
    return f"osay{number}"


def told(crew: Crew, kind: str, order: str) -> dict[str, Any]:
    found: dict[str, Any] = eventually(lambda: crew.daemon.about(kind, order), within_s=30, what=kind)[0]
    return found


def take(crew: Crew, name: str = "000001-m1") -> str:
    """As an agent does."""
    spool = crew.runs / "r1" / "said"
    eventually((spool / name).exists, within_s=30)
    heard = (spool / name).rename(crew.runs / "r1" / "heard" / name)
    return (heard / "text").read_text()


def test_words_wait_in_the_spool_until_the_agent_takes_them(busy):
    order = give(busy)
    assert told(busy, "say_waiting", order) == {"reader": "program"}
    assert busy.daemon.about("spoken", order) == []
    assert take(busy) == "hurry up"
    fact = told(busy, "spoken", order)
    assert (fact["delivered"], fact["seen"], fact["problem"]) == (True, True, None)
    assert len(busy.daemon.about("say_waiting", order)) == 1


def test_words_that_are_taken_at_once_never_wait(busy):
    order = give(busy)
    take(busy)
    assert told(busy, "spoken", order)["delivered"]


def test_words_that_nobody_took_are_told_when_the_run_ends(busy, tmp_path):
    order = give(busy)
    told(busy, "say_waiting", order)
    (tmp_path / "gate").touch()
    assert told(busy, "spoken", order)["problem"]["code"] == "unheard"
    late = give(busy, 2)
    assert told(busy, "spoken", late)["problem"]["code"] == "unheard"
    assert not (busy.runs / "r1" / "said" / "000002-m2").exists()


@pytest.mark.parametrize("taken", [False, True])
def test_a_restarted_coordinator_knows_what_was_put_and_what_was_taken(busy, tmp_path, taken):
    order = give(busy)
    told(busy, "say_waiting", order)
    busy.leave(busy.hands[0][0])
    if taken:
        assert take(busy) == "hurry up"
    busy.start()
    if not taken:
        eventually(lambda: len(busy.daemon.asked("register_coordinator")) == 2, within_s=30)
        assert take(busy) == "hurry up"
    assert told(busy, "spoken", order)["delivered"]
    assert list((busy.runs / "r1" / "said").iterdir()) == []


def test_an_order_that_is_withdrawn_is_left_alone(busy):
    order = give(busy)
    told(busy, "say_waiting", order)
    busy.daemon.withdraw(order)
    take(busy)
    second = give(busy, 2)
    take(busy, "000002-m2")
    assert told(busy, "spoken", second)["delivered"]
    assert busy.daemon.about("spoken", order) == []


def test_a_run_that_was_begun_without_a_spool_cannot_be_spoken_to(busy):
    run_dir = busy.runs / "r1"
    (run_dir / hearing.SAID).rmdir()
    assert told(busy, "spoken", give(busy))["problem"]["code"] == "no_screen"
