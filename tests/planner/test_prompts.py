"""What stands in a request: its templates, every section that its purpose needs, and no other."""

from __future__ import annotations

import pytest

from planner.briefs import a_brief
from toryo.planner.answers import PURPOSES
from toryo.planner.models.model import Voice
from toryo.planner.prompts.compose import compose
from toryo.planner.prompts.templates import AS_THE_PERSON, OF_PURPOSE, template
from toryo.protocol.kinds.planner import BranchBrief, Brief

QUESTIONS = {"QUESTION-one", "ANSWER-one", "QUESTION-two", "DEFAULT-two"}
PLAN = {"SPEC-text", "PLAN-text", "PLANNED-one", "DESCRIBED-one", "WRITE/**", "TASKCHECK", "US1", "version 3"}
TASKS = {"TASK-one", "TASKTEXT-one", "running"}
AGENTS = {"AGENT-haru", "ROLE-api", "codex", "SCOPE/**", "At most 7"}
REPOSITORY = {"SCAN of", "TARGET-main", "CHECK-make-test"}
MESSAGES = {"MESSAGE-one"}
FINISHED = {"FINISHED-old", "specs/SPEC-1", "OLD-sum", "n0"}
NEEDED = {
    "question": QUESTIONS | MESSAGES | FINISHED | REPOSITORY | {"POINT-open"},
    "plan": QUESTIONS | MESSAGES | REPOSITORY | AGENTS | PLAN | TASKS
    | {"REJECTED-because", "FAULT-cycle", "DEMAND-new"},
    "analyze": QUESTIONS | REPOSITORY | AGENTS | PLAN,
    "judge": QUESTIONS | TASKS | {"JUDGED-one", "OUTPUT-end", "failed (checks)", "CHECK-make-test"},
    "impact": QUESTIONS | MESSAGES | PLAN | TASKS | {"DEMAND-new"},
    "summarise": QUESTIONS | MESSAGES | TASKS,
    "check": set(),
}  # fmt: skip
EVERYTHING = set().union(*NEEDED.values())


def told(purpose: str, **more: object) -> str:
    request = compose(purpose, a_brief(**more))
    assert [turn.voice for turn in request.turns] == [Voice.PERSON]
    return request.turns[0].text


@pytest.mark.parametrize("purpose", PURPOSES)
def test_each_template_stands_whole_in_the_request_of_its_purpose(purpose):
    rules = compose(purpose, a_brief()).instructions
    for name in OF_PURPOSE[purpose]:
        assert template(name) in rules
    assert AS_THE_PERSON in rules
    others = {name for names in OF_PURPOSE.values() for name in names} - set(OF_PURPOSE[purpose])
    assert not [name for name in others if template(name) in rules]


def test_a_language_of_the_settings_takes_the_place_of_the_persons():
    rules = compose("plan", a_brief(language="Japanese")).instructions
    assert "in Japanese" in rules
    assert AS_THE_PERSON not in rules


@pytest.mark.parametrize("purpose", PURPOSES)
def test_a_request_says_what_its_purpose_needs_and_nothing_else(purpose):
    text = told(purpose)
    assert "REQUEST-kumo" in text
    assert [word for word in sorted(NEEDED[purpose]) if word not in text] == []
    strange = EVERYTHING - NEEDED[purpose] - {"POINT-open"}  # which a whole specification holds
    assert [word for word in sorted(strange) if word in text] == []


def test_headings_without_content_are_left_out():
    text = told("plan", questions=(), conversation=(), plan=None, rejected="", faults=(), demand="", tasks=())
    assert not [line for line in text.splitlines() if line.startswith("## ") and "rejected" in line]
    assert "Questions" not in text
    assert "\n\n\n" not in text


def test_the_grammar_of_spec_kit_is_asked_for():
    rules = compose("plan", a_brief()).instructions
    for heading in (
        "# Feature Specification:",
        "## User Scenarios & Testing",
        "### User Story 1 - TITLE (Priority: P1)",
        "**Why this priority**",
        "**Independent Test**",
        "**Acceptance Scenarios**",
        "### Edge Cases",
        "## Requirements",
        "**FR-001**",
        "### Key Entities",
        "## Success Criteria",
        "**SC-001**",
        "## Assumptions",
        "[NEEDS CLARIFICATION:",
        "# Implementation Plan:",
        "## Summary",
        "## Technical Context",
        "## Constitution Check",
        "## Project Structure",
        "## Complexity Tracking",
    ):
        assert heading in rules, heading


def test_a_small_change_is_told_that_one_agent_is_enough():
    assert "one agent is enough" in told("plan", size="small")
    assert "judged to be a small change" not in told("plan", size="normal")


def test_a_repository_without_tests_is_asked_for_a_set_up_task():
    assert "sets up a test framework" in told("plan", has_tests=False)
    assert "sets up a test framework" not in told("plan")


def test_of_a_long_output_the_end_is_shown():
    task = a_brief().task.model_copy(update={"output": "BEGIN" + "x" * 50_000 + "END"})
    text = told("judge", task=task)
    assert "END" in text
    assert "BEGIN" not in text
    assert len(text) < 10_000


def test_a_branch_is_summarised_from_its_log_and_its_files_by_rules_of_its_own():
    brief = Brief(
        mission="",
        purpose="summarise",
        text="",
        target="main",
        branch=BranchBrief(name="feature/x", log="abc Add a form", stat=" login.py | 2 +"),
    )
    request = compose("summarise", brief)
    assert "# Summarise a branch" in request.instructions
    assert "will stand in its place" not in request.instructions
    for words in ("feature/x, whose work goes to main", "Add a form", "login.py"):
        assert words in request.turns[0].text
