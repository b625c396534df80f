"""Approval words: a fixed list says what approves a waiting plan, never a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.approval_words import approves

SAID = [
    "y",
    "yes",
    "run it",
    "実行して",
    "はい",
    "ja",
    "oui",
    "sí",
    "sim",
    "да",
    "네",
    "执行",
    "evet",
    "d'accord",
]


@pytest.mark.parametrize("text", SAID)
def test_a_word_of_the_list_approves(text: str) -> None:
    assert approves(text)


@pytest.mark.parametrize(
    "text",
    [
        " Y ",
        "YES!",
        "Run  it.",
        "Yes, please!",
        "ｙｅｓ",
        "ＯＫ！",
        "「実行して」",
        "はい、実行してください。",
        "D’accord !",
        "ok\n",
    ],
)
def test_case_spaces_punctuation_and_full_width_make_no_difference(text: str) -> None:
    assert approves(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "!!!",
        "no",
        "n",
        "please",
        "yes, but use OAuth",
        "yes?",
        "run it?",
        "実行して？",
        "run it tomorrow",
        "do not run it",
        "don't run it",
        "ok let me look at it first",
        "only show me the plan",
        "計画だけ見せて",
        "実行しないで",
        "はい、でもテストを先に",
        "ja, aber ohne Datenbank",
        "is it ok to go on",
        "add rate limiting to the API",
        "y u no work",
        "yes yes no",
        "/yes",
        "not ok",
        "いいえ",
        "不行",
        "不好",
        "아니요",
        "нет",
    ],
)
def test_an_ordinary_sentence_never_approves(text: str) -> None:
    assert not approves(text)


@given(st.sampled_from(SAID), st.text(alphabet=st.characters(categories=["L"]), min_size=20))
def test_a_long_word_that_is_not_on_the_list_approves_nothing(word: str, more: str) -> None:
    assert not approves(more)
    assert not approves(f"{word}, {more}")
    assert not approves(f"{more}. {word}")


@given(st.sampled_from(SAID), st.sampled_from(["not", "don't", "but", "wait", "?"]))
def test_a_word_against_it_approves_nothing(word: str, against: str) -> None:
    assert not approves(f"{against} {word}")
    assert not approves(f"{word} {against}")
