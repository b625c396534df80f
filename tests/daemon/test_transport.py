"""Connections as clients really treat them: the SDK's own client, garbage, floods, resets, slow readers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from little_daemon import LittleDaemon
from mcp.client.session import ClientSession
from mcp.shared.message import SessionMessage
from mcp_types import TextContent
from mcp_types.jsonrpc import jsonrpc_message_adapter
from raw_client import RawClient

from toryo.daemon.mcp.transport import MOST_AT_ONCE
from toryo.protocol.wire import BIND, CREDENTIAL, LONGEST_LINE, call
from toryo.usecases.credentials import run_token
from waiting import eventually


class ClientStreams:
    """Both streams of the SDK's client on one socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def receive(self) -> SessionMessage:
        return await self.__anext__()

    def __aiter__(self) -> ClientStreams:
        return self

    async def __anext__(self) -> SessionMessage:
        line = await self._reader.readline()
        if not line:
            raise StopAsyncIteration
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))

    async def send(self, item: SessionMessage, /) -> None:
        self._writer.write(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
        await self._writer.drain()

    async def aclose(self) -> None:
        self._writer.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        await self.aclose()


@contextlib.asynccontextmanager
async def sdk_client(path: Path) -> AsyncIterator[ClientSession]:
    streams = ClientStreams(*await asyncio.open_unix_connection(str(path), limit=10_000_000))
    async with ClientSession(streams, streams, read_timeout_seconds=20) as session:
        yield session


def test_the_sdks_client_shakes_hands_lists_and_calls(little_daemon: LittleDaemon) -> None:
    async def talk() -> None:
        async with sdk_client(little_daemon.home.socket) as session:
            hello = await session.initialize()
            assert hello.server_info.name == "toryo"
            await session.send_ping()
            names = {tool.name for tool in (await session.list_tools()).tools}
            assert names == {"health_check", "echo", "get_my_task"}
            done = await session.call_tool("echo", {"text": "hello"})
            assert done.is_error is False
            assert done.structured_content is not None
            assert done.structured_content["echo"] == "hello"
            first = done.content[0]
            assert isinstance(first, TextContent)
            assert json.loads(first.text) == done.structured_content
            bad = await session.call_tool("echo", {"text": "hello", "more": 1})
            assert bad.is_error is True

    asyncio.run(talk())


def test_the_sdks_client_discovers_and_calls_without_a_handshake(little_daemon: LittleDaemon) -> None:
    async def talk() -> None:
        async with sdk_client(little_daemon.home.socket) as session:
            found = await session.discover()
            assert "2026-07-28" in found.supported_versions
            assert len((await session.list_tools()).tools) == 3
            done = await session.call_tool(
                "add",
                {},
                meta={CREDENTIAL: little_daemon.operator},  # type: ignore[typeddict-unknown-key]
            )
            assert done.structured_content is not None
            assert done.structured_content["success"] is True

    asyncio.run(talk())


def test_every_older_protocol_version_is_met(little_daemon: LittleDaemon) -> None:
    for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
        with RawClient(little_daemon.home.socket) as client:
            hello = client.ask(
                "initialize",
                {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
                modern=False,
            )
            assert hello["result"]["protocolVersion"] == version
            client.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            body = client.ask("tools/call", {"name": "echo", "arguments": {"text": version}}, modern=False)
            assert json.loads(body["result"]["content"][0]["text"])["echo"] == version


def test_a_bound_connection_speaks_for_its_run(little_daemon: LittleDaemon) -> None:
    token = run_token(little_daemon.secret(), "r1234abcd")
    with RawClient(little_daemon.home.socket) as client:
        client.send(
            json.dumps({"jsonrpc": "2.0", "method": BIND, "params": {"credential": token}}).encode() + b"\n"
        )
        body = client.ask("tools/call", {"name": "get_my_task", "arguments": {}})["result"]
        refused = client.ask("tools/call", {"name": "shutdown", "arguments": {}})["result"]
    assert body["structuredContent"]["run"] == "r1234abcd"
    assert "needs the operator key" in refused["structuredContent"]["error"]
    assert refused["structuredContent"]["hint"] == "Inside a run only the agent's own tools answer."


def test_a_plain_call_without_envelope_or_handshake_is_refused(little_daemon: LittleDaemon) -> None:
    with RawClient(little_daemon.home.socket) as client:
        assert "error" in client.ask("tools/call", {"name": "health_check", "arguments": {}}, modern=False)


def test_garbage_is_answered_and_the_connection_goes_on(little_daemon: LittleDaemon) -> None:
    with RawClient(little_daemon.home.socket) as client:
        for line, code in (
            (b"hello\n", -32700),
            (b"\xff\xfe\x00\n", -32700),
            (b'{"half": \n', -32700),
            (b"[]\n", -32600),
            (b"12\n", -32600),
            (b'{"jsonrpc":"1.0","id":1,"method":"x"}\n', -32600),
            (b"[" * 5000 + b"\n", -32700),
        ):
            client.send(line)
            assert client.read()["error"]["code"] == code, line[:40]
        client.send(b"\n   \n")
        assert (
            client.ask("tools/call", {"name": "health_check"})["result"]["structuredContent"]["status"]
            == "ok"
        )


def test_a_malformed_request_is_answered_with_its_id(little_daemon: LittleDaemon) -> None:
    with RawClient(little_daemon.home.socket) as client:
        client.send(b'{"jsonrpc":"2.0","id":"mine","method":5}\n')
        assert client.read()["id"] == "mine"


def test_a_line_of_ten_megabytes_is_refused_and_closes_only_that_connection(
    little_daemon: LittleDaemon,
) -> None:
    with RawClient(little_daemon.home.socket) as other, RawClient(little_daemon.home.socket) as client:
        client.send(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 10_000_000 + b'"}\n')
        refused = client.read()
        assert refused["error"]["message"] == f"This line is longer than {LONGEST_LINE} bytes; closing."
        assert client.is_at_end()
        assert other.ask("tools/call", {"name": "health_check"})["result"]["isError"] is False


def test_an_endless_line_without_an_end_is_refused(little_daemon: LittleDaemon) -> None:
    with RawClient(little_daemon.home.socket) as client:
        client.send(b"x" * (LONGEST_LINE + 70_000))
        assert "longer than" in client.read()["error"]["message"]


def test_a_line_just_within_the_limit_is_read(little_daemon: LittleDaemon) -> None:
    text = "x" * (LONGEST_LINE - 1000)
    assert little_daemon.call("echo", text=text)["echo"] == text


def test_half_a_line_and_a_reset_are_ordinary_ends(little_daemon: LittleDaemon) -> None:
    log = little_daemon.home.logs / "daemon.jsonl"
    before = len(log.read_text())
    for _ in range(10):
        client = RawClient(little_daemon.home.socket)
        client.send(b'{"jsonrpc":"2.0","id":1,"me')
        client.close()
        client = RawClient(little_daemon.home.socket)
        client.send(client.request(1, "tools/call", {"name": "big", "arguments": {"size": 500_000}}))
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
    assert little_daemon.call("health_check")["status"] == "ok"
    new = log.read_text()[before:]
    assert not [line for line in new.splitlines() if json.loads(line)["level"] in ("warning", "error")]


def test_half_a_line_before_the_end_is_refused_with_a_body(little_daemon: LittleDaemon) -> None:
    count = little_daemon.call("add")["count"]
    for whole in (b"", b"\n", b"garbage\n"):
        with RawClient(little_daemon.home.socket, little_daemon.operator) as client:
            client.send(whole + b'{"jsonrpc"')
            client.socket.shutdown(socket.SHUT_WR)
            if whole.strip():
                client.read()
            error = client.read()["error"]
            assert error["message"] == "The last line was not finished: it has no newline; closing."
            assert error["data"]["hint"] == "End every request with a newline."
            assert client.is_at_end()
    with RawClient(little_daemon.home.socket, little_daemon.operator) as client:
        client.send(client.request(7, "tools/call", {"name": "wait_for_count", "arguments": {"seen": count}}))
        client.send(b'{"half')
        client.socket.shutdown(socket.SHUT_WR)
        assert "not finished" in client.read()["error"]["message"]
        little_daemon.call("add")
        assert client.read()["result"]["structuredContent"]["count"] > count
        assert client.is_at_end()
    with RawClient(little_daemon.home.socket) as client:
        client.send(b"  ")  # nothing was begun
        client.socket.shutdown(socket.SHUT_WR)
        assert client.is_at_end()


def test_a_client_that_closed_its_sending_half_gets_its_answer(little_daemon: LittleDaemon) -> None:
    count = little_daemon.call("add")["count"]
    with RawClient(little_daemon.home.socket, little_daemon.operator) as client:
        client.send(client.request(7, "tools/call", {"name": "wait_for_count", "arguments": {"seen": count}}))
        client.socket.shutdown(socket.SHUT_WR)
        little_daemon.call("add")
        assert client.read()["result"]["structuredContent"]["count"] > count
        assert client.is_at_end()


def test_two_hundred_connections_are_served(little_daemon: LittleDaemon) -> None:
    clients = [RawClient(little_daemon.home.socket) for _ in range(200)]
    try:
        for number, client in enumerate(clients):
            arguments = {"text": str(number)}
            client.send(client.request(number, "tools/call", {"name": "echo", "arguments": arguments}))
        for number, client in enumerate(clients):
            assert client.read()["result"]["structuredContent"]["echo"] == str(number)
    finally:
        for client in clients:
            client.close()


def test_a_reader_that_does_not_read_disturbs_nobody(little_daemon: LittleDaemon) -> None:
    with RawClient(little_daemon.home.socket, little_daemon.operator) as lazy:
        for number in range(20):
            lazy.send(lazy.request(number, "tools/call", {"name": "big", "arguments": {"size": 1_000_000}}))
        began = time.monotonic()
        assert little_daemon.call("echo", text="prompt")["echo"] == "prompt"
        assert time.monotonic() - began < 5
        sizes = dict.fromkeys(range(20), 0)
        for _ in sizes:
            answer = lazy.read()
            sizes[answer["id"]] = len(answer["result"]["structuredContent"]["text"])
    assert set(sizes.values()) == {1_000_000}


def test_more_requests_at_once_than_are_worked_on_are_all_answered(little_daemon: LittleDaemon) -> None:
    count = MOST_AT_ONCE * 3
    with RawClient(little_daemon.home.socket) as client:
        lines = (
            client.request(number, "tools/call", {"name": "echo", "arguments": {"text": "x"}})
            for number in range(count)
        )
        client.send(b"".join(lines))
        assert {client.read()["id"] for _ in range(count)} == set(range(count))


def test_cancelled_requests_make_room_again(little_daemon: LittleDaemon) -> None:
    seen = {"name": "wait_for_count", "arguments": {"seen": 1_000_000, "wait_s": 30}}
    with RawClient(little_daemon.home.socket, little_daemon.operator) as client:
        for number in range(MOST_AT_ONCE - 1):
            client.send(client.request(number, "tools/call", seen))
        for number in range(MOST_AT_ONCE - 1):
            note: dict[str, Any] = {"method": "notifications/cancelled", "params": {"requestId": number}}
            client.send(json.dumps({"jsonrpc": "2.0", **note}).encode() + b"\n")
        for number in range(1000, 1000 + MOST_AT_ONCE):
            client.send(client.request(number, "tools/call", {"name": "health_check"}))
            assert client.read()["id"] == number


def test_long_polls_wake_by_a_change_and_cost_other_calls_nothing(little_daemon: LittleDaemon) -> None:
    count = little_daemon.call("add")["count"]
    answers: list[int] = []

    def wait() -> None:
        body = call(little_daemon.home.socket, "wait_for_count", {"seen": count}, little_daemon.operator)
        answers.append(body["count"])

    waiting = [threading.Thread(target=wait) for _ in range(20)]
    for thread in waiting:
        thread.start()
    assert little_daemon.call("health_check")["status"] == "ok"
    little_daemon.call("add")
    for thread in waiting:
        thread.join(20)
    assert len(answers) == 20
    assert min(answers) > count


def test_a_long_poll_without_a_change_answers_at_its_time(little_daemon: LittleDaemon) -> None:
    body = little_daemon.call("wait_for_count", seen=1_000_000, wait_s=0.05)
    assert body["count"] < 1_000_000


def test_connections_leave_nothing_open_in_the_daemon(little_daemon: LittleDaemon) -> None:
    folder = Path(f"/proc/{little_daemon.process.pid}/fd")
    if not folder.exists():
        return
    little_daemon.call("health_check")
    before = len(list(folder.iterdir()))
    for _ in range(50):
        RawClient(little_daemon.home.socket).close()
        waiting = RawClient(little_daemon.home.socket, little_daemon.operator)
        arguments = {"seen": 1_000_000, "wait_s": 30}
        waiting.send(waiting.request(1, "tools/call", {"name": "wait_for_count", "arguments": arguments}))
        waiting.close()
    eventually(lambda: len(list(folder.iterdir())) <= before + 2, what="descriptors are given back")
