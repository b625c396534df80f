"""A brief near the model's window: what is old and done is shortened, what is open and recent stays whole."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from planner.briefs import a_brief
from toryo.planner.compaction import (
    SUMMARY,
    UNKNOWN,
    compacted,
    most,
    next_part,
    size,
    tokens,
    with_summary,
)
from toryo.planner.prompts.compose import compose
from toryo.protocol.kinds.planner import MessageBrief, TaskBrief

LONG = "words " * 200


def messages(count: int, text: str = LONG) -> tuple[MessageBrief, ...]:
    return tuple(MessageBrief(who="person", text=f"m{number} {text}") for number in range(count))


def test_the_estimate_is_bytes_by_three_whatever_the_language():
    assert tokens("abc") == 1
    assert tokens("茶") == 1
    assert tokens("") == 0
    assert tokens("abcd") == 2


def test_it_begins_at_four_fifths_of_the_window_or_at_12k():
    assert (most(100_000), most(None), UNKNOWN) == (80_000, 12_000, 12_000)


def test_what_fits_is_left_alone():
    brief = a_brief()
    assert compacted("plan", brief, None).brief is brief


def test_old_messages_are_summarised_and_the_last_twenty_stay_word_for_word():
    brief = a_brief(conversation=messages(60))
    step = compacted("plan", brief, None)
    assert [one.text.split()[0] for one in step.old] == [f"m{n}" for n in range(40)]
    short = with_summary(step, "SHORT")
    assert short.conversation[0].text == f"{SUMMARY}SHORT"
    assert short.conversation[1:] == brief.conversation[40:]
    assert compacted("plan", brief, 1_000_000).brief is brief


def test_the_same_messages_have_the_same_key_and_others_another():
    first, more, much, again = (
        next_part(step.brief, "", step.old, None).key
        for step in (
            *(
                compacted("plan", a_brief(conversation=messages(n, "words " * 120)), None)
                for n in (60, 69, 70)
            ),
            compacted("plan", a_brief(conversation=messages(60, "words " * 120), text="other"), None),
        )
    )
    assert first == again == more != much


def test_unfinished_tasks_are_kept_whole_and_of_those_at_rest_the_title():
    done = TaskBrief(id="T1", title="DONE-title", status="done", description="DONE-text" + LONG * 40)
    live = TaskBrief(id="T2", title="LIVE-title", status="running", description="LIVE-text" + LONG)
    short = compacted("impact", a_brief(tasks=(done, live)), None)
    text = compose("impact", short.brief).turns[0].text
    assert short.old == ()
    assert "DONE-title" in text
    assert "DONE-text" not in text
    assert live.description.strip() in text


def test_a_long_description_of_the_repository_is_cut_to_what_fits():
    brief = a_brief(scan="茶" * 40_000 + "END")
    short = compacted("plan", brief, None).brief
    assert size(compose("plan", short)) <= 12_000
    assert size(compose("plan", short)) > 11_900
    assert "(cut: more than fits)" in short.scan


def test_of_old_messages_each_is_in_one_request_and_each_request_fits_and_has_the_summary_before_it():
    step = compacted("plan", a_brief(conversation=messages(400)), None)
    left, summary, told = step.old, "", []
    while left:
        part = next_part(step.brief, summary, left, None)
        assert size(compose("summarise", part.brief)) <= 12_000
        before, taken = part.brief.conversation[: bool(summary)], part.brief.conversation[bool(summary) :]
        assert [one.text for one in before] == [f"{SUMMARY}{summary}"] * bool(summary)
        told += taken
        left, summary = left[part.count :], f"S{len(told)}"
    assert tuple(told) == step.old


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 80), st.integers(0, 3000), st.sampled_from(["plan", "question", "impact"]))
def test_it_ends_and_what_the_person_asked_for_is_always_there(count, length, purpose):
    brief = a_brief(conversation=messages(count, "x" * length), scan="s" * 50_000)
    for _ in range(3):
        step = compacted(purpose, brief, None)
        brief = with_summary(step, "SHORT") if step.old else step.brief
    assert not compacted(purpose, brief, None).old
    text = compose(purpose, brief).turns[0].text
    assert "REQUEST-kumo" in text
    assert [one.text for one in brief.conversation[-20:]] == [
        one.text for one in messages(count, "x" * length)[-20:]
    ] or count > 20
