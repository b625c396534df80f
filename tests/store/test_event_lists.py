"""Events for a person: the newest first asked for, of one kind, without what only tells of the machinery."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from simulated_house import a_house

from toryo.domain.event_kinds import PLUMBING
from toryo.usecases.status.events import EventsAsked, list_events

KINDS = ("task_added", "order_reported", "run_started", "order_reported", "fact_late", "task_status")


@pytest.fixture
def asks() -> Iterator[Callable[..., tuple[list[str], int]]]:
    with a_house() as house:
        with house.context.store.change() as tx:
            for kind in KINDS * 3:
                tx.emit(kind, {"n": 1}, task="tnew")

        def ask(**asked: object) -> tuple[list[str], int]:
            _, answer = list_events(house.context, EventsAsked(**{"after": house_began, **asked}))
            return [one["kind"] for one in answer["events"]], answer["next_after"] - answer["newest"]

        _, before = list_events(house.context, EventsAsked(last=len(KINDS) * 3))
        house_began = before["events"][0]["seq"] - 1
        yield ask


def test_plumbing_is_left_out_where_it_is_not_wanted_and_the_place_goes_past_it(asks):
    work = [kind for kind in KINDS if kind not in PLUMBING]
    assert asks(plumbing=False, limit=500) == (work * 3, 0)
    assert asks(limit=500) == (list(KINDS * 3), 0)
    kinds, behind = asks(plumbing=False, limit=2)
    assert (kinds, behind < 0) == (work[:2], True), "a full page ends with its last one"


def test_the_newest_of_a_kind_are_found_from_the_end(asks):
    assert asks(last=2, plumbing=False) == (["run_started", "task_status"], 0)
    assert asks(last=2, kind="order_reported") == (["order_reported"] * 2, 0)
    assert asks(last=50, kind="nothing") == ([], 0)
