"""What Claude Code's stream-json (and the input of its Stop hook) says of a run; driving it is claude.py."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from toryo.protocol.kinds.run import Said, Usage
from toryo.workbench.clients import streams
from toryo.workbench.clients.limits import error_code, limited
from toryo.workbench.clients.streams import Notes, Record, at, count_at, items_at, price_at, records, text_at

SUBTYPES = {
    "error_max_turns": "max_turns",
    "error_max_budget_usd": "max_budget",
    "error_during_execution": "interrupted",
}


def read(lines: Iterable[str], now: datetime | None) -> Said:
    return _noted(lines, now).said()


def _noted(lines: Iterable[str], now: datetime | None) -> Notes:
    notes = Notes()
    resets: float | None = None
    for one in records(lines):
        kind, subtype = text_at(one, "type"), text_at(one, "subtype")
        notes.conversation = text_at(one, "session_id") or notes.conversation
        if kind == "system" and subtype == "init":
            notes.model = text_at(one, "model")
            notes.version = text_at(one, "claude_code_version")
            # of the process that speaks from here on
            notes.result, notes.error, notes.limited = "none", "", None
        elif kind == "rate_limit_event" and text_at(one, "rate_limit_info", "status") == "rejected":
            resets = price_at(one, "rate_limit_info", "resetsAt")
        elif kind == "system" and subtype == "api_retry":
            _retry(notes, one, resets, now)
        elif kind == "assistant":
            notes.limited = None  # it was answered
        elif kind == "result":
            _result(notes, one, resets, now)
        elif one.get("hook_event_name") == "Stop":
            notes.succeed(text_at(one, "last_assistant_message"))
        elif one.get("hook_event_name") == "StopFailure":
            _stop_failure(notes, one, now)
    return notes


def _retry(notes: Notes, one: Record, resets: float | None, now: datetime | None) -> None:
    status = count_at(one, "error_status")
    message = f"try {count_at(one, 'attempt')} failed: {text_at(one, 'error')}"
    # no status: the service could not be reached
    notes.limited = limited(message, status=status or 503, resets=resets, now=now)


def _result(notes: Notes, one: Record, resets: float | None, now: datetime | None) -> None:
    for denial in items_at(one, "permission_denials"):
        notes.deny(text_at(denial, "tool_name"))
    notes.usage = _more(notes.usage, one)
    message = text_at(one, "result") or "; ".join(map(str, items_at(one, "errors")))
    subtype = text_at(one, "subtype")
    if one.get("is_error") is not True and subtype == "success":
        notes.succeed(message)
        return
    status = count_at(one, "api_error_status")
    if status is not None or text_at(one, "terminal_reason") == "api_error":
        wait = limited(message, status=status, resets=resets, now=now)
        notes.fail(error_code(message, status), message, wait)
    else:
        notes.fail(SUBTYPES.get(subtype, subtype or "error"), message)


def _stop_failure(notes: Notes, one: Record, now: datetime | None) -> None:
    message = text_at(one, "last_assistant_message") or text_at(one, "error_details") or text_at(one, "error")
    named = text_at(one, "error")
    status = {"rate_limit": 429, "server_error": 500, "overloaded": 529}.get(named)
    code = "login" if named.startswith("auth") else error_code(message, status)
    notes.fail(code, message, limited(message, status=status, now=now))


def _more(before: Usage | None, one: Record) -> Usage:
    """This result added to those before. `total_cost_usd` counts earlier runs of the conversation, too."""
    models = at(one, "model_usage_since_last_result")
    costs = [price_at(model, "costUSD") for model in models.values()] if isinstance(models, dict) else []

    def tokens(name: str) -> int | None:
        return count_at(one, "usage", name)

    was = before or Usage()
    cached = tokens("cache_read_input_tokens")
    cost = price_at(one, "total_cost_usd") if models is None else sum(cost or 0 for cost in costs)
    return Usage(
        input_tokens=streams.total(
            was.input_tokens, tokens("input_tokens"), cached, tokens("cache_creation_input_tokens")
        ),
        cached_tokens=streams.total(was.cached_tokens, cached),
        output_tokens=streams.total(was.output_tokens, tokens("output_tokens")),
        turns=streams.total(was.turns, count_at(one, "num_turns")),
        cost_usd=cost if was.cost_usd is None else was.cost_usd + (cost or 0),
    )


def shown(line: str) -> str | None:
    one = streams.record(line)
    kind = text_at(one, "type")
    if kind == "system":
        return _system_shown(one or {})
    if kind in ("assistant", "user"):
        parts = [_part_shown(part) for part in items_at(one, "message", "content")]
        return "\n".join(part for part in parts if part) or None
    if kind == "result":
        return streams.end_shown(_noted([line], None))
    if kind == "rate_limit_event":
        refused = text_at(one, "rate_limit_info", "status") == "rejected"
        return streams.compact(at(one, "rate_limit_info")) if refused else None
    return streams.other_shown(line, one)


def _system_shown(one: Record) -> str | None:
    subtype = text_at(one, "subtype")
    if subtype == "init":
        servers = ", ".join(
            f"{text_at(server, 'name')} {text_at(server, 'status')}"
            for server in items_at(one, "mcp_servers")
        )
        about = f"● Claude Code {text_at(one, 'claude_code_version')} · {text_at(one, 'model')}"
        return f"{about} · MCP: {servers}" if servers else about
    if subtype == "api_retry":
        status = at(one, "error_status") or "no connection"
        return f"… the service answers {status}, try {at(one, 'attempt')} of {at(one, 'max_retries')}"
    return f"· {subtype}" if subtype else None


def _part_shown(part: Any) -> str | None:
    kind = text_at(part, "type")
    if kind == "text":
        return text_at(part, "text").strip() or None
    if kind == "tool_use":
        return streams.call_shown(text_at(part, "name"), at(part, "input"))
    if kind == "tool_result":
        content = at(part, "content")
        if isinstance(content, list):
            content = "\n".join(text_at(piece, "text") for piece in content)
        return streams.answer_shown(content, failed=at(part, "is_error") is True)
    return None
