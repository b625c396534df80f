"""The second call of our own clients and every later one: answered without the SDK, as the SDK would."""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from little_daemon import LittleDaemon
from raw_client import RawClient

from toryo.daemon.mcp.fast_path import Call, call_of
from toryo.daemon.mcp.transport import MOST_AT_ONCE
from toryo.protocol.wire import CREDENTIAL, ENVELOPE, request_line
from waiting import eventually

Body = dict[str, Any]
FOR_EVER = {"seen": 1_000_000, "wait_s": 30}


class KnownClient(RawClient):
    """One whose first call was answered."""

    def __init__(self, daemon: LittleDaemon) -> None:
        super().__init__(daemon.home.socket, daemon.operator)
        assert self.call(1, "health_check")["result"]["isError"] is False

    def call(self, number: int, tool: str, **arguments: Any) -> Body:
        self.begin(number, tool, **arguments)
        return self.read()

    def begin(self, number: int, tool: str, **arguments: Any) -> None:
        self.send(request_line(number, tool, arguments, self._credential))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("echo", {"text": "plain"}),
        ("echo", {"text": "棟梁 \u2028 \x7f", "times": 3}),
        ("echo", {"text": "x", "tmes": 3}),
        ("echo", {}),
        ("ecko", {}),
        ("claim_run", {}),
        ("refuse", {"name": "ann"}),
        ("boom", {}),
        ("unserialisable", {}),
        ("big", {"size": 300_000}),
        ("add", {"name": {"not": ["text", None, 1.5, True]}}),
    ],
)
def test_the_answer_is_the_same_both_ways(little_daemon: LittleDaemon, tool: str, arguments: Body) -> None:
    line = request_line(7, tool, arguments, little_daemon.operator)
    assert call_of(line) is not None
    with RawClient(little_daemon.home.socket) as stranger:
        stranger.send(line)
        by_the_sdk = stranger.read()
    with KnownClient(little_daemon) as known:
        known.send(line)
        assert known.read() == by_the_sdk


def test_a_call_without_or_with_a_wrong_credential_is_the_same_both_ways(little_daemon: LittleDaemon) -> None:
    for credential in ("", "op_wrong"):
        line = request_line(7, "add", {}, credential)
        with RawClient(little_daemon.home.socket) as stranger:
            stranger.send(line)
            by_the_sdk = stranger.read()
        assert by_the_sdk["result"]["isError"]
        with KnownClient(little_daemon) as known:
            known.send(line)
            assert known.read() == by_the_sdk


def _line(**changes: Any) -> str:
    meta = {**ENVELOPE, CREDENTIAL: "KEY"}
    params = {"name": "echo", "arguments": {"text": "x"}, "_meta": meta}
    whole = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    for name, value in changes.items():
        inner, _, rest = name.partition("__")
        place: Any = {"top": whole, "params": params, "meta": meta}[inner]
        if value is None:
            del place[rest]
        else:
            place[rest.replace("_dot_", "/")] = value
    return json.dumps(whole, separators=(",", ":"))


VERSION, CAPABILITIES = ENVELOPE

OTHERS = [
    _line(top__id="seven"),
    _line(top__id=True),
    _line(top__id=7.5),
    _line(top__method="tools/list"),
    _line(top__method="initialize"),
    _line(top__method="no/such"),
    _line(top__more=1),
    _line(top__params=[1]),
    _line(params__name=5),
    _line(params__name=None),
    _line(params__arguments=[1]),
    _line(params__arguments=None),
    _line(params__more=1),
    _line(params___meta=None),
    _line(params___meta=5),
    _line(meta__progressToken=3),
    json.dumps(json.loads(_line()), separators=(",", ":")).replace("2026-07-28", "2031-01-01"),
    _line().replace(f'"{CAPABILITIES}":{{}}', f'"{CAPABILITIES}":[]'),
    _line().replace(f'"{CREDENTIAL}":"KEY"', f'"{CREDENTIAL}":5'),
    _line().replace('"text":"x"', '"text":"\\ud800"'),
    _line().replace('"text":"x"', '"text":' + "[" * 100_000 + "]" * 100_000),
    _line().replace('"text":"x"', '"text":' + "9" * 5000),
    _line()[:-1],
    _line() + "}",
    _line().replace("2.0", "2.1"),
    " " + _line(),
]


@pytest.mark.parametrize("text", OTHERS, ids=range(len(OTHERS)))
def test_what_differs_in_the_least_is_left_to_the_sdk(little_daemon: LittleDaemon, text: str) -> None:
    line = text.replace("KEY", little_daemon.operator).encode() + b"\n"
    assert call_of(line) is None
    with RawClient(little_daemon.home.socket, little_daemon.operator) as other:
        other.ask("tools/list")  # of the same era, and no call
        other.send(line)
        by_the_sdk = other.read()
    with KnownClient(little_daemon) as known:
        known.send(line)
        assert known.read() == by_the_sdk


def test_bytes_that_are_no_utf8_are_left_to_the_sdk() -> None:
    line = request_line(7, "echo", {"text": "x"}, "")
    assert call_of(line) is not None
    assert call_of(line.replace(b'"x"', b'"\xed\xa0\x80"')) is None
    assert call_of(line.replace(b'"x"', b'"\xff"')) is None


@given(st.dictionaries(st.text(), st.none() | st.integers() | st.text() | st.lists(st.booleans())), st.text())
def test_every_line_of_our_own_client_is_known(arguments: Body, credential: str) -> None:
    line = request_line(3, "echo", arguments, credential)
    assume(b"\\ud" not in line)  # it may be half a character: the SDK is asked
    assert call_of(line) == Call(3, "echo", arguments, credential)


def test_a_connection_that_shook_hands_is_refused_by_the_sdk(little_daemon: LittleDaemon) -> None:
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    with RawClient(little_daemon.home.socket, little_daemon.operator) as client:
        assert "result" in client.ask("initialize", about, modern=False)
        for _ in range(2):
            client.send(request_line(7, "add", {}, little_daemon.operator))
            assert "handshake" in client.read()["error"]["message"]


def test_a_bound_connection_speaks_by_its_credential(little_daemon: LittleDaemon) -> None:
    with KnownClient(little_daemon) as client:
        client.send(b'{"jsonrpc":"2.0","method":"toryo/bind","params":{"credential":"op_wrong"}}\n')
        client.send(request_line(7, "echo", {"text": "x"}, ""))
        assert "credential" in client.read()["result"]["structuredContent"]["error"]
        assert client.call(8, "echo", text="x")["result"]["structuredContent"]["kind"] == "operator"


def test_more_calls_at_once_than_are_worked_on_are_all_answered(little_daemon: LittleDaemon) -> None:
    count = MOST_AT_ONCE * 3
    with KnownClient(little_daemon) as client:
        lines = [
            request_line(number, "echo", {"text": "x"}, little_daemon.operator)
            for number in range(10, 10 + count)
        ]
        client.send(b"".join(lines))
        assert {client.read()["id"] for _ in range(count)} == set(range(10, 10 + count))


@pytest.mark.parametrize("seed", range(6))
def test_lines_in_any_pieces_are_taken_whole_and_in_order(little_daemon: LittleDaemon, seed: int) -> None:
    """Whole lines are begun where they come in, pieces go through the reader: neither overtakes the other."""
    chance = random.Random(seed)
    numbers = range(10, 10 + MOST_AT_ONCE)
    lines = []
    for number in numbers:
        text = "é" * chance.choice((1, 50, 1500))
        lines.append(request_line(number, "echo", {"text": text}, little_daemon.operator))
        if chance.random() < 0.3:
            lines.append(b"\n")
        if chance.random() < 0.3:
            lines.append(_line(top__id=1000 + number).replace(":", ": ", 1).encode() + b"\n")  # the SDK's
    rest = b"".join(lines)
    with KnownClient(little_daemon) as client, KnownClient(little_daemon) as other:
        while rest:
            size = chance.choice((1, 100, rest.index(b"\n") + 1, rest.index(b"\n") + 1, 5000, len(rest)))
            client.send(rest[:size])
            rest = rest[size:]
            if chance.random() < 0.5:
                other.call(2, "health_check")  # by its answer this piece was read, alone
        answered = [client.read()["id"] for _ in range(sum(line != b"\n" for line in lines))]
    assert [number for number in answered if number < 1000] == list(numbers)
    assert len(set(answered)) == len(answered)


def test_a_line_that_was_begun_is_not_overtaken_by_what_looks_whole(little_daemon: LittleDaemon) -> None:
    with KnownClient(little_daemon) as client, KnownClient(little_daemon) as other:
        client.send(b'{"half of":"a line",')
        other.call(2, "health_check")  # by its answer that half was read, alone
        client.begin(7, "echo", text="x")
        refused = client.read()
        assert (refused["id"], "error" in refused) == (None, True)
        assert client.call(8, "echo", text="x")["id"] == 8


def test_cancelled_calls_are_not_answered_and_make_room_again(little_daemon: LittleDaemon) -> None:
    with KnownClient(little_daemon) as client:
        for number in range(10, 10 + MOST_AT_ONCE - 1):
            client.begin(number, "wait_for_count", **FOR_EVER)
        for number in range(10, 10 + MOST_AT_ONCE - 1):
            note: Body = {"method": "notifications/cancelled", "params": {"requestId": number}}
            client.send(json.dumps({"jsonrpc": "2.0", **note}).encode() + b"\n")
        for number in range(1000, 1000 + MOST_AT_ONCE):
            assert client.call(number, "health_check")["id"] == number


def test_a_call_that_is_cancelled_before_it_began_makes_room_again(little_daemon: LittleDaemon) -> None:
    note = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}\n'
    line = request_line(5, "wait_for_count", FOR_EVER, little_daemon.operator)
    with KnownClient(little_daemon) as client:
        for _ in range(MOST_AT_ONCE * 2):
            client.send(line + note)
        assert client.call(1000, "health_check")["id"] == 1000


def test_a_client_that_closed_its_sending_half_gets_its_answer(little_daemon: LittleDaemon) -> None:
    count = little_daemon.call("add")["count"]
    with KnownClient(little_daemon) as client:
        client.begin(7, "wait_for_count", seen=count)
        client.socket.shutdown(socket.SHUT_WR)
        little_daemon.call("add")
        assert client.read()["result"]["structuredContent"]["count"] > count
        assert client.is_at_end()


def test_a_reader_that_does_not_read_disturbs_nobody(little_daemon: LittleDaemon) -> None:
    with KnownClient(little_daemon) as lazy:
        for number in range(10, 30):
            lazy.begin(number, "big", size=1_000_000)
        assert little_daemon.call("echo", text="prompt")["echo"] == "prompt"
        answers = [lazy.read() for _ in range(20)]
    assert {one["id"] for one in answers} == set(range(10, 30))
    assert {len(one["result"]["structuredContent"]["text"]) for one in answers} == {1_000_000}


def test_connections_that_end_during_a_call_leave_nothing_open(little_daemon: LittleDaemon) -> None:
    folder = Path(f"/proc/{little_daemon.process.pid}/fd")
    if not folder.exists():
        return
    little_daemon.call("health_check")
    before = len(list(folder.iterdir()))
    for _ in range(50):
        waiting = KnownClient(little_daemon)
        waiting.begin(2, "wait_for_count", **FOR_EVER)
        waiting.close()
    eventually(lambda: len(list(folder.iterdir())) <= before + 2, what="descriptors are given back")


def test_a_daemon_that_ends_answers_what_still_waits(start_daemon: Callable[..., LittleDaemon]) -> None:
    daemon = start_daemon().wait_until_it_answers()
    with KnownClient(daemon) as client:
        client.begin(2, "wait_for_count", **FOR_EVER)
        assert daemon.call("health_check")["status"] == "ok"
        daemon.process.terminate()
        assert client.read()["id"] == 2
        assert client.is_at_end()
    assert daemon.process.wait(20) == 0
