"""Makes a fact fit one line of the wire: long lists first, then long texts, then only that it was too large.

A list never becomes empty, because an empty one says something else; settings stay whole or go as a problem.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toryo.protocol.models import FACTS, Fact, Problem

_SETTINGS = "settings_files"
_IN_FORCE = ("config.yaml", "agents/", "prompts/")


@dataclass(frozen=True)
class _Cut:
    lists: int
    texts: int | None = None
    notes: bool = True
    """Whether settings files that decide nothing are kept."""


_CUTS = (_Cut(1000), _Cut(100), _Cut(10, notes=False), _Cut(10, 16384, False), _Cut(1, 256, False))


def fitted(fact: Fact, blobs: Mapping[str, str], room: int) -> tuple[Fact, dict[str, str]]:
    """The fact with so much of its body that it takes at most `room` bytes, and its blobs if they fit too."""
    if size(fact, blobs) <= room:
        return fact, dict(blobs)
    if size(fact, {}) <= room:
        return fact, {}
    for cut in _CUTS:
        shorter = fact.model_copy(update={"body": _shortened(fact.body, cut)})
        if size(shorter, {}) <= room:
            return shorter, {}
    return fact.model_copy(update={"body": _too_large(fact, room)}), {}


def size(fact: Fact, blobs: Mapping[str, str]) -> int:
    """Bytes in the line; a little more than there will be."""
    return len(
        json.dumps([fact.model_dump(mode="json"), dict(blobs)], ensure_ascii=False).encode("utf-8", "replace")
    )


def _shortened(value: Any, cut: _Cut) -> Any:
    if isinstance(value, dict):
        return {
            key: _settings(inner, cut) if key == _SETTINGS else _shortened(inner, cut)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_shortened(inner, cut) for inner in value[: cut.lists]]
    return value[: cut.texts] if isinstance(value, str) else value


def _settings(files: Any, cut: _Cut) -> Any:
    """Half a setting would be another setting."""
    if cut.notes or not isinstance(files, dict):
        return files
    return {name: text for name, text in files.items() if name.startswith(_IN_FORCE)}


def _too_large(fact: Fact, room: int) -> dict[str, Any]:
    message = f"What was found is too large to be told: {size(fact, {})} bytes, {room} fit."
    known = FACTS.get(fact.kind)
    if known is None or "problem" not in known.model_fields:
        return {}
    return known(problem=Problem(code="too_large", message=message)).model_dump(mode="json")  # type: ignore[call-arg]
