"""Actions on the page: its table has each thing that a person may do, as a call, a link or a line to type."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_route_table import NOT_ON_THE_PAGE

from toryo.domain.actions import Do
from toryo.fronts.action_calls import forms
from toryo.fronts.web.routes import ROUTES

SOURCE = (Path(__file__).parents[2] / "web/src/state/answers.ts").read_text()
TERMINAL_ONLY = set(re.findall(r'"(\w+)"', SOURCE.partition("TERMINAL_ONLY")[2].partition("]")[0]))
KNOWN = set(re.findall(r'^\s+case "(\w+)":', SOURCE, re.MULTILINE))
LOOKED_AT = {
    Do.ATTACH: "a window is of a terminal",
    Do.DOCTOR: "it speaks of programs of the machine",
    Do.WAIT: "the event channel tells",
}
"""Calls of the daemon that are lines to type on the page."""
BY_DEFAULT = {Do.START_SESSION, Do.SHOW_TASK, Do.REVERT}
"""Of which the page shows the line: an orchestrator's, and what a refusal leads to."""


@pytest.mark.parametrize("do", list(Do))
def test_every_action_is_an_answer_of_the_page_or_a_line_to_type(do: Do) -> None:
    assert (do in KNOWN) + (do in TERMINAL_ONLY) + (do in BY_DEFAULT) == 1


def test_the_page_names_no_action_that_there_is_not() -> None:
    assert set(Do) >= KNOWN | TERMINAL_ONLY


@pytest.mark.parametrize("do", sorted(forms()))
def test_every_action_that_is_a_call_has_a_route(do: Do) -> None:
    tool, arguments = forms()[do]
    if do in LOOKED_AT:
        assert do in TERMINAL_ONLY
        return
    assert do not in TERMINAL_ONLY
    assert tool not in NOT_ON_THE_PAGE
    gives = [
        {part[1:-1] for part in one.path.split("/") if part.startswith("{")} | set(one.arguments.model_fields)
        for one in ROUTES
        if one.tool == tool
    ]
    assert any(arguments <= one for one in gives), (tool, arguments, gives)
