"""OpenAI Responses (`/v1/responses`), as Codex speaks it: functions, namespaces of them, freeform tools."""

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
from toryo.rehearsal.dialects.openai import failed, reset_headers

CALLS = ("function_call", "custom_tool_call", "local_shell_call")


class Responses:
    name = "responses"

    def takes(self, path: str) -> bool:
        return path.endswith("/v1/responses")

    def counts(self, path: str) -> bool:
        return path.endswith("/v1/responses/input_tokens")

    def read(self, path: str, body: Mapping[str, Any]) -> Asked:
        given = body.get("input", "")
        items = [{"role": "user", "content": given}] if isinstance(given, str) else given
        turns = tuple(turn for turn in map(_turn, items) if turn is not None)
        # codex with its own models lists the tools among the items
        added = [tool for item in items if item.get("type") == "additional_tools" for tool in item["tools"]]
        form = (body.get("text") or {}).get("format") or {}
        return Asked(
            turns,
            tuple(_tools([*(body.get("tools") or ()), *added], "")),
            str(body.get("model", "")),
            bool(body.get("stream")),
            form.get("schema"),
        )

    def whole(self, asked: Asked, answer: Answer) -> Mapping[str, Any]:
        head = _head(asked, answer, "incomplete" if answer.cut else "completed")
        cut = {"incomplete_details": {"reason": "max_output_tokens"}} if answer.cut else {}
        return {**head, **cut, "output": list(_items(answer)), "usage": _usage(answer)}

    def events(self, asked: Asked, answer: Answer) -> Iterator[Event]:
        head = {**_head(asked, answer, "in_progress"), "output": []}
        yield _event("response.created", response=head)
        for index, item in enumerate(_items(answer)):
            at = {"output_index": index}
            empty = {**item, "status": "in_progress"}
            if item["type"] == "message":
                yield _event("response.output_item.added", **at, item={**empty, "content": []})
                part = {"item_id": item["id"], **at, "content_index": 0}
                yield _event("response.output_text.delta", **part, delta=answer.text)
                yield _event("response.output_text.done", **part, text=answer.text)
            else:
                yield _event("response.output_item.added", **at, item=empty)
            yield _event("response.output_item.done", **at, item=item)
        end = "response.incomplete" if answer.cut else "response.completed"
        yield _event(end, response=self.whole(asked, answer))

    def failed(self, failure: Failure) -> Refusal:
        """A limit is one of the account, with the time at which it ends."""
        if failure.after_s is None or failure.status != 429:
            return failed(failure)
        body = {
            "type": "usage_limit_reached",
            "message": failure.message or "The usage limit has been reached",
            "plan_type": "pro",
            "resets_at": round(failure.at + failure.after_s),
            "resets_in_seconds": round(failure.after_s),
        }
        return Refusal(reset_headers(failure.after_s), {"error": body})

    def counted(self, tokens: int) -> Mapping[str, Any]:
        return {"object": "response.input_tokens", "input_tokens": tokens}


def _turn(item: Mapping[str, Any]) -> Turn | None:
    kind = item.get("type", "message")
    if kind in CALLS or item.get("role") == "assistant":
        return Turn(Speaker.MODEL, text_of(item.get("content", "")))
    if str(kind).endswith("_output"):
        return Turn(Speaker.RESULT, text_of(item.get("output", "")))
    if kind == "message" and item.get("role") == "user":
        return Turn(Speaker.USER, text_of(item.get("content", "")))
    return None


def _tools(offered: Any, namespace: str) -> Iterator[Offered]:
    for tool in offered:
        kind = tool.get("type")
        if kind == "namespace":
            yield from _tools(tool.get("tools", ()), str(tool["name"]))
        elif kind in ("function", "custom"):
            properties = frozenset((tool.get("parameters") or {}).get("properties", {}))
            yield Offered(str(tool["name"]), namespace, properties, freeform=kind == "custom")
        elif kind == "local_shell":
            yield Offered("local_shell", namespace)


def _items(answer: Answer) -> Iterator[dict[str, Any]]:
    if answer.text or answer.call is None:
        yield {
            "type": "message",
            "id": f"msg_{answer.number:06d}",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": answer.text, "annotations": []}],
        }
    if answer.call is None:
        return
    call = answer.call
    names = {"call_id": f"call_{answer.number:06d}", "status": "completed", "name": call.tool.name}
    if call.tool.freeform:
        yield {"type": "custom_tool_call", "id": f"ctc_{answer.number:06d}", **names, "input": call.text}
        return
    if call.tool.namespace:
        names["namespace"] = call.tool.namespace
    arguments = json.dumps(dict(call.arguments))
    yield {"type": "function_call", "id": f"fc_{answer.number:06d}", **names, "arguments": arguments}


def _event(kind: str, **data: Any) -> Event:
    return kind, {"type": kind, **data}


def _head(asked: Asked, answer: Answer, status: str) -> dict[str, Any]:
    return {
        "id": f"resp_{answer.number:06d}",
        "object": "response",
        "created_at": 0,
        "status": status,
        "model": asked.model,
    }


def _usage(answer: Answer) -> dict[str, Any]:
    return {
        "input_tokens": answer.usage.input,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": answer.usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.usage.input + answer.usage.output,
    }
