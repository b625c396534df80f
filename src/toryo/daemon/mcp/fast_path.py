"""Fast path: lines exactly as our own clients send them, read and answered without the SDK (ADR 33).

Only for a connection whose first request was such a line and went through the SDK. Whatever differs in the
least is left to the SDK, which answers it in full.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from mcp_types import SERVER_INFO_META_KEY
from mcp_types.jsonrpc import INTERNAL_ERROR

from toryo.daemon.mcp import refusals
from toryo.protocol.wire import CREDENTIAL, ENVELOPE

log = structlog.get_logger("toryo.daemon.mcp")

BEGINNING = b'{"jsonrpc":"2.0","id":'
_JSON = json.JSONDecoder()
_REQUEST = {"jsonrpc", "id", "method", "params"}
_PARAMS = {"name", "arguments", "_meta"}
_WITH_CREDENTIAL = {*ENVELOPE, CREDENTIAL}


@dataclass(frozen=True)
class Call:
    id: int
    name: str
    arguments: dict[str, Any]
    credential: str
    """Empty: the connection's."""


def is_own(params: Mapping[str, Any] | None) -> bool:
    """Whether they are those of a call as our clients make it."""
    if params is None or params.keys() != _PARAMS:
        return False
    meta = params["_meta"]
    return (
        isinstance(params["name"], str)
        and isinstance(params["arguments"], dict)
        and isinstance(meta, dict)
        and (meta.keys() == ENVELOPE.keys() or meta.keys() == _WITH_CREDENTIAL)
        and all(meta[name] == value for name, value in ENVELOPE.items())
        and isinstance(meta.get(CREDENTIAL, ""), str)
    )


def call_of(line: bytes) -> Call | None:
    """None: it is something else, or the SDK knows better."""
    if not line.startswith(BEGINNING) or b"\\ud" in line:  # half characters are refused there
        return None
    try:
        text = line.decode()
        message, end = _JSON.raw_decode(text)  # cold, the shorter way takes half of what `loads` takes
    except (ValueError, RecursionError):
        return None
    if text[end:] != "\n":
        return None
    params = message.get("params")
    fits = (
        message.keys() == _REQUEST
        and type(message["id"]) is int
        and message["method"] == refusals.CALL
        and isinstance(params, dict)
        and is_own(params)
    )
    if not fits:
        return None
    credential = params["_meta"].get(CREDENTIAL, "")
    return Call(message["id"], params["name"], params["arguments"], credential)


@dataclass(frozen=True)
class Direct:
    """What answers such calls, whatever connection they came by."""

    result: Callable[[str, dict[str, Any], str, int], Awaitable[dict[str, Any]]]
    """Of a tool by its name, with its arguments, for a credential, by a connection."""
    server_info: dict[str, Any]

    async def answer(self, call: Call, credential: str, connection: int) -> bytes:
        """The line as the SDK would send it. `credential`: the connection's."""
        try:
            found = await self.result(call.name, call.arguments, call.credential or credential, connection)
            meta = {**found.get("_meta", {}), SERVER_INFO_META_KEY: self.server_info}
            return refusals.line(call.id, result={**found, "_meta": meta})
        except Exception:  # the outermost edge of a call: the caller gets an answer
            log.exception("call_failed", tool=call.name)
            hint = "See the newest `call_failed` in the daemon's log."
            return refusals.line(call.id, code=INTERNAL_ERROR, message="Internal server error.", hint=hint)
