"""The client's end, against the real daemon and against sockets that misbehave."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from little_daemon import LittleDaemon

from toryo.protocol.wire import LONGEST_LINE, Connection, ToolFailed, WireError, answer_body, call


def pretend(path: Path, *behaviours: Callable[[socket.socket], None]) -> threading.Thread:
    """A server that treats each connection in turn as told."""
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen()

    def serve() -> None:
        with listening:
            for behave in behaviours:
                peer, _ = listening.accept()
                with peer:
                    behave(peer)

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


def answer(number: object, **body: object) -> bytes:
    result = {"structuredContent": {"success": True, **body}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode() + b"\n"


def hang_up(peer: socket.socket) -> None:
    peer.recv(65536)


def test_one_line_without_a_handshake_is_answered(little_daemon: LittleDaemon) -> None:
    body = call(little_daemon.home.socket, "health_check", {}, "")
    assert body["success"] is True
    assert body["status"] == "ok"
    assert body["timestamp"].endswith("Z")
    assert body["pid"] == little_daemon.process.pid


def test_a_question_may_be_begun_and_its_answer_heard_later(little_daemon: LittleDaemon) -> None:
    with Connection(little_daemon.home.socket, little_daemon.operator) as connection:
        connection.begin("echo", {"text": "first"})
        assert connection.finish()["echo"] == "first"
        connection.begin("echo", {"text": "never heard"})
        assert connection.call("echo", {"text": "second"})["echo"] == "second"


def test_a_connection_carries_many_calls(little_daemon: LittleDaemon) -> None:
    with Connection(little_daemon.home.socket, little_daemon.operator) as connection:
        assert [connection.call("echo", {"text": str(i)})["echo"] for i in range(50)] == list(
            map(str, range(50))
        )


def test_success_false_is_raised_with_error_hint_and_body(little_daemon: LittleDaemon) -> None:
    with pytest.raises(ToolFailed) as failed:
        little_daemon.call("refuse", name="t1")
    assert failed.value.message == "t1 is busy"
    assert failed.value.hint == "try `toryo task retry`"
    told = {"success": False, "error": "t1 is busy", "hint": "try `toryo task retry`", "kind": "refused"}
    assert failed.value.body == told


def test_without_a_daemon_the_hint_is_toryo_up(tmp_path: Path) -> None:
    with pytest.raises(WireError) as failed:
        call(tmp_path / "mcp.sock", "health_check", {}, "")
    assert failed.value.hint == "`toryo up`"


def test_a_long_path_without_a_pointer_means_no_daemon(tmp_path: Path) -> None:
    with pytest.raises(WireError) as failed:
        call(tmp_path / ("x" * 120) / "mcp.sock", "health_check", {}, "")
    assert failed.value.hint == "`toryo up`"


def test_a_lost_connection_is_an_error_and_the_next_call_connects_anew(tmp_path: Path) -> None:
    def answer_second(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.sendall(answer(2, echo="again"))

    server = pretend(tmp_path / "s", hang_up, answer_second)
    with Connection(tmp_path / "s", "") as connection:
        with pytest.raises(WireError, match="lost"):
            connection.call("echo", {"text": "a"})
        assert connection.call("echo", {"text": "b"})["echo"] == "again"
    server.join(10)


def test_an_answer_to_an_older_call_is_not_taken_for_ours(tmp_path: Path) -> None:
    def late(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.sendall(answer(0, echo="old") + answer(1, echo="ours"))

    server = pretend(tmp_path / "s", late)
    assert call(tmp_path / "s", "echo", {}, "")["echo"] == "ours"
    server.join(10)


def test_an_answer_in_pieces_is_put_together(tmp_path: Path) -> None:
    def slowly(peer: socket.socket) -> None:
        peer.recv(65536)
        for byte in answer(1, echo="é"):
            peer.sendall(bytes([byte]))

    server = pretend(tmp_path / "s", slowly)
    assert call(tmp_path / "s", "echo", {}, "")["echo"] == "é"
    server.join(10)


def test_silence_ends_at_the_time_limit(tmp_path: Path) -> None:
    told = threading.Event()

    def silent(peer: socket.socket) -> None:
        told.wait(10)

    server = pretend(tmp_path / "s", silent)
    with pytest.raises(WireError, match="in time") as late:
        call(tmp_path / "s", "echo", {}, "", timeout_s=0.05)
    assert f"`fuser {tmp_path / 's'}` names" in late.value.hint
    told.set()
    server.join(10)


@pytest.mark.parametrize("line", [b"nonsense\n", b"[1]\n", b'{"jsonrpc":"2.0","id":1}\n'])
def test_an_answer_that_is_none_is_an_error(tmp_path: Path, line: bytes) -> None:
    def reply(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.sendall(line)

    server = pretend(tmp_path / "s", reply)
    with pytest.raises(WireError):
        call(tmp_path / "s", "echo", {}, "")
    server.join(10)


STRANGERS = (b'{"id":1,"result":[]}\n', b'{"result":[]}\n', b"", b"220 hello\r\n", b"[1]\n")


@pytest.mark.parametrize("line", STRANGERS)
def test_whoever_answers_as_no_daemon_is_to_be_looked_for(tmp_path: Path, line: bytes) -> None:
    def reply(peer: socket.socket) -> None:
        peer.recv(65536)
        peer.sendall(line)

    server = pretend(tmp_path / "s", reply)
    with pytest.raises(WireError) as told:
        call(tmp_path / "s", "get_status", {}, "", timeout_s=5)
    assert f"`fuser {tmp_path / 's'}` names" in told.value.hint
    assert "toryo down" not in told.value.hint
    server.join(10)


def test_a_refusal_without_an_id_is_an_error_at_once() -> None:
    with pytest.raises(WireError, match="too long"):
        answer_body({"id": None, "error": {"code": -32600, "message": "too long"}})


def test_a_call_longer_than_a_line_may_be_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    with pytest.raises(WireError, match=str(LONGEST_LINE)):
        call(tmp_path / "nobody", "echo", {"text": "x" * LONGEST_LINE}, "")


def test_bytes_that_are_not_utf8_do_not_break_a_call(little_daemon: LittleDaemon) -> None:
    assert little_daemon.call("echo", text="name\udcff.txt")["echo"] == "name?.txt"


def test_importing_the_client_loads_nothing_heavy() -> None:
    program = "import sys, toryo.protocol.wire; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = set(done.stdout.split())
    assert "toryo.protocol.wire" in loaded
    assert not loaded & {
        "pydantic",
        "mcp",
        "anyio",
        "asyncio",
        "dataclasses",
        "pathlib",
        "subprocess",
    }
