"""What a person does and types, in random order, on real repositories with the real hands: nothing is lost,
nothing that they removed comes back, statuses agree with git, and what is offered leads on.

`TORYO_SEED=7 python -m pytest tests/people -m long` plays one walk; one that breaks a promise is made short.
"""

from __future__ import annotations

import os

import pytest
from known_walks import KNOWN
from walks import plan, play, shortened

SEED = os.environ.get("TORYO_SEED", "")
SHORT_SEEDS = (8,)
LONG_SEEDS = (int(SEED),) if SEED else tuple(range(100, 116))


@pytest.mark.parametrize("name", KNOWN)
def test_a_short_walk_that_once_broke_a_promise_keeps_it(name: str) -> None:
    wrong = play(KNOWN[name])
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("seed", SHORT_SEEDS)
def test_whatever_a_person_does_the_promises_hold(seed: int) -> None:
    wrong = play(plan(seed, 10))
    assert not wrong, "\n".join(wrong)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", LONG_SEEDS)
def test_on_long_walks_the_promises_hold(seed: int) -> None:
    steps = plan(seed, 24)
    wrong = play(steps)
    if wrong and SEED:
        pytest.fail("\n".join([*wrong, f"in short: {shortened(steps)}"]))
    assert not wrong, "\n".join(wrong)


def test_the_same_seed_is_the_same_walk() -> None:
    assert plan(7) == plan(7) != plan(8)
