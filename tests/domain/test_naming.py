"""Names of branches and worktrees (S3-34…40)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.naming import LONGEST, PREFIX, branch_of, free_name, slug, task_name

ID = "t0123abcd"
ids = st.from_regex(r"t[0-9a-hjkmnp-tv-z]{8}", fullmatch=True)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Fix the Login", "fix-the-login"),
        ("a  b\t\nc", "a-b-c"),
        ("src/app\\main", "src-app-main"),
        ("what? (really!) 100%", "what-really-100"),
        ("snake_case stays", "snake_case-stays"),
        ("a - b -- c", "a-b-c"),
        ("-_edges_-", "edges"),
        ("ログイン画面を直す", ""),
        ("İstanbul ß Ａ", "istanbul"),
        ("…!?", ""),
    ],
)
def test_a_title_is_cleaned_by_the_rule(title, expected):
    assert slug(title) == expected


@given(st.text())
def test_a_slug_has_only_the_allowed_characters(title):
    assert re.fullmatch(r"[a-z0-9_-]*", slug(title))


@given(st.text(), ids)
def test_a_name_is_short_clean_and_ends_with_the_id(title, task_id):
    name = task_name(title, task_id)
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name)
    assert len(name) <= LONGEST
    assert name.endswith(f"-{task_id}")


@given(st.text(alphabet=st.characters(categories=["Lo", "So", "Po"], exclude_characters="ªº")))
def test_a_title_of_only_japanese_or_symbols_falls_back_to_the_id(title):
    assert task_name(title, ID) == f"task-{ID}"


def test_a_long_title_is_cut_and_never_ends_in_a_dash_before_the_id():
    name = task_name("a" * 53 + " " + "b" * 40, ID)
    assert name == "a" * 53 + f"-{ID}"
    assert task_name("word " * 40, ID).count("--") == 0


@given(st.text(), ids, ids)
def test_independent_tasks_have_separate_names(title, one, other):
    assert (task_name(title, one) == task_name(title, other)) == (one == other)


def test_every_branch_has_the_prefix():
    assert PREFIX == "agent/"
    assert branch_of("fix-it") == "agent/fix-it"


def test_a_name_that_is_taken_gets_the_next_number():
    taken = {"fix", "fix-2"}
    assert free_name("new", taken.__contains__) == "new"
    assert free_name("fix", taken.__contains__) == "fix-3"


@given(st.text(), ids, st.integers(0, 30))
def test_a_numbered_name_is_free_and_as_short_and_clean_as_any(title, task_id, many):
    taken: set[str] = set()
    for _ in range(many + 1):
        name = free_name(task_name(title, task_id), taken.__contains__)
        assert name not in taken
        assert len(name) <= LONGEST
        assert re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name)
        taken.add(name)
