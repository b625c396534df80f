"""One JSON object out of a model's text, in the form of its purpose; what is broken is never guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.planner.answers import PURPOSES, Parts, read
from toryo.planner.json_text import objects_in

TASK = {"id": "T001", "title": "Brew"}
PLAN = {"spec": "# S {x}", "plan": "# P", "parallelism": 2, "tasks": [TASK]}
ANSWERS = {
    "question": {"title": "Tea", "size": "small", "questions": [{"id": "q1", "text": "Green?"}]},
    "plan": PLAN,
    "analyze": {"findings": [{"where": "spec", "text": "vague", "fatal": True}]},
    "judge": {"action": "rework", "note": "again", "question": None},
    "impact": {"affected": ["T001"], "note": "n", "replan": True},
    "summarise": {"summary": "s"},
    "check": {"anything": 1},
}


@pytest.mark.parametrize("purpose", PURPOSES)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "```json\n{}\n```",
        "Here you are:\n\n{}\n\nIs that what you meant by {{braces}}?",
        "An empty one would be {{}}, but: {}",
        "I use the form {{spec}} of `{{}}`.\n```\n{}```",
    ],
)
def test_every_answer_is_found_among_prose_and_fences(purpose, around):
    wanted = ANSWERS[purpose]
    found = read(purpose, around.format(json.dumps(wanted, indent=1))).value
    assert found is not None
    assert {key: found[key] for key in wanted if key != "tasks"} == {
        key: value if key != "questions" else found[key] for key, value in wanted.items() if key != "tasks"
    }


def test_fields_that_the_form_does_not_know_are_left_out_and_defaults_filled_in():
    found = read("plan", json.dumps({**PLAN, "mood": "good", "tasks": [{**TASK, "colour": "green"}]})).value
    assert found is not None
    assert "mood" not in found
    assert "colour" not in found["tasks"][0]
    assert (found["tasks"][0]["worktree"], found["tasks"][0]["write"]) == ("new", None)


def test_line_breaks_within_a_string_are_taken():
    assert read("summarise", '{"summary": "one\ntwo\tthree"}').value == {"summary": "one\ntwo\tthree"}


def test_what_stands_within_a_broken_object_is_no_answer():
    text = '{"findings": [{"where": "a", "text": "b", "findings": []}, ], "x": 1}'
    told = read("analyze", text)
    assert told.value is None
    assert "broken" in told.complaints[0]


@pytest.mark.parametrize(
    ("purpose", "text", "complaint"),
    [
        ("judge", "I would try again.", "no JSON object"),
        ("judge", '{"action": "dance"}', "action: Input should be"),
        ("judge", '{"note": "x"}', "action: Field required"),
        ("plan", '{"spec": "s", "plan": "p", "tasks": []}', "tasks: "),
        ("plan", '{"spec": "s", "plan": "p", "tasks": [{"id": "T1"}]}', "tasks.0.title"),
        ("question", '{"title": "x"}', "questions: is missing"),
        ("impact", '{"note": "x"}', "affected: is missing"),
        ("summarise", '{"summary": "and so on', "broken in its line 1"),
    ],
)
def test_a_complaint_says_what_is_wrong_and_where(purpose, text, complaint):
    told = read(purpose, text)
    assert told.value is None
    assert complaint in " ".join(told.complaints)


def test_what_no_database_and_no_encoding_takes_is_replaced():
    found = read("summarise", '{"summary": "a\\u0000b\\ud800c", "x\\ud800": 1}').value
    assert found == {"summary": "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"}


@given(st.text(), st.text(), st.dictionaries(st.text(), st.text()))
def test_whatever_stands_around_reading_never_fails_and_the_json_can_be_encoded(before, after, inner):
    text = f"{before}{json.dumps(inner)}{after}"
    for one in objects_in(text).objects:
        json.dumps(one, ensure_ascii=False).encode()


def test_a_deep_or_huge_text_is_read_in_bounded_time():
    assert objects_in("{" * 100_000).objects == ()
    assert objects_in('{"a":' * 20_000 + "1" + "}" * 20_000).complaint
    assert objects_in('{"a": ' + "9" * 50_000 + "}").complaint


def test_a_plan_in_parts_is_put_together_and_a_task_told_twice_counts_once():
    parts = Parts()
    for text in (
        '{"part": 1, "spec": "S"}',
        '{"part": 2, "plan": "P", "parallelism": 3}',
        '{"part": 3, "tasks": [{"id": "T001", "title": "a"}]}',
        '{"tasks": [{"id": "T001", "title": "a"}, {"id": "T002", "title": "b"}]}',
        '{"part": 5, "tasks": []}',
    ):
        assert not parts.is_whole
        value = parts.read(text).value
        assert value is not None
        parts = parts.with_part(value)
    assert parts.is_whole
    joined = parts.joined().value
    assert joined is not None
    assert (joined["spec"], joined["plan"], joined["parallelism"]) == ("S", "P", 3)
    assert [one["id"] for one in joined["tasks"]] == ["T001", "T002"]


def test_a_part_that_was_not_asked_for_is_refused():
    assert Parts().read('{"part": 3, "spec": "x"}').complaints == ("part: must be 1",)
    assert "spec: Field required" in Parts().read('{"tasks": []}').complaints


def test_a_plan_whose_parts_hold_no_task_is_no_plan():
    parts = Parts(({"spec": "S"}, {"plan": "P", "parallelism": 1}), is_whole=True)
    assert parts.joined().value is None
