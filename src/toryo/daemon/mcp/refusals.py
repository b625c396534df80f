"""Refusals of lines that are no message or no tool call, with the failure body."""

from __future__ import annotations

import json
from typing import Any

from mcp_types.jsonrpc import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from toryo.daemon.tools.answers import failure, result, with_next_step

CALL = "tools/call"
SHAPE = "docs/contracts.md has a line that works."


def understand(text: bytes) -> JSONRPCMessage | bytes:
    """The message of a line, or the line that refuses it."""
    try:
        message = jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError as bad:
        if bad.errors(include_url=False)[0]["type"] == "json_invalid":
            told = "This line is not JSON."
            return line(None, code=PARSE_ERROR, message=told, hint="Send one JSON object a line, in UTF-8.")
        return _no_message(text, "This line is not a JSON-RPC 2.0 message.")
    if isinstance(message, JSONRPCNotification) and b'"id"' in text and _has_id(text):
        return _no_message(text, "The id of a request is text or a whole number.")
    if isinstance(message, JSONRPCRequest) and message.method == CALL:
        problem = _problem_of_call(message.params)
        if problem:
            refused = with_next_step(failure(problem, SHAPE))  # it may be an agent's
            return line(message.id, result=result(refused))
    return message


def with_body(error: JSONRPCError) -> JSONRPCError:
    """What the SDK refuses, with our body where it says nothing itself."""
    if isinstance(error.error.data, dict):
        return error
    told = error.error.message
    if isinstance(error.error.data, str) and error.error.data:
        told = f"{told}: {error.error.data[:200]}"
    data = failure(f"{told}.", SHAPE)
    return error.model_copy(update={"error": error.error.model_copy(update={"data": data})})


def line(
    number: str | int | None,
    *,
    result: dict[str, Any] | None = None,
    code: int = 0,
    message: str = "",
    hint: str = "",
) -> bytes:
    answer: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
    if result is not None:
        answer["result"] = result
    else:
        answer["error"] = {"code": code, "message": message, "data": failure(message, hint)}
    return json.dumps(answer, separators=(",", ":")).encode() + b"\n"


def _problem_of_call(params: dict[str, Any] | None) -> str:
    given = params or {}
    if not isinstance(given.get("name"), str):
        return "A call needs the tool's name, as text."
    if not isinstance(given.get("arguments", {}), dict | None):
        return f"The arguments of {given['name'][:80]} must be an object."
    return ""


def _no_message(text: bytes, told: str) -> bytes:
    return line(_id_of(text), code=INVALID_REQUEST, message=told, hint=SHAPE)


def _has_id(text: bytes) -> bool:
    found = _parsed(text)
    return isinstance(found, dict) and "id" in found


def _id_of(text: bytes) -> str | int | None:
    found = _parsed(text)
    number = found.get("id") if isinstance(found, dict) else None
    return number if isinstance(number, str | int) and not isinstance(number, bool) else None


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
