"""OpenAI Chat Completions (`/v1/chat/completions`), as OpenCode's OpenAI-compatible provider speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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
from toryo.rehearsal.dialects import openai

SPEAKERS = {"user": Speaker.USER, "assistant": Speaker.MODEL, "tool": Speaker.RESULT}


class Completions:
    name = "completions"

    def takes(self, path: str) -> bool:
        return path.endswith("/chat/completions")

    def counts(self, path: str) -> bool:
        return False

    def read(self, path: str, body: Mapping[str, Any]) -> Asked:
        turns = tuple(
            Turn(SPEAKERS[message["role"]], text_of(message.get("content") or ""))
            for message in body.get("messages", ())
            if message.get("role") in SPEAKERS
        )
        functions = [tool["function"] for tool in body.get("tools") or () if tool.get("type") == "function"]
        tools = tuple(
            Offered(one["name"], properties=frozenset((one.get("parameters") or {}).get("properties", {})))
            for one in functions
        )
        form = (body.get("response_format") or {}).get("json_schema") or {}
        return Asked(turns, tools, str(body.get("model", "")), bool(body.get("stream")), form.get("schema"))

    def whole(self, asked: Asked, answer: Answer) -> Mapping[str, Any]:
        message = {"role": "assistant", "content": answer.text or None, **_calls(answer)}
        choice = {"index": 0, "message": message, "finish_reason": _finish(answer)}
        return {
            **_head(asked, answer, "chat.completion"),
            "choices": [choice],
            "usage": _usage(answer),
        }

    def events(self, asked: Asked, answer: Answer) -> Iterator[Event]:
        head = _head(asked, answer, "chat.completion.chunk")

        def chunk(delta: Mapping[str, Any], finish: str | None = None) -> Event:
            return "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

        yield chunk({"role": "assistant", "content": ""})
        if answer.text:
            yield chunk({"content": answer.text})
        if answer.call is not None:
            yield chunk(_calls(answer, index=0))
        yield chunk({}, _finish(answer))
        yield "", {**head, "choices": [], "usage": _usage(answer)}
        yield "", "[DONE]"

    def failed(self, failure: Failure) -> Refusal:
        return openai.failed(failure)

    def counted(self, tokens: int) -> Mapping[str, Any]:
        return {"input_tokens": tokens}


def _calls(answer: Answer, **place: int) -> dict[str, Any]:
    if answer.call is None:
        return {}
    function = {"name": answer.call.tool.name, "arguments": json.dumps(dict(answer.call.arguments))}
    call = {**place, "id": f"call_{answer.number:06d}", "type": "function", "function": function}
    return {"tool_calls": [call]}


def _finish(answer: Answer) -> str:
    if answer.cut:
        return "length"
    return "stop" if answer.call is None else "tool_calls"


def _head(asked: Asked, answer: Answer, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{answer.number:06d}", "object": kind, "created": 0, "model": asked.model}


def _usage(answer: Answer) -> dict[str, int]:
    return {
        "prompt_tokens": answer.usage.input,
        "completion_tokens": answer.usage.output,
        "total_tokens": answer.usage.input + answer.usage.output,
    }
