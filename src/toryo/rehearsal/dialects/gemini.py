"""Gemini (`/v1beta/models/{model}:streamGenerateContent` and its sisters), as Gemini CLI speaks it."""

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
)

STATUSES = {
    400: ("INVALID_ARGUMENT", "The request was not valid."),
    401: ("UNAUTHENTICATED", "API key not valid. Please pass a valid API key."),
    403: ("PERMISSION_DENIED", "You do not have permission to access this."),
    404: ("NOT_FOUND", "Not found."),
    429: ("RESOURCE_EXHAUSTED", "You exceeded your current quota."),
    500: ("INTERNAL", "An internal error has occurred."),
    503: ("UNAVAILABLE", "The model is overloaded. Please try again later."),
}
GOOGLE = "type.googleapis.com/google.rpc."


class Gemini:
    name = "gemini"

    def takes(self, path: str) -> bool:
        return path.endswith((":generateContent", ":streamGenerateContent"))

    def counts(self, path: str) -> bool:
        return path.endswith(":countTokens")

    def read(self, path: str, body: Mapping[str, Any]) -> Asked:
        turns = tuple(turn for content in body.get("contents", ()) for turn in _turns(content))
        declared = [
            one for group in body.get("tools") or () for one in group.get("functionDeclarations") or ()
        ]
        tools = tuple(Offered(one["name"], properties=_properties(one)) for one in declared)
        settings = body.get("generationConfig") or {}
        schema = settings.get("responseJsonSchema") or settings.get("responseSchema")
        model = path.rpartition("/")[2].partition(":")[0]
        return Asked(turns, tools, model, ":stream" in path, schema)

    def whole(self, asked: Asked, answer: Answer) -> Mapping[str, Any]:
        parts: list[dict[str, Any]] = []
        if answer.text or answer.call is None:
            parts.append({"text": answer.text})
        if answer.call is not None:
            call = {
                "id": f"call-{answer.number:06d}",
                "name": answer.call.tool.name,
                "args": dict(answer.call.arguments),
            }
            parts.append({"functionCall": call})
        return {
            "candidates": [
                {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
            ],
            "usageMetadata": {
                "promptTokenCount": answer.usage.input,
                "candidatesTokenCount": answer.usage.output,
                "totalTokenCount": answer.usage.input + answer.usage.output,
            },
            "modelVersion": asked.model,
            "responseId": f"resp-{answer.number:06d}",
        }

    def events(self, asked: Asked, answer: Answer) -> Iterator[Event]:
        yield "", self.whole(asked, answer)

    def failed(self, failure: Failure) -> Refusal:
        status, message = STATUSES.get(failure.status, STATUSES[500])
        error: dict[str, Any] = {"code": failure.status, "message": failure.message or message}
        error["status"] = status
        if failure.after_s is None:
            return Refusal({}, {"error": error})
        if not failure.message:
            error["message"] = f"{message} Please retry in {failure.after_s:.3f}s."
        error["details"] = [
            {
                "@type": f"{GOOGLE}QuotaFailure",
                "violations": [
                    {
                        "quotaMetric": "generativelanguage.googleapis.com/generate_requests",
                        "quotaId": "GenerateRequestsPerDayPerProjectPerModel",
                    }
                ],
            },
            {"@type": f"{GOOGLE}RetryInfo", "retryDelay": f"{max(1, round(failure.after_s))}s"},
        ]
        return Refusal({"retry-after": str(max(1, round(failure.after_s)))}, {"error": error})

    def counted(self, tokens: int) -> Mapping[str, Any]:
        return {"totalTokens": tokens}


def _turns(content: Mapping[str, Any]) -> Iterator[Turn]:
    parts = content.get("parts") or ()
    texts = [str(part["text"]) for part in parts if part.get("text")]
    if content.get("role") == "model":
        yield Turn(Speaker.MODEL, "\n".join(texts))
        return
    for part in parts:
        if "functionResponse" in part:
            # kept as JSON: a field that the script asks for is looked for in it
            yield Turn(Speaker.RESULT, json.dumps(part["functionResponse"].get("response")))
    if texts:
        yield Turn(Speaker.USER, "\n".join(texts))


def _properties(declared: Mapping[str, Any]) -> frozenset[str]:
    schema = declared.get("parametersJsonSchema") or declared.get("parameters") or {}
    return frozenset(schema.get("properties", {}))
