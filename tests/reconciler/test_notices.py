"""A person is told once of each state that waits for them and has stood for a moment."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from toryo.reconciler.notices import (
    AGAIN_S,
    DONE,
    FAILED,
    NEEDS_YOU,
    SETTLE_S,
    Change,
    Decision,
    State,
    Told,
    decide,
)

USUAL = (NEEDS_YOU, FAILED)
REVIEW = State(NEEDS_YOU, "no_commit")


def look(
    changes: Sequence[Change], state: State, *, told: dict[str, Told] | None = None, now: float = 100.0
) -> Decision:
    return decide(changes, {"t1": state}, told or {}, cursor=0, wanted=USUAL, now=now)


def test_a_state_that_has_stood_is_told_once() -> None:
    first = look([Change(1, 90, "t1", NEEDS_YOU)], REVIEW)
    assert (first.tell, first.cursor, first.look_at) == (("t1",), 1, None)
    again = look([Change(2, 91, "t1", NEEDS_YOU)], State(NEEDS_YOU, "another detail"), told=first.told)
    assert again.tell == ()


def test_a_state_of_just_now_waits_and_keeps_the_cursor_before_it() -> None:
    found = look([Change(1, 90, "t2"), Change(2, 99.5, "t1", FAILED)], State(FAILED, "exit:1"))
    assert (found.tell, found.cursor, found.look_at) == ((), 1, 99.5 + SETTLE_S)


def test_a_state_that_passed_within_the_moment_is_never_told() -> None:
    changes = [Change(1, 97.9, "t1", NEEDS_YOU), Change(2, 98.5, "t1")]
    found = look(changes, State())
    assert (found.tell, found.cursor) == ((), 1)
    later = look(changes[1:], State(), told=found.told, now=101)
    assert later.tell == ()


def test_a_task_that_flaps_by_itself_is_told_once_a_minute() -> None:
    changes = [Change(3, 90, "t1"), Change(4, 91, "t1", NEEDS_YOU)]
    before = {"t1": Told(NEEDS_YOU, "no_commit", 100 - AGAIN_S / 2)}
    assert look(changes, REVIEW, told=before).tell == ()
    assert look(changes, State(NEEDS_YOU, "flaky"), told=before).tell == ("t1",)
    long_ago = {"t1": Told(NEEDS_YOU, "no_commit", 100 - AGAIN_S)}
    assert look(changes, REVIEW, told=long_ago).tell == ("t1",)


def test_what_follows_a_persons_own_word_is_news_again() -> None:
    changes = [Change(3, 90, "t1", by_person=True), Change(4, 90, "t1"), Change(5, 91, "t1", NEEDS_YOU)]
    assert look(changes, REVIEW, told={"t1": Told(NEEDS_YOU, "no_commit", 89)}).tell == ("t1",)


def test_done_is_told_where_it_is_wanted() -> None:
    changes = [Change(1, 90, "t1", DONE)]
    assert look(changes, State(DONE)).tell == ()
    asked = decide(changes, {"t1": State(DONE)}, {}, cursor=0, wanted=(DONE,), now=100)
    assert asked.tell == ("t1",)


def test_what_is_done_is_forgotten_after_a_minute_and_told_again_only_when_it_is_done_again() -> None:
    before = {"t1": Told(DONE, "", 100 - AGAIN_S), "t2": Told(DONE, "", 100 - AGAIN_S / 2)}
    said = Change(3, 90, "t1", by_person=True)
    found = decide([said], {"t1": State(DONE)}, before, cursor=2, wanted=(DONE,), now=100)
    assert (found.tell, set(found.told)) == ((), {"t2"})
    again = [Change(4, 91, "t1"), Change(5, 92, "t1", DONE)]
    assert decide(again, {"t1": State(DONE)}, {}, cursor=3, wanted=(DONE,), now=100).tell == ("t1",)


@pytest.mark.parametrize("at", [150.0, 100.1])
def test_events_from_after_now_hold_up_nothing(at: float) -> None:
    assert look([Change(1, at, "t1", FAILED)], State(FAILED)).tell == ("t1",)
