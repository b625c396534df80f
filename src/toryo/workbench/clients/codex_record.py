"""What Codex's `--json` lines (and its `notify` line) say of a run; driving it is codex.py.

Usage counts the whole conversation, also in a resumed run. The stream names neither version nor model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from toryo.protocol.kinds.run import Said, Usage
from toryo.workbench.clients import streams
from toryo.workbench.clients.limits import error_code, limited
from toryo.workbench.clients.streams import Notes, Record, at, count_at, text_at

WAITS = re.compile(r"^Reconnecting\.\.\.")
REJECTED = re.compile(r"\bERROR codex_core::tools::router: error=(\w+) failed: .*\bRejected\(")
"""On standard error only: a command that the user's own rules forbid, whatever mode the CLI is in."""
REFUSED = re.compile(r"approval policy is never|rejected by user|requires approval|denied by", re.IGNORECASE)


def read(lines: Iterable[str], now: datetime | None) -> Said:
    return _noted(lines, now).said()


def _noted(lines: Iterable[str], now: datetime | None) -> Notes:
    notes = Notes()
    words = ""
    turns = 0
    for line in lines:
        one = streams.record(line)
        if one is None:
            rejected = REJECTED.search(line)
            notes.deny(rejected[1] if rejected else "")
            continue
        kind = text_at(one, "type")
        if kind == "thread.started":
            notes.conversation = text_at(one, "thread_id")
            notes.result, notes.error, notes.limited = "none", "", None
        elif kind == "turn.started":
            turns += 1
        elif kind in ("item.started", "item.updated", "item.completed"):
            words = _item(notes, one) or words
        elif kind == "error":
            message = text_at(one, "message")
            # tried again by itself, or the line before turn.failed
            notes.limited = limited(message, now=now) if WAITS.match(message) else notes.limited
        elif kind == "turn.completed":
            notes.succeed(words)
            notes.usage = _usage(one, turns)
        elif kind == "turn.failed":
            message = text_at(one, "error", "message")
            notes.fail(error_code(message), message, limited(message, now=now))
        elif kind == "agent-turn-complete":  # of `notify`
            notes.conversation = text_at(one, "thread-id") or notes.conversation
            notes.succeed(text_at(one, "last-assistant-message"))
    return notes


def _item(notes: Notes, one: Record) -> str:
    """The agent's words, if it is a message."""
    kind = text_at(one, "item", "type")
    if kind != "error":  # an item `error` may be only a warning
        notes.limited = None
    if kind == "mcp_tool_call" and REFUSED.search(text_at(one, "item", "error", "message")):
        notes.deny(f"{text_at(one, 'item', 'server')}.{text_at(one, 'item', 'tool')}")
    if text_at(one, "item", "status") == "declined":
        notes.deny(kind)
    return text_at(one, "item", "text") if kind == "agent_message" else ""


def _usage(one: Record, turns: int) -> Usage:
    return Usage(
        input_tokens=count_at(one, "usage", "input_tokens"),
        cached_tokens=count_at(one, "usage", "cached_input_tokens"),
        output_tokens=count_at(one, "usage", "output_tokens"),
        turns=turns or None,
    )


def shown(line: str) -> str | None:
    one = streams.record(line)
    kind = text_at(one, "type")
    if kind in ("thread.started", "turn.started", "item.updated"):
        return f"● Codex · {text_at(one, 'thread_id')}" if kind == "thread.started" else None
    if kind in ("item.started", "item.completed"):
        return _item_shown(at(one, "item"), begun=kind == "item.started")
    if kind == "error":
        return f"… {text_at(one, 'message')}"
    if kind in ("turn.completed", "turn.failed"):
        return streams.end_shown(_noted([line], None))
    return streams.other_shown(line, one)


def _item_shown(item: Record, *, begun: bool) -> str | None:
    kind = text_at(item, "type")
    if kind == "command_execution":
        if begun:
            return streams.call_shown("shell", at(item, "command"))
        return streams.answer_shown(
            at(item, "aggregated_output"), failed=at(item, "exit_code") not in (0, None)
        )
    if kind == "mcp_tool_call":
        if begun:
            return streams.call_shown(
                f"{text_at(item, 'server')}.{text_at(item, 'tool')}", at(item, "arguments")
            )
        told = "\n".join(text_at(part, "text") for part in streams.items_at(item, "result", "content"))
        mistake = text_at(item, "error", "message")
        return streams.answer_shown(mistake or told, failed=bool(mistake))
    if begun:
        return None
    if kind in ("agent_message", "reasoning"):
        return text_at(item, "text").strip() or None
    if kind == "error":
        return f"! {text_at(item, 'message')}"
    if kind == "file_change":
        changes = streams.items_at(item, "changes")
        return "\n".join(f"→ {text_at(one, 'kind')} {text_at(one, 'path')}" for one in changes) or None
    return streams.compact(item)
