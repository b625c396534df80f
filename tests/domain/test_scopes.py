"""Scopes: exclude, then read, then write (S4-18, S4-19); patterns as git reads them in .gitignore."""

from __future__ import annotations

import pathspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toryo.domain.scopes import Scope, matches, may_overlap

names = st.sampled_from(("a", "b", "ab", "a.py", "b.py", ".env", "src"))
paths = st.lists(names, min_size=1, max_size=4).map("/".join)
parts = st.sampled_from(
    ("a", "b", "ab", "src", ".env", "*", "*.py", "a*", "?", "a?", "[ab]", "[!a]", "[a-c].py", "a**b", "**")
)


@st.composite
def patterns(draw) -> str:
    body = "/".join(draw(st.lists(parts, min_size=1, max_size=4)))
    return draw(st.sampled_from(("", "/"))) + body + draw(st.sampled_from(("", "", "/")))


@settings(max_examples=400)
@given(patterns().filter(lambda one: not one.endswith("/**/")), paths)
@example("**", "a")
@example("a/**/b", "a/b")
@example("a/**", "a")
@example("**/", "a")
@example("secrets/", "x/secrets/key")
@example("/src", "src/a")
def test_a_pattern_matches_what_git_would_ignore_by_it(pattern, path):
    spec = pathspec.GitIgnoreSpec.from_lines([pattern])
    assert matches((pattern,), path) == spec.match_file(path), (pattern, path)


@pytest.mark.parametrize(
    ("path", "expected"), [("a/f", False), ("a/b/f", True), ("a/b/c/f", True), ("f", False)]
)
def test_two_stars_and_a_slash_at_the_end_mean_folders(path, expected):
    """As git does it; pathspec takes `a/**/` for `a/`."""
    assert matches(("a/**/",), path) is expected


@settings(max_examples=400)
@given(st.lists(patterns(), max_size=3), st.lists(patterns(), max_size=3), paths)
def test_scopes_that_share_a_file_may_overlap(one, other, path):
    if matches(one, path) and matches(other, path):
        assert may_overlap(tuple(one), tuple(other))


@given(st.lists(patterns(), max_size=3).map(tuple), st.lists(patterns(), max_size=3).map(tuple))
def test_overlap_has_no_direction(one, other):
    assert may_overlap(one, other) == may_overlap(other, one)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("src/a/",), ("src/b/",), False),
        (("src/a/*.py",), ("src/a/b/",), True),
        (("src/",), ("src/a.py",), True),
        (("docs/**",), ("src/**",), False),
        (("*.py",), ("src/a.py",), True),
        (("README.md",), ("src/",), True),
        ((), ("src/",), False),
        (None, ("src/",), False),
        (None, None, False),
    ],
)
def test_scopes_part_where_their_folders_part_and_an_unset_one_allows(one, other, expected):
    assert may_overlap(one, other) is expected


def test_exclude_wins_over_read_and_write():
    scope = Scope(exclude=(".env", "secrets/"), read=("**",), write=("**",))
    for path in (".env", "deep/.env", "secrets/key", "app/secrets/a/b"):
        assert not scope.may_read(path)
        assert not scope.may_write(path)
    assert scope.may_write("src/a.py")


def test_what_write_does_not_match_is_read_only():
    scope = Scope(read=("docs/",), write=("src/",))
    assert (scope.may_read("docs/a.md"), scope.may_write("docs/a.md")) == (True, False)
    assert (scope.may_read("src/a.py"), scope.may_write("src/a.py")) == (True, True)
    assert (scope.may_read("etc/a"), scope.may_write("etc/a")) == (False, False)


def test_an_unset_write_scope_allows_and_an_empty_one_forbids():
    assert Scope().may_write("anything")
    assert not Scope(write=()).may_write("anything")


@given(
    st.lists(patterns(), max_size=3).map(tuple),
    st.lists(patterns(), max_size=3).map(tuple),
    st.none() | st.lists(patterns(), max_size=3).map(tuple),
    paths,
)
def test_no_path_is_excluded_and_yet_touched(exclude, read, write, path):
    scope = Scope(exclude, read, write)
    if scope.is_excluded(path):
        assert not scope.may_read(path)
        assert not scope.may_write(path)
