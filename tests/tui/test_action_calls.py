"""The table from action to tool call knows every action, and no tool that the daemon has not."""

from __future__ import annotations

import pytest

from toryo.daemon.tools.table import table
from toryo.domain.actions import Do
from toryo.engine.context import CallerKind
from toryo.fronts import action_calls
from toryo.fronts.action_calls import TYPED, Call, call, forms

TOOLS = {tool.name: tool for tool in table().allowed(CallerKind.OPERATOR)}


@pytest.mark.parametrize("do", list(Do))
def test_every_action_is_either_a_call_or_a_line_to_type(do: Do) -> None:
    assert (do in forms()) != (do in TYPED)


@pytest.mark.parametrize("do", sorted(forms()))
def test_a_call_is_a_tool_of_the_daemon_with_arguments_that_it_takes(do: Do) -> None:
    tool, arguments = forms()[do]
    assert tool in TOOLS
    assert arguments <= set(TOOLS[tool].arguments.model_fields)


def test_an_action_becomes_the_call_with_its_subject_and_its_arguments() -> None:
    def made(do: str, subject: str, **args: str) -> Call | None:
        return call({"do": do, "subject": subject, "args": args, "line": ""})

    assert made("approve_target", "main", project="p1") == Call(
        "approve_target", {"target": "main", "project": "p1"}
    )
    assert made("budget_mission", "n1", limit="tokens=0") == Call(
        "budget_mission", {"mission": "n1", "budget": {"tokens": 0.0}}
    )
    assert made("reject", "t1") == Call("reject_task", {"task": "t1"}, wants="note")
    assert made("install", "") is None


def test_no_secret_is_shown_by_a_call() -> None:
    assert Do.PASSKEY in action_calls.TYPED
