"""Subjects: one typed name for what is marked, spoken about and reported on."""

from __future__ import annotations

import pytest

from toryo.domain import subjects
from toryo.domain.subjects import SubjectKind


def test_a_subject_is_read_back_into_its_kind_and_name() -> None:
    assert subjects.parse(subjects.task("t1")) == (SubjectKind.TASK, "t1")
    assert subjects.parse(subjects.target("p1", "feature/x")) == (SubjectKind.TARGET, "p1/feature/x")
    assert subjects.parse(subjects.account("m1", "claude")) == (SubjectKind.ACCOUNT, "m1/claude")


def test_a_kind_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="orchard"):
        subjects.parse("orchard:1")


def test_what_is_not_said_is_the_narrowest_of_run_task_and_project() -> None:
    assert subjects.narrowest(project="p1", task="t1", run="r1") == "run:r1"
    assert subjects.narrowest(project="p1", task="t1") == "task:t1"
    assert subjects.narrowest(project="p1") == "project:p1"
    assert subjects.narrowest() == ""
