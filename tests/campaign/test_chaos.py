"""The random campaign: the seed chooses, what happened is said, and what does not hold is found."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaos import campaign, invariants, states
from chaos.invariants import git
from chaos.place import Place

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


def test_the_same_seed_chooses_the_same_kills_and_another_one_others() -> None:
    plans = [campaign.plan(7, number) for number in range(20)]
    assert plans == [campaign.plan(7, number) for number in range(20)]
    assert plans != [campaign.plan(8, number) for number in range(20)]
    assert {kill.victim for plan in plans for kill in plan.kills} == set(campaign.VICTIMS)


@pytest.mark.slow
def test_a_short_campaign_says_what_it_did_and_loses_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "chaos", "--seed", "3", "--rounds", "2"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert (lines[0], lines[-2:]) == ("seed 3", ["lost work: 0", "broken: 0"])
    for number in (1, 2):
        assert f"round {number}: tasks {', '.join(campaign.plan(3, number).tasks)}" in lines
    assert [line for line in lines if line.endswith(" killed")]


@pytest.fixture
def place() -> Iterator[Place]:
    made = Place()
    states.bring(made, "begun")
    made.disarm()
    made.start()
    yield made
    made.close()


def test_what_does_not_hold_is_found(place: Place) -> None:
    assert invariants.broken(place) == []
    place.starts.write_text("r1\nr2\nr1\n")
    place.wrote.write_text(f"r1 {'0' * 40} src/gone.txt\n")
    (place.repo / "src").mkdir()
    (place.repo / "src" / "x").write_text("BROKEN\n")
    git(place.repo, "add", "-A")
    git(place.repo, "commit", "-q", "-m", "red")
    red = git(place.repo, "rev-parse", "--short=12", "HEAD")
    assert invariants.broken(place)[:3] == [
        "run r1 was started 2 times",
        f"the target was red at {red}",
        "r1 wrote src/gone.txt, and nobody has it",
    ]
    found = campaign.Round(1, campaign.Plan(()), killed=["daemon"])
    campaign.look_over(place, found)
    assert found.lost == 1
    assert len(found.broken) >= 4
