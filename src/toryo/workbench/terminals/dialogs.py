"""What an agent on a screen asks and waits for, from what its CLI's own hooks wrote. Pure but for the file.

A dialog is open from the hook that announces it until one that shows the agent going on, or until we answered
it. What is typed as an answer is left to `coordinator/acts/say.py`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ANSWERED = "Answered"
"""Our own line: no hook tells that a permission was given before the tool has ended."""
LONGEST = 500
_EVENT = re.compile(r'"hook_event_name":\s*"(\w+)"')
_TOOL = re.compile(r'"tool_name":\s*"([^"]*)"')
_INPUT = re.compile(r'"tool_input":\s*')
_NOTICES = ("agent_needs_input", "elicitation_dialog", "ToolPermission")
_OPENS = ("PermissionRequest", "BeforeTool")
_ENDS_TOOL = ("PostToolUse", "PostToolUseFailure", "AfterTool")
_QUESTIONS = ("AskUserQuestion", "ask_user")


def asked_now(path: Path | None) -> str:
    """Empty: nothing, or the CLI has no hook that would tell."""
    try:
        return asked(path.read_text("utf-8", "replace")) if path is not None else ""
    except OSError:
        return ""


def asked(lines: str) -> str:
    """What the newest open dialog asks; empty: none is open."""
    is_open: dict[str, str] = {}
    for line in lines.splitlines():
        event = _found(_EVENT, line)
        tool = _found(_TOOL, line)
        if event in _OPENS:
            is_open.pop(tool, None)
            is_open[tool] = words(tool, _inputs(line))
        elif event == "Notification":
            notice = _notice(line)
            if notice and not is_open:
                is_open[""] = notice
        elif event in _ENDS_TOOL:
            is_open.pop(tool, None)
            is_open.pop("", None)
        elif event:  # a new prompt, the end of the turn, or our own answer
            is_open.clear()
    return list(is_open.values())[-1] if is_open else ""


def words(tool: str, inputs: Mapping[str, Any]) -> str:
    if tool in _QUESTIONS:
        found = [_question(one) for one in inputs.get("questions") or () if isinstance(one, Mapping)]
        return _cut(" / ".join(one for one in found if one) or "a question")
    keys = ("command", "file_path", "path", "url", "pattern", "prompt")
    about = next((str(inputs[key]) for key in keys if isinstance(inputs.get(key), str)), "")
    return _cut(f"may it use {tool}{': ' if about else '?'}{about}")


def note_answered(path: Path) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, (json.dumps({"hook_event_name": ANSWERED}) + "\n").encode())
    finally:
        os.close(handle)


def _question(one: Mapping[str, Any]) -> str:
    labels = [str(option.get("label", "")) for option in one.get("options") or () if isinstance(option, dict)]
    numbered = ", ".join(f"{number} {label}" for number, label in enumerate(labels, 1))
    return f"{one.get('question', '')}{f' ({numbered})' if numbered else ''}"


def _notice(line: str) -> str:
    try:
        told = json.loads(line)
    except ValueError:
        return ""
    if told.get("notification_type") not in _NOTICES:
        return ""
    details = told.get("details")
    about = _about(details) if isinstance(details, dict) else ""
    return _cut(": ".join(one for one in (str(told.get("message") or ""), about) if one))


def _about(details: Mapping[str, Any]) -> str:
    """What is to be allowed; else the dialog's title, which says only of what kind it is."""
    found = (details.get(key) for key in ("command", "filePath", "toolDisplayName", "prompt", "title"))
    return next((one for one in found if isinstance(one, str) and one), "")


def _found(pattern: re.Pattern[str], line: str) -> str:
    match = pattern.search(line)
    return match[1] if match else ""


def _inputs(line: str) -> dict[str, Any]:
    """Also of a line that was cut off behind them."""
    match = _INPUT.search(line)
    try:
        found = json.JSONDecoder().raw_decode(line, match.end())[0] if match else {}
    except ValueError:
        found = {}
    return found if isinstance(found, dict) else {}


def _cut(text: str) -> str:
    whole = " ".join(text.split())
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 1]}…"
