"""Claude Code asked as a model: its arguments, and the answer in its stream of records."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from toryo.protocol.kinds.run import Said
from toryo.workbench.clients import claude_record
from toryo.workbench.clients.streams import items_at, records, text_at

ENV = {
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    # we wait ourselves, and say so
    "CLAUDE_CODE_MAX_RETRIES": "1",
}


def argv(program: str, model: str) -> tuple[str, ...]:
    named = ("--model", model) if model else ()
    return (
        *(program, "-p", "--output-format", "stream-json", "--verbose"),
        # the person's rules, hooks and servers are for work in a repository
        *("--safe-mode", "--strict-mcp-config", "--no-session-persistence", "--tools", ""),
        *named,
    )


def read(lines: Iterable[str], now: datetime) -> Said:
    return claude_record.read(lines, now)


def words(lines: Iterable[str]) -> tuple[str, bool]:
    """The result's whole text, else what the model said until then."""
    said: list[str] = []
    result, cut = "", False
    for one in records(lines):
        if text_at(one, "type") == "assistant":
            parts = items_at(one, "message", "content")
            said += [text_at(part, "text") for part in parts if text_at(part, "type") == "text"]
            cut = text_at(one, "message", "stop_reason") == "max_tokens" or cut
        elif text_at(one, "type") == "result":
            # of an error it holds the complaint
            result = "" if one.get("is_error") else text_at(one, "result")
            cut = text_at(one, "stop_reason") == "max_tokens" or cut
    return (result, False) if result and not cut else ("".join(said), cut)
