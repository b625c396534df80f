"""Reasons as people read them: no code among the words."""

from __future__ import annotations

import pytest

from shown_reasons import shown
from toryo.domain.reason_words import told
from toryo.domain.reasons import Reason, meaning


@pytest.mark.parametrize("reason", sorted({*(reason for _, reason in shown()), *map(str, Reason)}))
def test_no_shown_reason_has_a_code_in_its_words(reason: str) -> None:
    for words in (told(reason), told(reason, "what was seen")):
        assert "_" not in words
        assert words
        assert not words.startswith(f"{reason}:")


@pytest.mark.parametrize(
    ("reason", "detail", "words"),
    [
        ("waiting_for_checkout", "commit a.txt", "waiting for your checkout: commit a.txt"),
        ("exit:3", "the agent exited 3", "the agent exited 3"),
        ("exit:3", "", "the agent exited 3"),
        ("asked", "the agent asks: Which?", "the agent asks: Which?"),
        ("scope_violation", "write a; write b", "its work touches what it may not: write a; write b"),
        ("stopped", "a person stopped the run", "a person stopped its run"),
        ("claimed_failed", "the agent says failed", "its agent says that it failed"),
        ("lost", "2 runs were lost", "2 runs were lost"),
        ("checks_failed", "make test", "its checks failed: make test"),
        ("target_rewound", meaning("target_rewound").sentence, meaning("target_rewound").sentence),
        (
            "base_red",
            f"{meaning('base_red').sentence}: make test",
            f"{meaning('base_red').sentence}: make test",
        ),
    ],
)
def test_the_words_say_the_cause_once(reason: str, detail: str, words: str) -> None:
    assert told(reason, detail) == words
