"""Kinds of a mission's orders: the planner's six share a brief, and each answer has a form."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from toryo.domain.words import PLANNER_KINDS, OrderKind
from toryo.protocol.kinds.planner import ANSWERS, Brief, PlanAnswer, PlannerInputs, QuestionAnswer
from toryo.protocol.kinds.table import FINAL, INPUTS, KINDS


def test_every_purpose_of_the_planner_has_a_form_of_its_answer_and_takes_a_brief_by_hash() -> None:
    assert set(ANSWERS) == PLANNER_KINDS
    assert all(INPUTS[kind] is PlannerInputs and len(FINAL[kind]) == 1 for kind in PLANNER_KINDS)
    assert not any("text" in name for name in PlannerInputs.model_fields)


def test_orders_of_files_are_a_coordinators() -> None:
    assert not {OrderKind.SCAN, OrderKind.WRITE} & PLANNER_KINDS
    assert FINAL[OrderKind.SCAN] == {"scanned"}
    assert FINAL[OrderKind.WRITE] == {"written"}


def test_an_answer_may_say_more_than_was_asked_and_never_less() -> None:
    assert QuestionAnswer.model_validate({"title": "Limits", "mood": "good"}).questions == ()
    with pytest.raises(ValidationError):
        PlanAnswer.model_validate({"spec": "# s", "plan": "# p", "tasks": []})
    with pytest.raises(ValidationError):
        PlanAnswer.model_validate({"spec": "# s", "plan": "# p", "tasks": [{"id": "T001", "title": ""}]})


def test_a_brief_comes_back_as_it_was_written() -> None:
    brief = Brief(mission="n1", purpose="plan", text="棚を作る", faults=("a cycle: T001, T002",))
    assert Brief.model_validate_json(brief.model_dump_json()) == brief


@pytest.mark.parametrize(
    ("kind", "fact"),
    [
        ("scan", "scanned"),
        ("write", "written"),
        ("question", "questioned"),
        ("plan", "planned"),
        ("analyze", "analyzed"),
        ("judge", "judged"),
        ("impact", "weighed"),
        ("summarise", "summarised"),
    ],
)
def test_an_order_ends_by_its_own_fact_and_a_model_that_is_away_is_told_on_the_way(
    kind: str, fact: str
) -> None:
    row = next(one for one in KINDS if one.kind == kind)
    assert set(row.ends_by) == {fact}
    assert set(row.reports) == ({"model_waiting"} if row.kind in PLANNER_KINDS else set())
