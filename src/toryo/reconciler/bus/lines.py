"""Lines of messages: what a unit reads on its screen, in its prompt, or of `toryo inbox`. Pure."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

from toryo.domain.words import MessageType

LONGEST = 500
"""Characters of the message in a child's line."""
COMPLETED, ERROR = "completed", "error"
_TEXTS = ("message", "summary", "title")


def from_child(unit: str, type: str, data: Mapping[str, Any], title: str = "") -> str:
    """`title`: of the child's task, for data that say nothing."""
    return f"[CHILD:{unit}] Status: {status_word(type, data)}, Message: {said_in(data) or one_line(title)}"


def from_parent(unit: str, type: str, data: Mapping[str, Any]) -> str:
    return f"[PARENT:{unit}] Type: {type}, Data: {as_json(data)}"


def from_person(type: str, data: Mapping[str, Any]) -> str:
    return f"[PERSON] Type: {type}, Data: {as_json(data)}"


def status_word(type: str, data: Mapping[str, Any]) -> str:
    if type != MessageType.RESULT:
        return type
    return ERROR if data.get("is_error") else COMPLETED


def said_in(data: Mapping[str, Any]) -> str:
    """What the data tell in words: the first of the three keys that has any."""
    for key in _TEXTS:
        value = data.get(key)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and one_line(str(value)):
            return one_line(str(value))
    return ""


def one_line(text: str) -> str:
    """Line breaks and control characters become spaces, everything else stays as it is."""
    return "".join(map(_shown, text)).strip()[:LONGEST].rstrip()


def _shown(sign: str) -> str:
    match unicodedata.category(sign):
        case "Cc" | "Zl" | "Zp":
            return " "
        case "Cs":
            return "\ufffd"
        case _:
            return sign


def as_json(data: Mapping[str, Any]) -> str:
    """One line, in the letters that were given; what cannot be typed is escaped."""
    text = json.dumps(data, ensure_ascii=False)
    return "".join(sign if _shown(sign) == sign else f"\\u{ord(sign):04x}" for sign in text)
