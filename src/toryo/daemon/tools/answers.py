"""The shape of every tool's answer: one JSON object, as text and as structured content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from toryo.domain.errors import ToryoError


def failure(error: str, hint: str = "", *, bug: bool = False) -> dict[str, Any]:
    """`bug` is there only where Toryo itself is to blame: nothing the caller does will mend it."""
    body = {"success": False, "error": error, "hint": hint}
    return body | {"bug": True} if bug else body


def failure_of(error: ToryoError) -> dict[str, Any]:
    """With the group of the error, so that no program reads it out of the words."""
    return failure(error.message, error.hint) | {"kind": error.kind}


def with_next_step(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """S1-51: whatever an agent was refused, the answer says how it goes on."""
    if body.get("success") is False and not body.get("instruction"):
        return {**body, "instruction": body["hint"]}
    return body


def result(body: Mapping[str, Any]) -> dict[str, Any]:
    """The MCP result of a tool's body; `success` is always there."""
    whole = body if "success" in body else {"success": True, **body}
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if not text.isascii():
        clean = text.encode("utf-8", "replace").decode()
        if clean != text:  # bytes of file names that are not UTF-8: no JSON reader takes lone surrogates
            text, whole = clean, json.loads(clean)
    return {
        "resultType": "complete",  # asked for by protocol 2026-07-28; the SDK takes it out for older ones
        "content": [{"type": "text", "text": text}],
        "structuredContent": whole,
        "isError": whole["success"] is not True,
    }
