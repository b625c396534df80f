"""What OpenCode's `run --format json` says of a run; driving it is opencode.py.

There is no closing record: a run is complete at a step that ended with `stop`; usage is the sum of its steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from toryo.protocol.kinds.run import Limited, Said, Usage
from toryo.workbench.clients import streams
from toryo.workbench.clients.limits import error_code, limited
from toryo.workbench.clients.streams import Notes, Record, at, count_at, price_at, text_at

REJECTED = re.compile(r"permission requested: (\S+)", re.IGNORECASE)
TOLD = re.compile(r'error\.error="((?:[^"\\]|\\.)*)"')
SESSION = re.compile(r"\bsession\.id=(ses_\w+)")
REFUSED = re.compile(r"rejected permission|rule which prevents you", re.IGNORECASE)


def read(lines: Iterable[str], now: datetime | None) -> Said:
    return _noted(lines, now).said()


def _noted(lines: Iterable[str], now: datetime | None) -> Notes:
    notes = Notes()
    words = ""
    for line in lines:
        one = streams.record(line)
        if one is None:
            notes.limited = _waits(line, now) or notes.limited
            session = SESSION.search(line)
            notes.conversation = notes.conversation or (session[1] if session else "")
            rejected = REJECTED.search(line)
            if rejected and "auto-reject" in line:
                notes.deny(rejected[1].rstrip(";:,"))
            continue
        notes.conversation = text_at(one, "sessionID") or notes.conversation
        kind = text_at(one, "type")
        if kind == "step_start":
            notes.result, notes.error, notes.limited = "none", "", None
        elif kind == "text":
            words = text_at(one, "part", "text")
        elif kind == "tool_use":
            if REFUSED.search(text_at(one, "part", "state", "error")):
                notes.deny(text_at(one, "part", "tool"))
        elif kind == "step_finish":
            notes.usage = _more(notes.usage, one)
            if text_at(one, "part", "reason") == "stop":
                notes.succeed(words)
            elif text_at(one, "part", "reason") in ("length", "content-filter", "error"):
                notes.fail(text_at(one, "part", "reason"), words)
        elif kind == "error":
            _failed(notes, one, now)
    return notes


def _waits(line: str, now: datetime | None) -> Limited | None:
    """A try that failed and is made again; `small`: of the model that only finds a title."""
    if 'message="stream error"' not in line or "small=true" in line:
        return None
    told = TOLD.search(line)
    return limited(told[1] if told else line, now=now)


def _failed(notes: Notes, one: Record, now: datetime | None) -> None:
    message = text_at(one, "error", "data", "message") or text_at(one, "error", "name")
    status = count_at(one, "error", "data", "statusCode")
    name = text_at(one, "error", "name")
    if name == "MessageAbortedError":
        notes.fail("interrupted", message)
        return
    code = "login" if name == "ProviderAuthError" else error_code(message, status)
    notes.fail(code, message, limited(message, status=status, resets=_resets(one), now=now))


def _resets(one: Record) -> float | None:
    """From the answer's own header: seconds from the moment it came."""
    wait = text_at(one, "error", "data", "responseHeaders", "retry-after")
    came = count_at(one, "timestamp")
    return came / 1000 + int(wait) if came is not None and wait.isdecimal() else None


def _more(before: Usage | None, one: Record) -> Usage:
    def tokens(*path: str) -> int | None:
        return count_at(one, "part", "tokens", *path)

    was = before or Usage()
    cached = tokens("cache", "read")
    cost = price_at(one, "part", "cost")
    return Usage(
        input_tokens=streams.total(was.input_tokens, tokens("input"), cached, tokens("cache", "write")),
        cached_tokens=streams.total(was.cached_tokens, cached),
        output_tokens=streams.total(was.output_tokens, tokens("output"), tokens("reasoning")),
        turns=(was.turns or 0) + 1,
        cost_usd=was.cost_usd if cost is None else (was.cost_usd or 0) + cost,
    )


def shown(line: str) -> str | None:
    one = streams.record(line)
    kind = text_at(one, "type")
    if kind == "step_start":
        return None
    if kind in ("text", "reasoning"):
        return text_at(one, "part", "text").strip() or None
    if kind == "tool_use":
        state = at(one, "part", "state")
        failed = text_at(state, "status") == "error" or at(state, "metadata", "exit") not in (0, None)
        call = streams.call_shown(text_at(one, "part", "tool"), at(state, "input"))
        answer = streams.answer_shown(text_at(state, "output") or text_at(state, "error"), failed=failed)
        return f"{call}\n{answer}" if answer else call
    if kind == "step_finish" and text_at(one, "part", "reason") == "tool-calls":
        return None
    if kind in ("step_finish", "error"):
        return streams.end_shown(_noted([line], None))
    return streams.other_shown(line, one)
