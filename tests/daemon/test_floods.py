"""Lines that ask nothing, as many as fit: nobody else waits for them, and who sends only those is closed."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from raw_client import RawClient
from real_daemon import RealDaemon, undisturbed

from toryo.daemon.mcp.transport import MOST_WORTHLESS

NOISE_MB = 120
"""Of an interpreter's own memory, which it keeps for the next time."""


def flood(daemon: RealDaemon, line: bytes, over: threading.Event) -> None:
    """Somebody who sends one line as often as possible, reads nothing, and comes back when closed."""
    while not over.is_set():
        with socket.socket(socket.AF_UNIX) as own, contextlib.suppress(OSError):
            own.settimeout(1)
            own.connect(str(daemon.home.socket_in_use()))
            while not over.is_set():
                own.sendall(line * (65536 // len(line)))


@contextlib.contextmanager
def flooded(daemon: RealDaemon, line: bytes) -> Iterator[None]:
    over = threading.Event()
    senders = [threading.Thread(target=flood, args=(daemon, line, over)) for _ in range(3)]
    for one in senders:
        one.start()
    try:
        yield
    finally:
        over.set()
        for one in senders:
            one.join(60)


@pytest.mark.long
@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b" \r\n",
        b"garbage\n",
        b'{"jsonrpc":"2.0","id":1,"result":{}}\n',
        b'{"jsonrpc":"2.0","method":"toryo/bind","params":{"credential":""}}\n',
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
    ],
    ids=lambda line: line.decode().strip()[:60] or repr(line),
)
def test_a_flood_of_lines_that_ask_nothing_takes_nobody_elses_turn(
    real_daemon: RealDaemon, line: bytes
) -> None:
    memory, log = real_daemon.memory_mb(), real_daemon.log_bytes()
    with undisturbed(real_daemon, within_s=1.5), flooded(real_daemon, line):
        until = time.monotonic() + 2
        while time.monotonic() < until:
            real_daemon.person("get_status")
    assert real_daemon.memory_mb() < memory + NOISE_MB
    assert real_daemon.log_bytes() < log + 20_000
    assert real_daemon.bugs() == []


def test_whoever_sends_nothing_but_empty_lines_is_told_so_and_closed(real_daemon: RealDaemon) -> None:
    with RawClient(real_daemon.home.socket) as client:
        client.send(b"\n" * MOST_WORTHLESS)
        told = client.read()["error"]["data"]
        assert "in a row" in told["error"]
        assert told["hint"]
        assert client.is_at_end()


def test_empty_lines_between_calls_harm_nobody(real_daemon: RealDaemon) -> None:
    with RawClient(real_daemon.home.socket) as client:
        for number in range(3):
            client.send(
                b"\n" * (MOST_WORTHLESS - 1) + client.request(number, "tools/call", {"name": "health_check"})
            )
            assert client.read()["id"] == number
