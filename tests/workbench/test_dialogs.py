"""What the hooks of a CLI say of a dialog on its screen: whether one is open, and what it asks."""

from __future__ import annotations

import json

import pytest

from toryo.workbench.terminals.dialogs import LONGEST, asked

QUESTION = {
    "questions": [
        {"question": "Which colour?", "options": [{"label": "Red"}, {"label": "Blue"}]},
    ]
}

SHELL = {"type": "exec", "title": "Shell"}
MAKES = SHELL | {"command": "make all"}


def lines(*events: dict) -> str:
    return "".join(f"{json.dumps(event)}\n" for event in events)


def event(name: str, tool: str = "", **more: object) -> dict:
    return {"cwd": "/w", "hook_event_name": name, **({"tool_name": tool} if tool else {}), **more}


ASKS = event("PermissionRequest", "AskUserQuestion", tool_input=QUESTION)
WANTS = event("PermissionRequest", "Bash", tool_input={"command": "rm -r build"})
NOTICE = event("Notification", message="Claude needs your permission", notification_type="permission_prompt")


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ([], ""),
        ([ASKS], "Which colour? (1 Red, 2 Blue)"),
        ([WANTS, NOTICE], "may it use Bash: rm -r build"),
        ([event("BeforeTool", "ask_user", tool_input=QUESTION)], "Which colour? (1 Red, 2 Blue)"),
        (
            [event("Notification", notification_type="ToolPermission", message="It asks", details=SHELL)],
            "It asks: Shell",
        ),
        (
            [event("Notification", notification_type="ToolPermission", message="It asks", details=MAKES)],
            "It asks: make all",
        ),
        # beside a tool that ended, the other one still waits
        ([WANTS, event("PostToolUse", "Read")], "may it use Bash: rm -r build"),
        ([event("Notification", notification_type="idle_prompt", message="Claude waits")], ""),
        ([NOTICE], ""),
    ],
)
def test_a_dialog_says_what_it_asks(told, expected):
    assert asked(lines(*told)) == expected


@pytest.mark.parametrize(
    "goes_on",
    [
        event("PostToolUse", "Bash"),
        event("PostToolUseFailure", "Bash"),
        event("UserPromptSubmit", prompt="go on"),
        event("Stop"),
        event("AfterAgent"),
        event("Answered"),
    ],
)
def test_a_dialog_is_over_when_the_agent_goes_on_or_was_answered(goes_on):
    assert asked(lines(WANTS, goes_on)) == ""
    assert asked(lines(WANTS, goes_on, ASKS)) == "Which colour? (1 Red, 2 Blue)"


def test_a_line_that_was_cut_off_is_read_as_far_as_it_goes():
    whole = lines(event("PostToolUse", "Bash", tool_input={"command": "ls"}, tool_response="x" * 9000))
    assert asked(lines(WANTS) + whole[:4000]) == ""
    long = lines(event("PermissionRequest", "Write", tool_input={"content": "y" * 30000}))
    assert asked(long[:20000]) == "may it use Write?"
    wordy = event("PermissionRequest", "Bash", tool_input={"command": "z" * 9000})
    assert len(asked(lines(wordy))) == LONGEST
