"""Ids of units: told from every other id by their text alone."""

from __future__ import annotations

import pytest

from toryo.domain.naming import is_unit_id, top_of
from toryo.domain.units import LONGEST_PART, child_unit, planned_unit


@pytest.mark.parametrize(
    ("planned", "title", "number", "unit"),
    [
        ("T003", "Log in", 1, "t003_log_in"),
        ("T003", "Log in", 2, "t003_log_in_2"),
        ("T1024", "root", 1, "t1024_root"),
        ("T001", "ログイン", 1, "t001_unit"),
        ("T001", "a - b/c", 1, "t001_a_b_c"),
    ],
)
def test_a_planned_unit_is_named_by_its_plan_id_and_title(
    planned: str, title: str, number: int, unit: str
) -> None:
    assert planned_unit(planned, title, number) == unit
    assert is_unit_id(unit)
    assert top_of(child_unit(unit, "log-in")) == unit


def test_a_long_title_is_cut_before_the_number() -> None:
    unit = planned_unit("T001", "word " * 40, 12)
    assert (len(unit) <= LONGEST_PART, unit.endswith("_12")) == (True, True)


@pytest.mark.parametrize("text", ["root", "root-a", "t003_log_in", "t003_log_in-form", "root-rewrite_it"])
def test_ids_of_units_are_known(text: str) -> None:
    assert is_unit_id(text)


@pytest.mark.parametrize("text", ["t3kd92m1x", "rootless", "r3kd92m1x", "n3kd92m1x", "t003", "", "my_branch"])
def test_no_other_id_is_taken_for_a_unit(text: str) -> None:
    assert not is_unit_id(text)
