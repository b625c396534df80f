"""Anthropic Messages (`/v1/messages`), as Claude Code speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from toryo.rehearsal.conversations import (
    Answer,
    Asked,
    Event,
    Failure,
    Offered,
    Refusal,
    Speaker,
    Turn,
    text_of,
)

ERRORS = {
    400: ("invalid_request_error", "The request was not valid."),
    401: ("authentication_error", "invalid x-api-key"),
    403: ("permission_error", "Your API key does not have permission to use this."),
    404: ("not_found_error", "Not found."),
    429: ("rate_limit_error", "This request would exceed your account's rate limit. Please try again later."),
    500: ("api_error", "Internal server error"),
    529: ("overloaded_error", "Overloaded"),
}


class Anthropic:
    name = "anthropic"

    def takes(self, path: str) -> bool:
        return path.endswith("/v1/messages")

    def counts(self, path: str) -> bool:
        return path.endswith("/v1/messages/count_tokens")

    def read(self, path: str, body: Mapping[str, Any]) -> Asked:
        turns = tuple(turn for message in body.get("messages", ()) for turn in _turns(message))
        tools = tuple(
            Offered(tool["name"], properties=frozenset(tool.get("input_schema", {}).get("properties", {})))
            for tool in body.get("tools") or ()
        )
        output = body.get("output_config") or {}
        form = body.get("output_format") or output.get("format") or {}
        return Asked(turns, tools, str(body.get("model", "")), bool(body.get("stream")), form.get("schema"))

    def whole(self, asked: Asked, answer: Answer) -> Mapping[str, Any]:
        blocks = [dict(block) for block in _blocks(answer)]
        return {
            **_head(asked, answer),
            "content": blocks,
            "stop_reason": _stop(answer),
            "usage": _usage(answer),
        }

    def events(self, asked: Asked, answer: Answer) -> Iterator[Event]:
        begun: dict[str, Any] = {
            "usage": {**_usage(answer), "output_tokens": 1},
            "content": [],
            "stop_reason": None,
        }
        yield "message_start", {"type": "message_start", "message": {**_head(asked, answer), **begun}}
        for index, block in enumerate(_blocks(answer)):
            start: dict[str, Any]
            if block["type"] == "text":
                start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                start = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            at = {"index": index}
            yield (
                "content_block_start",
                {"type": "content_block_start", **at, "content_block": start},
            )
            yield "content_block_delta", {"type": "content_block_delta", **at, "delta": delta}
            yield "content_block_stop", {"type": "content_block_stop", **at}
        end = {"stop_reason": _stop(answer), "stop_sequence": None}
        yield "message_delta", {"type": "message_delta", "delta": end, "usage": _usage(answer)}
        yield "message_stop", {"type": "message_stop"}

    def failed(self, failure: Failure) -> Refusal:
        kind, usual = ERRORS.get(failure.status, ERRORS[500])
        headers = {} if failure.after_s is None else _reset(failure, failure.after_s)
        error = {"type": kind, "message": failure.message or usual}
        return Refusal(headers, {"type": "error", "error": error, "request_id": "req_rehearsal"})

    def counted(self, tokens: int) -> Mapping[str, Any]:
        return {"input_tokens": tokens}


def _turns(message: Mapping[str, Any]) -> Iterator[Turn]:
    content = message.get("content", "")
    if message.get("role") == "assistant":
        yield Turn(Speaker.MODEL, text_of(content))
        return
    if message.get("role") != "user":
        return
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for block in blocks:
        if block.get("type") == "tool_result":
            yield Turn(Speaker.RESULT, text_of(block.get("content", "")))
    texts = [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]
    if texts:
        yield Turn(Speaker.USER, "\n".join(texts))


def _head(asked: Asked, answer: Answer) -> dict[str, Any]:
    return {
        "id": f"msg_{answer.number:06d}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "stop_sequence": None,
    }


def _blocks(answer: Answer) -> Iterator[dict[str, Any]]:
    if answer.text or answer.call is None:
        yield {"type": "text", "text": answer.text}
    if answer.call is not None:
        yield {
            "type": "tool_use",
            "id": f"toolu_{answer.number:06d}",
            "name": answer.call.tool.name,
            "input": dict(answer.call.arguments),
        }


def _stop(answer: Answer) -> str:
    if answer.cut:
        return "max_tokens"
    return "end_turn" if answer.call is None else "tool_use"


def _usage(answer: Answer) -> dict[str, int]:
    return {
        "input_tokens": answer.usage.input,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": answer.usage.output,
    }


def _reset(failure: Failure, after_s: float) -> dict[str, str]:
    at = failure.at + after_s
    moment = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "retry-after": str(max(1, round(after_s))),
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": moment,
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(round(at)),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
    }
