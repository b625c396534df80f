"""A coordinator that stood still in an order while another one of its name did everything is fenced."""

from __future__ import annotations

import pytest
from campaign_ground import Ground, difference

from chaos import invariants, playing, states
from chaos.campaign import ON_THE_WAY
from chaos.cases import CASES
from chaos.place import HANDS, is_alive

pytestmark = pytest.mark.long

POINTS = (*(f"{kind}.before" for kind in ON_THE_WAY), "prepare.after", "launch.written", "accept.after")


@pytest.mark.parametrize("point", POINTS)
def test_the_effect_of_a_superseded_coordinator_is_refused(ground: Ground, point: str) -> None:
    case = next(one for one in CASES if one.point == point and one.state not in ("waits", "screen"))
    with ground.place() as place:
        wanted = playing.undisturbed(place, case.state, case.act)
        _, first = playing.come_to(place, case)
        place.disarm()
        del place.pids[HANDS]
        place.start(HANDS)
        if point == "launch.written":  # its shim lives and may yet be let go: the second one waits for it
            place.until(
                lambda: place.rows("select 1 from coordinators where pid = ?", place.pids[HANDS]), "it"
            )
        else:
            place.until(lambda: states.at_rest(place), "the second one does everything")
        place.let_go(first)
        place.until(lambda: not is_alive(first), "the first one is told and leaves")
        place.until(lambda: states.at_rest(place), "nothing is begun anew")
        assert difference(playing.look(place), wanted) == ""
        assert invariants.broken(place) == []
