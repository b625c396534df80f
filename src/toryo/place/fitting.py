"""Size limit of facts: a long one is cut to one line of the wire, lists first, then texts, then to its
size alone.

A list never becomes empty, because an empty one says something else; settings stay whole or go as a problem.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toryo.protocol.base import Problem
from toryo.protocol.kinds.table import FACTS
from toryo.protocol.order import Fact

_SETTINGS = "settings_files"
_IN_FORCE = ("config.yaml", "agents/", "prompts/")


@dataclass(frozen=True)
class _Cut:
    lists: int
    texts: int | None = None
    notes: bool = True
    """Whether settings files that decide nothing are kept."""


_AROUND = 512
"""Bytes of a line that a fact takes beside its body: more than any has."""
_CUTS = (_Cut(1000), _Cut(100), _Cut(10, notes=False), _Cut(10, 16384, False), _Cut(1, 256, False))


@dataclass(frozen=True)
class Fitted:
    fact: Fact
    blobs: dict[str, str]
    size: int


def fitted(fact: Fact, blobs: Mapping[str, str], room: int, length: int | None = None) -> Fitted:
    """The fact with so much of its body that it takes at most `room` bytes, and its blobs if they fit too.

    Its body must be plain: what JSON gives back. `length`: that of the body as JSON, where it is known."""
    if length is not None and not blobs and length + _AROUND <= room:
        return Fitted(fact, {}, length + _AROUND)
    whole = _measured(fact, blobs)
    if whole.size <= room:
        return whole
    alone = _measured(fact)
    if alone.size <= room:
        return alone
    for cut in _CUTS:
        shorter = _measured(fact.model_copy(update={"body": _shortened(fact.body, cut)}))
        if shorter.size <= room:
            return shorter
    return _measured(fact.model_copy(update={"body": _too_large(fact, alone.size, room)}))


def _measured(fact: Fact, blobs: Mapping[str, str] | None = None) -> Fitted:
    """With the bytes in the line; a little more than there will be."""
    kept = dict(blobs or {})
    text = json.dumps([vars(fact), kept], ensure_ascii=False)
    return Fitted(fact, kept, len(text) if text.isascii() else len(text.encode("utf-8", "replace")))


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


def _too_large(fact: Fact, size: int, room: int) -> dict[str, Any]:
    message = f"What was found is too large to be told: {size} bytes, {room} fit."
    known = FACTS.get(fact.kind)
    if known is None or "problem" not in known.model_fields:
        return {}
    return known(problem=Problem(code="too_large", message=message)).model_dump(mode="json")  # type: ignore[call-arg]
