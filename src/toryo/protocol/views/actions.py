"""An action as every front gets it: a button, a key, or its command line."""

from __future__ import annotations

from typing_extensions import TypedDict


class ActionView(TypedDict):
    do: str
    subject: str
    args: dict[str, str]
    line: str
