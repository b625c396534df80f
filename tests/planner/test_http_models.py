"""The HTTP model against the scripted model on loopback: what it sends, and how each trouble is told."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from rehearsal.model_process import ModelProcess, model_process
from toryo.planner.models.http import HttpModel
from toryo.planner.models.model import (
    ModelRefused,
    Outage,
    Reply,
    Request,
    TooLong,
    Turn,
    Usage,
    UsageLimit,
    Voice,
)

KEY = "sk-KEY-THAT-IS-SECRET-0001"


def a_request(text: str = "go", purpose: str = "plan") -> Request:
    return Request(purpose, "RULES", (Turn(Voice.PERSON, text),))


def asked(model: ModelProcess, request: Request | None = None, name: str = "tea-1") -> Reply:
    return HttpModel(f"{model.url}/v1", name, KEY, limit_s=30).ask(request or a_request())


def script(*replies: dict[str, Any]) -> dict[str, Any]:
    return {"model": [{"purpose": "plan", "replies": list(replies)}]}


def test_a_request_carries_its_purpose_the_whole_conversation_and_no_response_format(tmp_path):
    request = a_request("first").after("bad", "again")
    with model_process(tmp_path, script({"say": "one"}, {"say": "two"})) as model:
        reply = asked(model, request)
        (kept,) = model.requests()
    assert (reply.text, reply.cut, reply.model) == ("two", False, "tea-1")
    assert reply.usage.calls == 1
    assert reply.usage.input_tokens > 10
    assert reply.usage.output_tokens >= 1
    assert (reply.usage.cost_usd, reply.usage.cost) == (None, "unknown")
    assert kept["headers"]["x-toryo-purpose"] == "plan"
    assert "response_format" not in kept["body"]
    assert not kept["body"].get("stream")
    assert [(one["role"], one["content"]) for one in kept["body"]["messages"]] == [
        ("system", "RULES"),
        ("user", "first"),
        ("assistant", "bad"),
        ("user", "again"),
    ]


def test_where_a_price_list_knows_the_model_the_cost_is_an_estimate(tmp_path):
    with model_process(tmp_path, script({"say": "one"})) as model:
        usage = asked(model, name="gpt-4o").usage
    assert usage.cost == "estimated"
    assert 0 < (usage.cost_usd or 0) < 0.01


def test_an_answer_cut_by_length_is_known_as_that(tmp_path):
    with model_process(tmp_path, script({"say": "half a sentence", "cut": 4})) as model:
        reply = asked(model)
    assert (reply.text, reply.cut) == ("half", True)


@pytest.mark.parametrize("status", [500, 502, 503, 529])
def test_a_failing_service_is_an_outage_and_is_asked_once(tmp_path, status):
    with model_process(tmp_path, script({"error": status, "message": "Out of tea"})) as model:
        with pytest.raises(Outage, match=f"HTTP {status}: Out of tea"):
            asked(model)
        assert len(model.requests()) == 1, "trying again is ours, not the library's"


def test_a_busy_service_says_how_long_to_wait(tmp_path):
    with model_process(tmp_path, script({"limit": {"after_s": 7}})) as model:
        with pytest.raises(Outage) as busy:
            asked(model)
    assert 6 <= (busy.value.after_s or 0) <= 7


def test_a_long_wait_is_a_limit_of_the_account_with_its_end(tmp_path):
    with model_process(tmp_path, script({"limit": {"after_s": 7200}})) as model:
        with pytest.raises(UsageLimit) as limit:
            asked(model)
    assert limit.value.until > time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 7000))


@pytest.mark.parametrize(
    "reply", [{"deny": True}, {"error": 404}, {"error": 400, "message": "no such model"}]
)
def test_a_refusal_is_for_a_person_and_says_where_to_look(tmp_path, reply):
    with model_process(tmp_path, script(reply)) as model:
        with pytest.raises(ModelRefused) as refused:
            asked(model)
    assert f"127.0.0.1:{model.port}" in refused.value.message
    assert "toryo planner check" in refused.value.hint


def test_a_request_that_does_not_fit_the_window_says_so(tmp_path):
    told = "This model's maximum context length is 8192 tokens. context_length_exceeded"
    with model_process(tmp_path, script({"error": 400, "message": told})) as model:
        with pytest.raises(ModelRefused) as refused:
            asked(model)
    assert isinstance(refused.value, TooLong)
    assert "planner.window" in refused.value.hint


def test_nobody_at_the_address_is_an_outage():
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{line.getsockname()[1]}/v1"
        with pytest.raises(Outage):
            HttpModel(url, "m", KEY, limit_s=5).ask(a_request())


def test_a_dropped_connection_is_an_outage(tmp_path):
    with model_process(tmp_path, script({"refuse": True})) as model:
        with pytest.raises(Outage):
            asked(model)


def test_a_service_that_does_not_answer_in_time_is_an_outage(tmp_path):
    with model_process(tmp_path, script({"hang": 20, "say": "late"})) as model:
        with pytest.raises(Outage):
            HttpModel(f"{model.url}/v1", "m", KEY, limit_s=0.3).ask(a_request())


@contextmanager
def serving(body: str) -> Iterator[str]:
    """The address of a service that answers everything with that."""

    class Same(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Same) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


MESSAGE = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "tea"}}
WHOLE = {"id": "1", "object": "chat.completion", "created": 1, "model": "tea-1", "choices": [MESSAGE]}


def test_a_service_that_counts_no_tokens_is_a_model_all_the_same():
    with serving(json.dumps(WHOLE)) as url:
        reply = HttpModel(url, "tea-1").ask(a_request())
    assert (reply.text, reply.usage) == ("tea", Usage(calls=1))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({**WHOLE, "choices": []}, "no `choices`"),
        ({"error": {"message": "away"}}, "Invalid response"),
        ({}, ""),
    ],
)
def test_an_answer_without_a_message_in_it_is_a_refusal_in_one_line(body, told):
    with serving(json.dumps(body)) as url, pytest.raises(ModelRefused) as refused:
        HttpModel(url, "tea-1").ask(a_request())
    assert told in refused.value.message
    assert "errors.pydantic.dev" not in refused.value.message


def test_the_key_is_in_no_error_whatever_the_service_repeats(tmp_path):
    with model_process(tmp_path, script({"error": 401, "message": f"Wrong key: {KEY}"})) as model:
        with pytest.raises(ModelRefused) as refused:
            asked(model)
    seen = [str(refused.value), repr(refused.value), str(refused.value.__dict__)]
    assert not any(KEY in text for text in seen)
    assert refused.value.__cause__ is None


def test_only_this_module_loads_the_library():
    """A process that asks a CLI does not pay for the HTTP library, nor does anybody else."""
    source = Path(__file__).parents[2] / "src" / "toryo"
    users = [
        file.relative_to(source).as_posix()
        for file in source.rglob("*.py")
        if "models.http import" in file.read_text() or "models import http" in file.read_text()
    ]
    assert users == ["planner/models/choosing.py"]
