"""Answers about memory files."""

from __future__ import annotations

from typing_extensions import TypedDict

from toryo.protocol.views.answer import Answer


class MemoryLine(TypedDict):
    path: str
    title: str
    size: int


class ListedMemory(Answer):
    root: str
    files: list[MemoryLine]
    settings_from: str


class MemoryText(Answer):
    path: str
    text: str


class MemoryPreview(Answer):
    text: str
