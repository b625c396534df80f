"""Random walks of a person: the seed chooses the acts, and a walk that breaks a promise is made shorter."""

from __future__ import annotations

import random
from collections.abc import Sequence

from acts import ACTS, OFTEN, Person
from ground import Ground, Stuck
from offers import lands_one_more, lead_on

Step = tuple[str, int]
STEPS = 14
SCENES = (
    ("edit", "add", "wait", "commit"),
    ("edit", "add", "wait", "commit_all", "add"),
    ("edit", "add", "wait", "add", "cancel", "approve"),
    ("edit", "add", "wait", "reset", "cancel", "wait", "approve"),
    ("hold", "add", "reset", "approve", "wait"),
    ("reset", "wait", "approve", "wait"),
    ("amend", "add", "wait", "approve"),
    ("commit", "add"),
    ("hold_checks", "add", "look_on", "commit", "let_checks_go"),
    ("hold_checks", "add", "look_on", "amend", "let_checks_go", "approve"),
    ("work_in_worktree", "submit", "wait"),
    ("work_in_worktree", "retry", "wait"),
    ("take_back", "wait"),
)
"""Where one act is about the other; chance alone seldom comes there."""


def plan(seed: int, steps: int = STEPS) -> list[Step]:
    """The first acts are such that there is something to act on."""
    chance = random.Random(seed)
    names = [name for name in ACTS for _ in range(OFTEN.get(name, 1))]
    begun = [("add", chance.randrange(120)), ("wait", 0), ("add", chance.randrange(120))]
    chosen: list[str] = []
    while len(chosen) < steps:
        chosen += chance.choice(SCENES) if chance.random() < 0.25 else (chance.choice(names),)
    return [*begun, *((name, chance.randrange(120)) for name in chosen[:steps])]


def play(steps: Sequence[Step]) -> list[str]:
    """The walk; what does not hold, with all that was done until then."""
    ground = Ground()
    try:
        wrong = _walk(Person(ground), steps)
        return [*wrong, *ground.said, ground.story()] if wrong else []
    except Stuck as stuck:
        return [str(stuck), *ground.said]
    finally:
        ground.close()


def _walk(person: Person, steps: Sequence[Step]) -> list[str]:
    for name, number in steps:
        person.do(name, number)
        wrong = person.promises.broken(at_rest=name == "wait")
        if wrong:
            return wrong
    person.ground.settle()
    wrong = person.promises.broken(at_rest=True)
    for question in (lead_on, lands_one_more):
        wrong = wrong or question(person) or person.promises.broken(at_rest=True)
    return wrong


def shortened(steps: Sequence[Step]) -> list[Step]:
    """Without every step that is not needed for a promise to break."""
    left = list(steps)
    for size in (4, 2, 1):
        at = 0
        while at < len(left):
            fewer = [*left[:at], *left[at + size :]]
            if play(fewer):
                left = fewer
            else:
                at += size
    return left
