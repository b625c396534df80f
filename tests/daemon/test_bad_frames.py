"""Bytes on the real socket that are no call: each is refused with a body, and nobody else notices."""

from __future__ import annotations

import json
import socket
import time
from typing import Any

import pytest
from raw_client import RawClient
from real_daemon import RealDaemon, undisturbed

from toryo.protocol.wire import ENVELOPE, LONGEST_LINE, RequestRefused, answer_body, call
from waiting import eventually

NOT_JSON = [
    b"garbage",
    b"\x00\x01\x02\xff\xfe",
    b"GET / HTTP/1.1\r",
    b"\x16\x03\x01\x02\x00\x01\x00",
    b'{"jsonrpc":"2.0","id":1,"method":"ping\xff"}',
    b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
    b'{"jsonrpc":"2.0","id":1,',
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b'{"a":' * 5000 + b"1" + b"}" * 5001,
    b"\xef\xbb\xbf{}",
    b"x" * (LONGEST_LINE - 1),
]
NO_MESSAGE = [
    b"[]",
    b"{}",
    b"null",
    b"1e999",
    b'"text"',
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":5}',
    b'{"jsonrpc":"2.0","id":1}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}',
    b'{"jsonrpc":"2.0","id":null,"method":"tools/call"}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"tools/call"}',
    b'{"jsonrpc":"2.0","id":true,"method":"tools/call"}',
    b'{"jsonrpc":"2.0","id":{},"method":"tools/call"}',
    b'{"jsonrpc":"2.0","id":[1],"method":"tools/call"}',
    b'{"jsonrpc":"2.0","id":1e400,"method":"tools/call"}',
]
NO_CALL: list[Any] = [
    {},
    {"name": 5},
    {"name": None},
    {"name": ["health_check"]},
    {"arguments": {}},
    {"name": "health_check", "arguments": []},
    {"name": "health_check", "arguments": "text"},
    {"name": "health_check", "arguments": 10**400},
    {"name": "x" * 100_000},
    {"name": "\x1b[2J"},
    {"name": ""},
    {"name": "health_check", "arguments": {"no such": 1}},
    {"name": "health_check", "arguments": {"a": [[[[[[[[[[1e308]]]]]]]]]]}},
]
BODY = {"success", "error", "hint"}


def shown(value: object) -> str:
    return repr(value)[:50]


def refused(answer: dict[str, Any]) -> dict[str, Any]:
    """The failure body of a refused line."""
    body: dict[str, Any] = answer["error"]["data"]
    assert set(body) == BODY
    assert body["success"] is False
    assert body["error"]
    assert body["hint"]
    assert "nternal" not in json.dumps(answer)
    return body


def failed(answer: dict[str, Any]) -> dict[str, Any]:
    """The failure body of a call, the same in both places."""
    body: dict[str, Any] = answer["result"]["structuredContent"]
    assert json.loads(answer["result"]["content"][0]["text"]) == body
    assert answer["result"]["isError"] is True
    assert body["success"] is False
    assert body["error"]
    assert body["hint"]
    assert "bug" not in body
    return body


@pytest.mark.parametrize("line", NOT_JSON + NO_MESSAGE, ids=shown)
def test_a_line_that_is_no_message_is_refused_and_the_connection_goes_on(
    real_daemon: RealDaemon, line: bytes
) -> None:
    with RawClient(real_daemon.home.socket, real_daemon.operator) as client:
        client.send(line + b"\n")
        refused(client.read())
        assert client.ask("tools/call", {"name": "health_check"})["result"]["structuredContent"]["success"]


@pytest.mark.parametrize("params", NO_CALL, ids=shown)
def test_a_call_of_the_wrong_shape_is_a_failure_in_both_places(
    real_daemon: RealDaemon, params: dict[str, Any]
) -> None:
    with RawClient(real_daemon.home.socket, real_daemon.operator) as client:
        answer = client.ask("tools/call", params)
        assert answer["id"] == 1
        assert len(json.dumps(failed(answer))) < 10_000


@pytest.mark.parametrize("params", NO_CALL, ids=shown)
def test_an_agent_that_calls_in_the_wrong_shape_is_told_how_it_goes_on(
    real_daemon: RealDaemon, params: dict[str, Any]
) -> None:
    """S1-51."""
    with RawClient(real_daemon.home.socket) as client:
        assert failed(client.ask("tools/call", params))["instruction"]


@pytest.mark.parametrize("meta", [5, [], {}, {**ENVELOPE, "progressToken": {}}, {"toryo/credential": "x"}])
def test_what_the_protocol_itself_refuses_has_a_body_too(real_daemon: RealDaemon, meta: object) -> None:
    call = {"name": "health_check", "_meta": meta}
    whole = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call}
    with RawClient(real_daemon.home.socket) as client:
        client.send(json.dumps(whole).encode() + b"\n")
        answer = client.read()
        assert answer["id"] == 7
        refused(answer)
        with pytest.raises(RequestRefused) as told:
            answer_body(answer)
        assert told.value.hint


@pytest.mark.parametrize("method", ["", "nope", "ping\n", "resources/list", "prompts/get", "x" * 10_000])
def test_an_unknown_method_is_refused_by_its_id(real_daemon: RealDaemon, method: str) -> None:
    with RawClient(real_daemon.home.socket) as client:
        answer = client.ask(method, {})
        assert answer["id"] == 1
        refused(answer)


def test_a_line_of_10_mb_is_refused_once_and_only_its_own_connection_ends(real_daemon: RealDaemon) -> None:
    before = real_daemon.memory_mb()
    with undisturbed(real_daemon):
        for _ in range(10):
            with RawClient(real_daemon.home.socket) as client:
                client.send(b"x" * 10_000_000 + b"\n")
                assert "longer than" in refused(client.read())["error"]
                assert client.is_at_end()
    assert real_daemon.memory_mb() < before + 50


def test_two_requests_with_one_id_are_both_answered(real_daemon: RealDaemon) -> None:
    with RawClient(real_daemon.home.socket, real_daemon.operator) as client:
        line = client.request(1, "tools/call", {"name": "list_events", "arguments": {"wait_s": 0.1}})
        client.send(line * 20)
        assert [client.read()["id"] for _ in range(20)] == [1] * 20
        assert client.ask("tools/call", {"name": "health_check"})["result"]["structuredContent"]["success"]


def test_a_line_that_is_dribbled_byte_by_byte_is_answered(real_daemon: RealDaemon) -> None:
    with RawClient(real_daemon.home.socket) as client, undisturbed(real_daemon):
        line = client.request(3, "tools/call", {"name": "health_check"})
        for at in range(len(line)):
            client.send(line[at : at + 1])
        assert client.read()["result"]["structuredContent"]["status"] == "ok"


def test_connections_closed_in_the_middle_of_a_line_leave_nothing(real_daemon: RealDaemon) -> None:
    files = real_daemon.open_files()
    with undisturbed(real_daemon):
        for number in range(300):
            client = socket.socket(socket.AF_UNIX)
            client.connect(str(real_daemon.home.socket))
            client.sendall(
                b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"' + b"x" * number
            )
            client.close()
    eventually(lambda: real_daemon.open_files() <= files + 3, what="descriptors are given back")


def test_answers_and_notifications_that_nobody_asked_for_are_left_alone(real_daemon: RealDaemon) -> None:
    lines = [
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}},
        {"jsonrpc": "2.0", "method": "notifications/initialized", "params": {"x": 1e308}},
        {"jsonrpc": "2.0", "method": "toryo/bind", "params": {"credential": {"a": 1}}},
        {"jsonrpc": "2.0", "method": "no/such"},
    ]
    for line in lines:
        with RawClient(real_daemon.home.socket, real_daemon.operator) as client:
            client.send(json.dumps(line).encode() + b"\n")
            answer = client.ask("tools/call", {"name": "health_check"})
            assert answer["result"]["structuredContent"]["success"]


def test_a_flood_of_garbage_fills_neither_the_log_nor_the_memory(real_daemon: RealDaemon) -> None:
    log, memory = real_daemon.log_bytes(), real_daemon.memory_mb()
    with undisturbed(real_daemon), RawClient(real_daemon.home.socket) as client:
        for _ in range(20):
            client.send(b"garbage\n" * 500)
            for _ in range(500):
                refused(client.read())
    assert real_daemon.log_bytes() < log + 10_000
    assert real_daemon.memory_mb() < memory + 50
    assert real_daemon.bugs() == []


def test_a_full_queue_of_connections_is_waited_for_and_is_no_absent_daemon(tmp_path: Any) -> None:
    """A Unix socket whose queue is full answers at once that it is: that is not `not running`."""
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen(0)
        crowd = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for one in crowd:
            one.setblocking(False)
            one.connect_ex(str(path))
        began = time.monotonic()
        with pytest.raises(Exception, match="did not answer health_check in time"):
            call(path, "health_check", {}, "", timeout_s=0.3)
        assert time.monotonic() - began >= 0.3
        for one in crowd:
            one.close()
