"""The bridge when the daemon goes away: what is asked again, what is answered; the pipe stays open."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fronts.stdio_client import LIMIT_S, StdioClient, credential_file
from toryo.fronts import bridge
from waiting import eventually

BOUND = {"jsonrpc": "2.0", "method": "toryo/bind", "params": {"credential": "run_secret"}}


class Line:
    """The daemon's end of one connection."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._channel.settimeout(LIMIT_S)
        self._lines = channel.makefile("rb")
        assert self.read() == BOUND, "a bridge says first whom it speaks for"

    def read(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._lines.readline())
        return found

    def answer(self, request: dict[str, Any], **result: Any) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() + b"\n")

    def send(self, data: bytes) -> None:
        self._channel.sendall(data)

    def close(self) -> None:
        self._lines.close()
        self._channel.close()


class Daemon:
    """A socket on which the test itself answers, and goes away when it likes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: list[Line] = []
        self.begin()

    def begin(self) -> None:
        self.path.unlink(missing_ok=True)
        self._bound = socket.socket(socket.AF_UNIX)
        self._bound.bind(str(self.path))
        self._bound.listen()
        self._bound.settimeout(LIMIT_S)

    def accept(self) -> Line:
        self._lines.append(Line(self._bound.accept()[0]))
        return self._lines[-1]

    def end(self) -> None:
        self._bound.close()
        self.path.unlink(missing_ok=True)
        for line in self._lines:
            line.close()


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path / "s")
    yield made
    made.end()


@pytest.fixture
def client(daemon: Daemon, tmp_path: Path) -> Iterator[StdioClient]:
    made = StdioClient.of(credential_file(tmp_path, daemon.path, "run_secret"))
    yield made
    made.close()


def call(client: StdioClient, tool: str, *, modern: bool = False) -> int:
    return client.request("tools/call", {"name": tool, "arguments": {}}, modern=modern)


@pytest.mark.parametrize(
    "tool", ["authenticate", "get_my_task", "report_completed", "report_progress", "list_tasks"]
)
def test_a_call_whose_answer_was_lost_is_asked_again_where_that_does_no_harm(daemon, client, tool):
    line = daemon.accept()
    number = call(client, tool)
    asked = line.read()
    line.close()
    again = daemon.accept()
    assert again.read() == asked
    again.answer(asked, content=[])
    assert client.answer(number)["result"] == {"content": []}


@pytest.mark.parametrize("modern", [False, True])
def test_a_call_that_may_not_be_repeated_is_answered_by_a_failure_with_a_way_out(daemon, client, modern):
    line = daemon.accept()
    number = call(client, "add_task", modern=modern)
    line.read()
    line.close()
    result = client.answer(number)["result"]
    body = result["structuredContent"]
    assert (result["isError"], body["success"]) == (True, False)
    assert "may have been done or not" in body["error"]
    assert body["instruction"] == body["hint"] != ""
    assert json.loads(result["content"][0]["text"]) == body
    assert ("resultType" in result) is modern
    other = call(client, "add_task")
    again = daemon.accept()
    again.answer(again.read(), content=[])
    assert client.answer(other)["result"] == {"content": []}


def test_a_request_that_ends_the_daemon_each_time_is_not_asked_for_ever(daemon, client):
    number = call(client, "get_my_task")
    for _ in range(bridge.MOST_TRIES):
        line = daemon.accept()
        assert line.read()["id"] == number
        line.close()
    assert client.answer(number)["result"]["isError"] is True


def test_the_handshake_is_repeated_before_anything_else_on_a_new_connection(daemon, client):
    line = daemon.accept()
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    number = client.request("initialize", about)
    hello = line.read()
    line.answer(hello, protocolVersion="2025-06-18")
    assert client.answer(number)["result"]["protocolVersion"] == "2025-06-18"
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert line.read()["method"] == "notifications/initialized"
    line.close()
    wanted = client.request("tools/list")
    again = daemon.accept()
    greeting = again.read()
    assert {**greeting, "id": hello["id"]} == hello
    again.answer(greeting, protocolVersion="2025-06-18")
    assert again.read()["method"] == "notifications/initialized"
    asked = again.read()
    assert asked["id"] == wanted
    again.answer(asked, tools=[])
    assert client.answer(wanted)["result"] == {"tools": []}, (
        "our own greeting's answer is not shown to the CLI"
    )


def test_a_cancelled_request_is_not_asked_again(daemon, client):
    line = daemon.accept()
    gone, kept = call(client, "get_my_task"), call(client, "list_tasks")
    assert [line.read()["id"], line.read()["id"]] == [gone, kept]
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": gone}})
    assert line.read()["method"] == "notifications/cancelled"
    line.close()
    again = daemon.accept()
    assert again.read()["id"] == kept


@pytest.mark.parametrize("garbage", [b"nonsense\n", b"\xff\n", b"[" * 100_000 + b"\n"])
def test_an_answer_that_is_none_is_a_lost_connection(daemon, client, garbage):
    line = daemon.accept()
    number = call(client, "get_my_task")
    line.read()
    line.send(garbage)
    again = daemon.accept()
    again.answer(again.read(), content=[])
    assert client.answer(number)["result"] == {"content": []}


def test_what_the_daemon_says_unasked_is_passed_on(daemon, client):
    line = daemon.accept()
    notice = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    line.send(json.dumps(notice).encode() + b"\n")
    assert client.next() == notice
    line.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() + b"\n")
    assert client.next()["method"] == "ping"
    client.send({"jsonrpc": "2.0", "id": 1, "result": {}})
    assert line.read() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_bridge_that_starts_before_the_daemon_waits_for_it(tmp_path):
    path = tmp_path / "s"
    client = StdioClient.of(credential_file(tmp_path, path, "run_secret"))
    number = client.request("tools/list")
    daemon = Daemon(path)
    line = daemon.accept()
    line.answer(line.read(), tools=[])
    assert client.answer(number)["result"] == {"tools": []}
    daemon.end()
    assert client.leave() == 0, "stdin closes while the daemon is away"
    client.close()


def test_a_long_path_names_another_socket_after_each_restart(tmp_path):
    home = tmp_path / ("x" * 120)
    home.mkdir()
    pointer = home / "mcp.sock.path"
    pointer.write_text(f"{tmp_path}/one\n")
    first = Daemon(tmp_path / "one")
    client = StdioClient.of(credential_file(tmp_path, home / "mcp.sock", "run_secret"))
    first.accept()
    second = Daemon(tmp_path / "two")
    pointer.write_text(f"{tmp_path}/two\n")
    first.end()
    number = client.request("tools/list")
    line = second.accept()
    line.answer(line.read(), tools=[])
    assert client.answer(number)["result"] == {"tools": []}
    client.close()
    second.end()


def test_an_answer_larger_than_every_buffer_arrives_whole_though_the_cli_reads_late(daemon, client):
    line = daemon.accept()
    number = call(client, "get_my_task")
    asked = line.read()
    line.answer(asked, text="é" * 2_000_000)
    assert len(client.answer(number)["result"]["text"]) == 2_000_000


def test_an_answer_without_end_is_told_in_words(daemon, client):
    line = daemon.accept()
    number = call(client, "get_my_task")
    line.answer(line.read(), text="x" * (bridge.LONGEST_ANSWER + 1))
    assert "is longer than" in client.answer(number)["result"]["structuredContent"]["error"]
    other = call(client, "get_my_task")
    line.answer(line.read(), content=[])
    assert client.answer(other)["result"] == {"content": []}


class Inside:
    """A bridge in a thread of the test, so that its patience can be shortened."""

    def __init__(self, place: Path) -> None:
        self._stdin, self.typing = os.pipe()
        self.reading, self._stdout = os.pipe()
        os.set_blocking(self._stdout, False)
        self.bridge = bridge.Bridge(str(place), "run_secret", self._stdin, self._stdout)
        self._thread = threading.Thread(target=self.bridge.run, daemon=True)
        self._thread.start()
        self._lines = open(self.reading, "rb")  # noqa: SIM115 - closed below

    def send(self, number: int, method: str, **params: Any) -> None:
        line = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        os.write(self.typing, json.dumps(line).encode() + b"\n")

    def read(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._lines.readline())
        return found

    def leave(self) -> None:
        os.close(self.typing)
        self._thread.join(LIMIT_S)
        assert not self._thread.is_alive()
        os.close(self._stdin)
        os.close(self._stdout)
        self._lines.close()


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], Inside]]:
    monkeypatch.setattr(bridge, "PATIENCE_S", 0.2)
    made: list[Inside] = []

    def make(place: Path) -> Inside:
        made.append(Inside(place))
        return made[-1]

    yield make
    for one in made:
        one.leave()


def test_a_daemon_that_stays_away_is_told_in_words_and_found_again_when_it_is_back(tmp_path, inside):
    cli = inside(tmp_path / "s")
    cli.send(1, "tools/list")
    cli.send(2, "tools/call", name="get_my_task", arguments={})
    first, second = cli.read(), cli.read()
    assert (first["id"], first["error"]["code"], "`toryo up`" in first["error"]["message"]) == (
        1,
        -32000,
        True,
    )
    assert (second["id"], second["result"]["isError"]) == (2, True)
    assert "toryo up" in second["result"]["structuredContent"]["hint"]
    daemon = Daemon(tmp_path / "s")
    cli.send(3, "tools/list")
    line = daemon.accept()
    line.answer(line.read(), tools=[])
    assert cli.read()["result"] == {"tools": []}
    daemon.end()


def test_a_bridge_without_work_does_nothing_at_all(tmp_path, inside):
    cli = inside(tmp_path / "s")
    cli.send(1, "tools/list")
    assert cli.read()["error"]
    eventually(lambda: cli.bridge._patience_ms() is None, what="no timer is left", within_s=20)
