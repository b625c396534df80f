"""JSON objects in a model's text: found among prose and fences; what is broken is never mended. No I/O."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_DECODER = json.JSONDecoder(strict=False)
"""Not strict: models write line breaks into strings, which is harmless."""
_ODD = dict.fromkeys((0, *range(0xD800, 0xE000)), "\N{REPLACEMENT CHARACTER}")
"""No database keeps a zero, no encoding half of a pair."""
MOST_ATTEMPTS = 200


@dataclass(frozen=True)
class Found:
    objects: tuple[dict[str, Any], ...]
    """The longest first."""
    complaint: str
    """Where there is none: why, in words for the model."""


@dataclass(frozen=True)
class _Attempt:
    start: int
    end: int
    value: dict[str, Any] | None
    complaint: str = ""

    @property
    def length(self) -> int:
        return self.end - self.start


def objects_in(text: str) -> Found:
    attempts = list(_attempts(text))
    broken = [one for one in attempts if one.value is None]
    # what stands within a broken object is a part of it, not an answer
    whole = [
        one
        for one in attempts
        if one.value is not None and not any(b.start < one.start and one.end <= b.end for b in broken)
    ]
    if whole:
        whole.sort(key=lambda one: -one.length)
        return Found(tuple(one.value for one in whole if one.value is not None), "")
    if broken:
        return Found((), max(broken, key=lambda one: one.length).complaint)
    return Found((), "There is no JSON object in it.")


def _attempts(text: str) -> Iterator[_Attempt]:
    at = text.find("{")
    for _ in range(MOST_ATTEMPTS):
        if at < 0:
            return
        one = _attempt(text, at)
        yield one
        at = text.find("{", one.end if one.value is not None else at + 1)


def _attempt(text: str, at: int) -> _Attempt:
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        line = text.count("\n", at, error.pos) + 1
        near = text[max(at, error.pos - 30) : error.pos + 30]
        told = f"The JSON object is broken in its line {line}: {error.msg}, near {near!r}."
        return _Attempt(at, error.pos, None, told)
    except (ValueError, RecursionError) as error:
        return _Attempt(at, len(text), None, f"The JSON object cannot be read: {error}.")
    return _Attempt(at, end, cleaned(value))


def cleaned(value: Any) -> Any:
    """Without characters that cannot be stored."""
    if isinstance(value, str):
        return value.translate(_ODD)
    if isinstance(value, list):
        return [cleaned(one) for one in value]
    if isinstance(value, dict):
        return {str(cleaned(key)): cleaned(one) for key, one in value.items()}
    return value
