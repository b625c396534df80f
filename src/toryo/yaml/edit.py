"""YAML edits: one key of a file that a person wrote is changed, every other line of it stays as it is."""

from __future__ import annotations

from typing import Any

import yaml

from toryo.yaml.loader import Loader


def with_key(text: str, key: str, value: Any) -> str:
    """The text with that top-level key set to a value, or without it where the value is None."""
    line = (
        ""
        if value is None
        else yaml.safe_dump({key: value}, allow_unicode=True, sort_keys=False, width=10_000)
    )
    node = yaml.compose(text, Loader)
    if node is None or not isinstance(node, yaml.MappingNode):
        return text + ("" if not text or text.endswith("\n") else "\n") + line
    if node.flow_style:
        whole = yaml.safe_load(text)
        whole.pop(key, None)
        kept = whole if value is None else {**whole, key: value}
        return yaml.safe_dump(kept, allow_unicode=True, sort_keys=False, width=10_000) if kept else ""
    lines = text.splitlines(keepends=True)
    for name, held in node.value:
        if name.value == key:
            start, end = name.start_mark.line, _end(held, lines)
            return "".join([*lines[:start], line, *lines[end:]])
    return text + ("" if text.endswith("\n") else "\n") + line


def _end(node: yaml.Node, lines: list[str]) -> int:
    """The line after the value; comments and blank lines behind a block are not its own."""
    end = node.end_mark.line + (1 if node.end_mark.column else 0)
    end = max(end, node.start_mark.line + 1)
    while end > node.start_mark.line + 1 and lines[end - 1].strip().startswith(("#", "\n")):
        end -= 1
    while end > node.start_mark.line + 1 and not lines[end - 1].strip():
        end -= 1
    return end
