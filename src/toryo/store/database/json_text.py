"""JSON columns as text: written several times in every change, so by the quickest writer at hand."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import PydanticSerializationError, to_json


def written(value: Any) -> str:
    try:
        return to_json(value).decode()
    except PydanticSerializationError:  # half characters: JSON has a way to say them, UTF-8 has none
        return json.dumps(value)


def size(value: Any) -> int:
    """In bytes."""
    text = written(value)
    return len(text) if text.isascii() else len(text.encode())
