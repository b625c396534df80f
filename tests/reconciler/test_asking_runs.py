"""A run that brought nothing and ended with a question waits for a person's answer, and goes on with it."""

from __future__ import annotations

from typing import Any

import pytest
from fact_builders import a_landing, a_run, an_outside_run, decide, said, shown, work

from toryo.domain.words import Purpose, Verb
from toryo.reconciler.agent_questions import is_question
from toryo.reconciler.subjects import RunFacts

ASKED = "I looked at both.\n\nShould the key be sorted by name or by date?"
EMPTY = work(0)


def a_run_that_asks(generation: int = 1, **facts: Any) -> RunFacts:
    return a_run(generation, **{"words": ASKED, "collected": EMPTY, **facts})


@pytest.mark.parametrize(
    "words",
    [
        "Which of the two?",
        "I could do either.\n\n**Shall I go on?**\n",
        "Do you want A or B? Please tell me.",
        "Which one do you prefer?\n\n1. SQLite\n2. PostgreSQL\n",
        "Which one?\n- a\n- b",
        'Did you mean "sort"?)',
        "どちらにしますか？",
        "どちらにしますか？教えてください。",
        "進めてもよろしいでしょうか。",
    ],
)
def test_last_words_that_ask_are_a_question(words):
    assert is_question(words)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "All done.",
        "Why did it fail? A path was wrong.\n\nI mended it.",
        "See https://example.org/?page=1 for more.",
        "I replaced `a ? b : c` by an if.",
        "Here it is:\n```\nreally?\n```\n",
        "作業が完了しました。",
    ],
)
def test_other_last_words_are_none(words):
    assert not is_question(words)


def test_a_run_that_brought_nothing_and_asks_waits_for_a_person():
    decision = decide(a_run_that_asks())
    assert shown(decision) == "needs_review asked"
    assert decision.detail == "the agent asks: I looked at both. Should the key be sorted by name or by date?"


def test_of_many_words_the_end_is_shown():
    detail = decide(a_run_that_asks(words="long " * 500 + "- which?")).detail
    assert (len(detail) < 500, detail.endswith("long - which?")) == (True, True)


def test_an_agent_whose_question_was_refused_by_its_client_asks_too():
    decision = decide(a_run_that_asks(words="I need a decision on the format.", denied=("AskUserQuestion",)))
    assert shown(decision) == "needs_review asked"


def test_a_question_beside_commits_holds_nothing_up():
    assert shown(decide(a_run(words=ASKED))) == "verifying queued"


def test_a_question_of_a_run_that_failed_is_a_failure():
    assert shown(decide(a_run_that_asks(exit_code=1))) == "failed exit:1"


@pytest.mark.parametrize("purpose", [Purpose.IMPLEMENT, Purpose.FIX, Purpose.RESOLVE])
def test_an_answer_is_one_more_run_of_the_same_purpose_in_the_same_attempt(purpose):
    old = EMPTY if purpose is Purpose.IMPLEMENT else work(1, new_commits=0)
    run = a_run_that_asks(2, purpose=purpose, collected=old)
    decision = decide(a_run(1), run, verbs=(said(Verb.ANSWER, "asked", generation=2),))
    assert (shown(decision), decision.purpose) == ("ready answered", purpose)


def test_each_question_needs_its_own_answer():
    answer = said(Verb.ANSWER, "asked", generation=1)
    assert shown(decide(a_run_that_asks(1), a_run_that_asks(2), verbs=(answer,))) == "needs_review asked"


def test_a_run_that_only_asked_is_none_of_two_without_a_commit():
    answer = said(Verb.ANSWER, "asked", generation=1)
    assert shown(decide(a_run_that_asks(1), a_run(2, collected=EMPTY), verbs=(answer,))) == "ready no_commit"


def test_a_run_that_only_asked_costs_no_fix_credit():
    answer = said(Verb.ANSWER, "asked", generation=3)
    asking = a_run_that_asks(3, purpose=Purpose.FIX)
    fixes = [a_run(2, Purpose.FIX), asking, a_run(4, Purpose.FIX)]
    red = a_landing(generation=4, ended="red")
    assert shown(decide(a_run(1), *fixes, landings=(red,), verbs=(answer,))) == "ready checks_failed"


def test_what_two_runs_without_a_commit_said_at_last_is_shown():
    empty = {"collected": EMPTY, "words": "Nothing is to be done."}
    decision = decide(a_run(1, **empty), a_run(2, **empty))
    assert shown(decision) == "needs_review no_commit"
    assert decision.detail.endswith("its last words: Nothing is to be done.")


def test_an_outside_agent_that_only_asks_is_a_persons_too():
    assert shown(decide(an_outside_run(collected=EMPTY, words=ASKED))) == "needs_review asked"
