"""Answers about messages of units: one as it is exported, one as it is shown, and what became of sending."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from toryo.domain.ids import RunId, TaskId
from toryo.protocol.views.answer import Answer

ExportedMessage = TypedDict(
    "ExportedMessage",
    {
        "id": str,
        "ts": str | None,
        "from": str,
        "to": str,
        "type": str,
        "task_id": str,
        "data": dict[str, Any],
    },
)
"""A line of bus.jsonl."""


class MessageView(ExportedMessage):
    seq: int
    line: str
    """As its receiver reads it; empty for what nobody is told."""
    state: str
    """waiting, delivered, dead or cleared."""
    attempts: int
    delivered_at: str | None
    run: RunId
    """The run that was told."""


class SentMessage(Answer):
    message: str
    to: str


class ListedMessages(Answer):
    unit: str
    task: TaskId
    messages: list[MessageView]


class ClearedMessages(Answer):
    unit: str
    cleared: int


class ExportedMessages(Answer):
    messages: list[ExportedMessage]
    next: int
    """The cursor of the next page."""
