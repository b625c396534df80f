"""Spec-kit's documents: their titles, their open points, and the names of their directories."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.speckit.directories import by_id, by_number
from toryo.domain.speckit.documents import open_points, story_titles, title

SPEC = """<!-- # Feature Specification: a comment -->
# Feature Specification: Sign in by mail

### User Story 1 - Sign in (Priority: P1)

- **FR-001**: the link holds for [NEEDS CLARIFICATION: how long?] and is sent once.
- **FR-002**: [NEEDS CLARIFICATION:  which
  provider?]
"""


def test_the_title_is_in_the_specs_heading() -> None:
    assert title(SPEC) == "Sign in by mail"
    assert title("# Something else #\n") == "Something else"
    assert title("no heading") == ""


def test_open_points_are_listed_each_once() -> None:
    assert open_points(SPEC, "[NEEDS CLARIFICATION: how long?]") == ("how long?", "which provider?")
    assert open_points("[NEEDS CLARIFICATION") == ("",)
    assert open_points("all is clear") == ()


def test_stories_have_their_titles() -> None:
    assert story_titles(SPEC) == {"US1": "Sign in (Priority: P1)"}


def test_a_missions_directory_has_eight_hex_digits_and_is_always_the_same() -> None:
    name = by_id("n3kd92m1")
    assert re.fullmatch(r"specs/SPEC-[0-9a-f]{8}/", name)
    assert by_id("n3kd92m1") == name
    assert by_id("n3kd92m1", [name.split("/")[1].upper()]) != name


def test_a_numbered_directory_follows_the_highest_number() -> None:
    assert by_number("Sign in by mail", ["001-a", "012-b", "SPEC-00ff00ff"]) == "specs/013-sign-in-by-mail/"
    assert by_number("ログイン", []) == "specs/001-mission/"


@given(st.text(), st.lists(st.from_regex(r"\d{3,4}-[a-z]{1,5}", fullmatch=True)))
def test_a_directory_is_never_one_that_exists(text: str, existing: list[str]) -> None:
    name = by_number(text, existing)
    assert re.fullmatch(r"specs/\d{3,}-[a-z0-9][a-z0-9_-]*/", name)
    assert name.split("/")[1] not in existing
    assert by_id(text, [by_id(text).split("/")[1]]) != by_id(text)
