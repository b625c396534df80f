"""Every dialect says the same: text, tool calls, failures and limits in each provider's own words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rehearsal.model_process import Answered, model_process

PATHS = {
    "anthropic": "/v1/messages?beta=true",
    "responses": "/v1/responses",
    "completions": "/v1/chat/completions",
    "gemini": "/v1beta/models/m:generateContent",
}
STREAMED = {**PATHS, "gemini": "/v1beta/models/m:streamGenerateContent?alt=sse"}
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}, "description": {"type": "string"}}}
SHELLS = {
    "anthropic": "Bash",
    "responses": "shell_command",
    "completions": "bash",
    "gemini": "run_shell_command",
}
every_dialect = pytest.mark.parametrize("dialect", sorted(PATHS))


def request(dialect: str, prompt: str, *, tools: bool = True, stream: bool = False) -> dict[str, Any]:
    """The smallest request with one shell tool."""
    name = SHELLS[dialect]
    match dialect:
        case "anthropic":
            body = {"messages": [{"role": "user", "content": [{"type": "text", "text": prompt}]}]}
            offered: list[Any] = [{"name": name, "input_schema": SCHEMA}]
        case "responses":
            content = [{"type": "input_text", "text": prompt}]
            body = {"input": [{"type": "message", "role": "user", "content": content}]}
            offered = [{"type": "function", "name": name, "parameters": SCHEMA}]
        case "completions":
            body = {"messages": [{"role": "system", "content": "x"}, {"role": "user", "content": prompt}]}
            offered = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}}]
        case _:
            body = {"contents": [{"role": "user", "parts": [{"text": prompt}]}]}
            offered = [{"functionDeclarations": [{"name": name, "parametersJsonSchema": SCHEMA}]}]
    return {"model": "m", "stream": stream, **body, **({"tools": offered} if tools else {})}


def said(dialect: str, body: Any) -> tuple[str, str]:
    """Text and the called tool of a whole answer."""
    match dialect:
        case "anthropic":
            parts = body["content"]
            return _joined(parts, "text"), next((one["name"] for one in parts if "name" in one), "")
        case "responses":
            text = [part["text"] for one in body["output"] for part in one.get("content", ())]
            return "".join(text), next((one["name"] for one in body["output"] if "name" in one), "")
        case "completions":
            message = body["choices"][0]["message"]
            calls = message.get("tool_calls", [{"function": {"name": ""}}])
            return message["content"] or "", calls[0]["function"]["name"]
    parts = body["candidates"][0]["content"]["parts"]
    called = [one["functionCall"]["name"] for one in parts if "functionCall" in one]
    return _joined(parts, "text"), called[0] if called else ""


def _joined(parts: list[dict[str, Any]], key: str) -> str:
    return "".join(str(one[key]) for one in parts if key in one)


def streamed(dialect: str, answered: Answered) -> tuple[str, str]:
    """The same from a stream, put together as a client would."""
    events = answered.events
    match dialect:
        case "anthropic":
            assert [one["type"] for one in events][-2:] == ["message_delta", "message_stop"]
            deltas = [one["delta"] for one in events if one["type"] == "content_block_delta"]
            starts = [one["content_block"] for one in events if one["type"] == "content_block_start"]
            return _joined(deltas, "text"), _joined(starts, "name")
        case "responses":
            assert events[-1]["type"] == "response.completed"
            deltas = [one for one in events if one["type"] == "response.output_text.delta"]
            items = [one["item"] for one in events if one["type"] == "response.output_item.done"]
            return _joined(deltas, "delta"), _joined(items, "name")
        case "completions":
            assert events[-1] == "[DONE]"
            deltas = [choice["delta"] for one in events[:-1] for choice in one["choices"]]
            calls = [call["function"] for one in deltas for call in one.get("tool_calls", ())]
            return _joined(deltas, "content"), _joined(calls, "name")
    return said(dialect, events[-1])


@every_dialect
def test_text_and_a_tool_call_are_told_whole_and_streamed(dialect, tmp_path):
    script = [{"say": "I look.", "run": "git status"}]
    with model_process(tmp_path, script) as model:
        whole = model.ask(PATHS[dialect], request(dialect, "go"))
        stream = model.ask(STREAMED[dialect], request(dialect, "go", stream=True))
    assert said(dialect, whole.json) == ("I look.", SHELLS[dialect])
    assert streamed(dialect, stream) == ("I look.", SHELLS[dialect])
    assert stream.headers["content-type"] == "text/event-stream"
    assert "git status" in json.dumps(whole.json)
    assert "git status" in stream.text


@every_dialect
def test_an_error_is_told_with_its_status_and_only_as_often_as_the_script_says(dialect, tmp_path):
    with model_process(
        tmp_path, [{"error": 500, "times": 2, "message": "Out of tea"}, {"say": "hello"}]
    ) as model:
        got = [model.ask(PATHS[dialect], request(dialect, "go")) for _ in range(3)]
    assert [one.status for one in got] == [500, 500, 200]
    assert got[0].json["error"]["message"] == "Out of tea"
    assert said(dialect, got[2].json) == ("hello", "")


@every_dialect
def test_a_limit_holds_for_every_conversation_of_that_provider_and_says_when_it_ends(dialect, tmp_path):
    script = {
        "model": [{"when": "tea", "replies": [{"limit": {"after_s": 3600}}]}, {"replies": [{"say": "a"}]}]
    }
    with model_process(tmp_path, script) as model:
        before = model.ask(PATHS[dialect], request(dialect, "coffee"))
        limited = model.ask(PATHS[dialect], request(dialect, "tea"))
        after = model.ask(PATHS[dialect], request(dialect, "coffee"))
        others = {name: model.ask(PATHS[name], request(name, "coffee")).status for name in PATHS}
    assert (before.status, limited.status, after.status) == (200, 429, 429)
    assert 3500 < int(limited.headers["retry-after"]) <= 3600
    assert limited.json["error"]
    assert others == {name: 429 if name == dialect else 200 for name in PATHS}


def test_a_limit_ends_when_its_time_has_come(tmp_path):
    from waiting import eventually

    with model_process(tmp_path, [{"limit": {"after_s": 0.2}}, {"say": "again"}]) as model:

        def ask() -> int:
            return model.ask("/v1/messages", request("anthropic", "go")).status

        assert ask() == 429
        eventually(lambda: ask() == 200, within_s=30)


def test_the_account_of_codex_learns_the_moment_at_which_its_limit_ends(tmp_path):
    with model_process(tmp_path, [{"limit": {"after_s": 60}}]) as model:
        error = model.ask("/v1/responses", request("responses", "go")).json["error"]
    assert error["type"] == "usage_limit_reached"
    assert error["resets_in_seconds"] == 60
    assert error["resets_at"] > 1_700_000_000


@every_dialect
def test_a_request_without_tools_is_a_side_request_and_uses_no_line(dialect, tmp_path):
    with model_process(tmp_path, [{"say": "mine"}]) as model:
        side = model.ask(PATHS[dialect], request(dialect, "a title for: go", tools=False))
        main = model.ask(PATHS[dialect], request(dialect, "go"))
        kept = model.requests()
    assert said(dialect, side.json) == ("OK", "")
    assert said(dialect, main.json) == ("mine", "")
    assert [one["side"] for one in kept] == [True, False]


def test_tokens_are_counted_for_those_who_ask(tmp_path):
    with model_process(tmp_path, [{"say": "nobody asks"}]) as model:
        claude = model.ask("/v1/messages/count_tokens", request("anthropic", "go"))
        gemini = model.ask("/v1beta/models/m:countTokens", request("gemini", "go"))
        usage = model.ask("/v1/messages", request("anthropic", "go")).json["usage"]
    assert claude.json["input_tokens"] == usage["input_tokens"] > 10
    assert gemini.json["totalTokens"] > 10
