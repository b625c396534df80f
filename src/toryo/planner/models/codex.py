"""Codex CLI asked as a model: its arguments, and the answer in its stream of records."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from toryo.protocol.kinds.run import Said
from toryo.workbench.clients import codex_record
from toryo.workbench.clients.streams import records, text_at

OFF = (
    # its tools
    *("shell_tool", "unified_exec", "multi_agent", "image_generation", "view_image", "tool_suggest", "goals"),
    # what speaks to other hosts, runs programs of the person, or waits for ever for a service that refuses
    *("plugins", "apps", "hooks", "unbounded_connection_retries"),
)


def argv(program: str, model: str) -> tuple[str, ...]:
    off = [word for feature in OFF for word in ("--disable", feature)]
    return (
        *(program, "exec", "--json", "--color", "never", "--skip-git-repo-check", "--ephemeral"),
        *("-s", "read-only", *off),
        *("-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false"),
        *("-c", "project_doc_max_bytes=0", "-c", "web_search=disabled"),
        *(("-m", model) if model else ()),
        "-",
    )


def read(lines: Iterable[str], now: datetime) -> Said:
    return codex_record.read(lines, now)


def words(lines: Iterable[str]) -> tuple[str, bool]:
    """Its last message. It does not say that an answer was cut other than by an error."""
    said = ""
    for one in records(lines):
        if text_at(one, "type") == "item.completed" and text_at(one, "item", "type") == "agent_message":
            said = text_at(one, "item", "text")
    return said, False
