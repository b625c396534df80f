"""Daemon and planner killed at the transactions of a mission, one after the other: all ends as without it."""

from __future__ import annotations

import pytest
from campaign_ground import Ground, difference

from chaos.cases import Case
from chaos.victims import DAEMON, PLANNER_AND_DAEMON

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

DRAINS = 24
"""Decisions from the stored sentence to its tasks and their files, and some more."""
FACTS = 12


def cases(point: str, times: int) -> list[Case]:
    victims = (DAEMON, PLANNER_AND_DAEMON)
    return [Case(f"{point}@{n}", victims[n % 2], "wished", "converse") for n in range(1, times + 1)]


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize(("point", "times"), [("drain.decided", DRAINS), ("facts.kept", FACTS)])
def test_no_word_is_lost_no_question_asked_twice_and_no_approved_effect_repeated(
    ground: Ground, point: str, times: int, part: int
) -> None:
    mine = cases(point, times)[part::4]
    assert ground.check(mine, lambda case, end, wanted: difference(end, wanted)) == []
