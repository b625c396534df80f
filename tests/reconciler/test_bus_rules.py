"""Messages of units: what is one, who may tell whom, the line that is read, and which one is told next."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.words import MessageType
from toryo.reconciler.bus import lines
from toryo.reconciler.bus.delivery import MOST_TRIES, State, Try, Waiting, decide, pause_s
from toryo.reconciler.bus.validation import (
    LARGEST,
    BadMessage,
    Member,
    NotRelated,
    checked_data,
    checked_type,
    refuse_strangers,
)

TYPES = [
    "spawn",
    "task_decomposed",
    "progress",
    "child_completed",
    "result",
    "pr_created",
    "merge_request",
    "conflict_found",
    "query",
    "response",
    "instruct",
    "log",
]
SPECIAL = 'It\'s "done"! $HOME; `ls` \\ 日本語 ü 🎉 #{x} %d ~'
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=8), values, max_size=4)


def test_the_types_are_the_ten_of_the_source_and_instruct_and_log() -> None:
    assert sorted(MessageType) == sorted(TYPES)
    assert [checked_type(one) for one in TYPES] == TYPES


@given(st.text().filter(lambda text: text not in TYPES))
def test_any_other_type_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(BadMessage) as refused:
        checked_type(text)
    assert refused.value.hint


def test_a_misspelt_type_is_answered_with_the_nearest() -> None:
    with pytest.raises(BadMessage) as refused:
        checked_type("progres")
    assert refused.value.hint == "Did you mean progress?"


@given(objects)
def test_a_result_that_does_not_say_whether_it_is_an_error_is_refused(data: dict[str, Any]) -> None:
    if isinstance(data.get("is_error"), bool):
        del data["is_error"]
    with pytest.raises(BadMessage):
        checked_data(MessageType.RESULT, data)
    for said in (True, False):
        whole = {**data, "is_error": said}
        assert checked_data(MessageType.RESULT, whole) == whole


@pytest.mark.parametrize("data", [None, [], "text", 1, True])
def test_data_that_are_no_object_are_refused(data: object) -> None:
    with pytest.raises(BadMessage):
        checked_data(MessageType.PROGRESS, data)


def test_data_are_bounded_in_size_and_depth() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    room = LARGEST - len('{"a": ""}')
    assert checked_data(MessageType.LOG, {"a": "x" * room})
    for data in ({"a": "x" * (room + 1)}, {"a": "ü" * (room // 2 + 1)}, {"a": deep}, {"a": float("nan")}):
        with pytest.raises(BadMessage):
            checked_data(MessageType.LOG, data)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=8), st.data())
def test_only_parent_and_child_may_tell_each_other_anything(shape: list[int], data: st.DataObject) -> None:
    """A tree by the parent of each; the first is the root."""
    parents = {0: ""} | {one + 1: str(min(above, one)) for one, above in enumerate(shape)}
    members = [Member(str(one), f"unit-{one}", parents[one]) for one in parents]
    sender, receiver = data.draw(st.sampled_from(members)), data.draw(st.sampled_from(members))
    related = sender.parent == receiver.task or receiver.parent == sender.task
    if related:
        refuse_strangers(sender, receiver)
    else:
        with pytest.raises(NotRelated):
            refuse_strangers(sender, receiver)


@pytest.mark.parametrize(
    ("type", "data", "line"),
    [
        ("result", {"is_error": False, "message": "Done"}, "Status: completed, Message: Done"),
        ("result", {"is_error": True, "summary": "JWT failed"}, "Status: error, Message: JWT failed"),
        ("pr_created", {"title": "PR #123"}, "Status: pr_created, Message: PR #123"),
        ("progress", {"title": "t", "summary": "s", "message": "m"}, "Status: progress, Message: m"),
        ("progress", {"title": "t", "summary": "s", "message": " \n"}, "Status: progress, Message: s"),
        ("query", {"message": 7}, "Status: query, Message: 7"),
        (
            "progress",
            {"message": "one\ntwo\r\tthree\x1b[31m"},
            "Status: progress, Message: one two  three [31m",
        ),
        ("progress", {"message": SPECIAL}, f"Status: progress, Message: {SPECIAL}"),
        ("progress", {"message": "日" * 600}, f"Status: progress, Message: {'日' * 500}"),
        ("result", {"is_error": False}, "Status: completed, Message: Its title"),
    ],
)
def test_a_child_is_heard_as_the_source_says(type: str, data: dict[str, Any], line: str) -> None:
    assert lines.from_child("root-api-users", type, data, "Its title") == f"[CHILD:root-api-users] {line}"


@given(st.sampled_from(TYPES), objects, st.text())
def test_a_line_of_a_child_is_one_line_of_bounded_length(type: str, data: dict[str, Any], title: str) -> None:
    told = lines.from_child("root-a", type, data, title)
    found = re.fullmatch(r"\[CHILD:root-a\] Status: (\w+), Message: (.*)", told)
    assert found
    assert told.splitlines() == [told]
    assert len(found[2]) <= 500
    assert "\x1b" not in told
    told.encode()


@given(objects)
def test_what_a_parent_tells_arrives_as_it_was_given(data: dict[str, Any]) -> None:
    """Every sign, line breaks among them: as JSON on one line."""
    told = lines.from_parent("root", "instruct", data)
    head = "[PARENT:root] Type: instruct, Data: "
    assert told.startswith(head)
    assert told.splitlines() == [told]
    assert json.loads(told.removeprefix(head)) == data


# which one is told next

tries = st.builds(Try, st.sampled_from(State), st.floats(0, 100))


@given(st.integers(0, 5), st.data(), st.floats(0, 1000))
def test_messages_are_told_one_after_the_other_in_the_order_of_the_store(
    count: int, data: st.DataObject, now: float
) -> None:
    waiting = [Waiting(f"m{number}", data.draw(st.integers(0, MOST_TRIES))) for number in range(count)]
    known = {one.id: data.draw(tries) for one in waiting if data.draw(st.booleans())}
    found = decide(waiting, known, now)
    assert len(found.tell) <= 1
    for name in found.tell:
        before = waiting[: [one.id for one in waiting].index(name)]
        assert all(known[one.id].state is State.READY for one in before)
        assert name not in known or known[name].state is State.FAILED
    if any(one.state is State.DEAF for one in known.values()):
        assert found.tell == ()


def test_a_message_whose_try_failed_is_told_again_later_and_nothing_overtakes_it() -> None:
    waiting = [Waiting("a", 1), Waiting("b")]
    failed = {"a": Try(State.FAILED, 100.0)}
    early = decide(waiting, failed, 100.5)
    assert (early.tell, early.look_at) == ((), 100.0 + pause_s(1))
    assert decide(waiting, failed, 100.0 + pause_s(1)).tell == ("a",)


def test_what_lies_ready_for_the_next_step_lets_the_next_one_lie_behind_it() -> None:
    waiting = [Waiting("a"), Waiting("b")]
    assert decide(waiting, {"a": Try(State.READY)}, 0).tell == ("b",)
    assert decide(waiting, {"a": Try(State.ASKED)}, 0).tell == ()


def test_pauses_grow_and_end() -> None:
    pauses = [pause_s(number) for number in range(1, 2000)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (2.0, 60.0)
