"""What Gemini CLI's stream-json (and its AfterAgent hook's input) says of a run; driving it is gemini.py."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from toryo.protocol.kinds.run import Said, Usage
from toryo.workbench.clients import streams
from toryo.workbench.clients.limits import error_code, limited
from toryo.workbench.clients.streams import Notes, Record, at, count_at, text_at

WAITS = re.compile(r"^Attempt \d+ failed(?: with status (?P<status>\d+))?.*[Rr]etrying")
STATUS = re.compile(r"^\s+status: (\d{3}),?$")
DENIED = re.compile(r"denied by policy|not allowed|requires confirmation|user denied", re.IGNORECASE)
NOISE = ("YOLO mode is enabled", "Warning: True color", "Ripgrep is not available", "[STARTUP]")


def read(lines: Iterable[str], now: datetime | None) -> Said:
    return _noted(lines, now).said()


def _noted(lines: Iterable[str], now: datetime | None) -> Notes:
    notes = Notes()
    words, status = "", None
    tools: dict[str, str] = {}
    for line in lines:
        one = streams.record(line)
        if one is None:
            waits = WAITS.match(line)
            if waits:  # said on standard error only
                code = int(waits["status"]) if waits["status"] else None
                text = line.strip()
                notes.limited = limited(text, status=code, now=now) or limited(text, status=503, now=now)
            told = STATUS.match(line)
            status = int(told[1]) if told else status
            continue
        kind = text_at(one, "type")
        if kind == "init":
            notes.conversation, notes.model = text_at(one, "session_id"), text_at(one, "model")
            notes.result, notes.error, notes.limited, words, status = "none", "", None, "", None
        elif kind == "message" and text_at(one, "role") == "assistant":
            said = text_at(one, "content")
            words = words + said if at(one, "delta") is True else said
            notes.limited, status = None, None
        elif kind == "tool_use":
            tools[text_at(one, "tool_id")] = text_at(one, "tool_name")
            notes.limited, status, words = None, None, ""
        elif kind == "tool_result" and text_at(one, "status") == "error":
            if DENIED.search(text_at(one, "error", "message") or text_at(one, "output")):
                notes.deny(tools.get(text_at(one, "tool_id"), ""))
        elif kind == "result":
            _result(notes, one, words, status, now)
        elif one.get("hook_event_name") == "AfterAgent":
            notes.conversation = text_at(one, "session_id") or notes.conversation
            notes.succeed(text_at(one, "prompt_response"))
        elif isinstance(one.get("error"), dict) and "session_id" in one:  # fatal, on standard error
            notes.conversation = text_at(one, "session_id") or notes.conversation
            _failed(notes, text_at(one, "error", "message"), count_at(one, "error", "code"), now)
    return notes


def _result(notes: Notes, one: Record, words: str, status: int | None, now: datetime | None) -> None:
    notes.usage = Usage(
        input_tokens=count_at(one, "stats", "input_tokens"),
        cached_tokens=count_at(one, "stats", "cached"),
        output_tokens=count_at(one, "stats", "output_tokens"),
    )
    if text_at(one, "status") == "success":
        notes.succeed(words)
    else:
        _failed(notes, text_at(one, "error", "message"), status, now)


def _failed(notes: Notes, message: str, status: int | None, now: datetime | None) -> None:
    known = status if status is not None and 400 <= status < 600 else None  # else an exit code of the CLI's
    notes.fail(error_code(message, known), message, limited(message, status=known, now=now))


def shown(line: str) -> str | None:
    one = streams.record(line)
    kind = text_at(one, "type")
    if kind == "init":
        return f"● Gemini CLI · {text_at(one, 'model')}"
    if kind == "message":
        return text_at(one, "content").strip() or None if text_at(one, "role") == "assistant" else None
    if kind == "tool_use":
        return streams.call_shown(text_at(one, "tool_name"), at(one, "parameters"))
    if kind == "tool_result":
        told = at(one, "output") or text_at(one, "error", "message")
        return streams.answer_shown(told, failed=text_at(one, "status") == "error")
    if kind == "result":
        return streams.end_shown(_noted([line], None))
    return None if line.startswith(NOISE) else streams.other_shown(line, one)
