"""Many connections, unfinished lines, readers that do not read: nobody else is disturbed, and it all ends."""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from raw_client import RawClient
from real_daemon import RealDaemon, undisturbed

from toryo.daemon.mcp.limits import MOST_HELD, MOST_UNSENT, OWN_FILES
from toryo.protocol.wire import LONGEST_LINE, WireError
from toryo.settings import Home
from waiting import eventually

MB = 1024 * 1024
NOISE_MB = 120
"""Of an interpreter's own memory, which it keeps for the next time."""


@contextlib.contextmanager
def sockets() -> Iterator[list[socket.socket]]:
    opened: list[socket.socket] = []
    try:
        yield opened
    finally:
        for one in opened:
            one.close()


def connect(daemon: RealDaemon) -> socket.socket:
    one = socket.socket(socket.AF_UNIX)
    one.connect(str(daemon.home.socket_in_use()))  # blocking: a full queue is waited for
    one.settimeout(20)
    return one


def waits_s(daemon: RealDaemon) -> float:
    """How long somebody else waits for an answer now."""
    began = time.monotonic()
    daemon.person("get_status")
    return time.monotonic() - began


def is_closed(one: socket.socket) -> bool:
    """By the daemon; nothing is read."""
    watch = select.poll()
    watch.register(one.fileno(), 0)
    return bool(watch.poll(0))


@pytest.fixture
def small_daemon(tmp_path: Path) -> Iterator[RealDaemon]:
    """One that may open 300 files."""
    daemon = RealDaemon(Home(tmp_path / "h"), files=300)
    try:
        yield daemon
        daemon.end()
    finally:
        daemon.close()


def test_thousands_of_idle_connections_disturb_nobody_and_cost_nothing_afterwards(
    real_daemon: RealDaemon,
) -> None:
    files, memory = real_daemon.open_files(), real_daemon.memory_mb()
    with sockets() as idle:
        with undisturbed(real_daemon):
            idle += [connect(real_daemon) for _ in range(3000)]
            eventually(lambda: real_daemon.open_files() >= files + 3000, within_s=30, what="all are let in")
        began = real_daemon.cpu_s()
        real_daemon.person("get_status")
        assert real_daemon.cpu_s() - began < 1
    eventually(lambda: real_daemon.open_files() <= files + 3, within_s=30, what="descriptors are given back")
    assert real_daemon.memory_mb() < memory + NOISE_MB


def test_connections_that_come_and_go_quickly_disturb_nobody(real_daemon: RealDaemon) -> None:
    files, memory = real_daemon.open_files(), real_daemon.memory_mb()
    with undisturbed(real_daemon):
        for _ in range(3000):
            connect(real_daemon).close()
    eventually(lambda: real_daemon.open_files() <= files + 3, within_s=30, what="descriptors are given back")
    assert real_daemon.memory_mb() < memory + NOISE_MB
    assert real_daemon.bugs() == []


def test_when_there_are_too_many_the_silent_ones_make_room(small_daemon: RealDaemon) -> None:
    """With the file limit of a small machine: no spinning, no dying, and a person still gets in."""
    with sockets() as crowd:
        with undisturbed(small_daemon):
            crowd += [connect(small_daemon) for _ in range(1000)]
            eventually(lambda: sum(map(is_closed, crowd)) >= 1000 - 300, within_s=30, what="room is made")
            assert small_daemon.open_files() <= 300
            assert small_daemon.person("get_status")["success"]
        assert not any(map(is_closed, crowd[-50:])), "the newest stay"
        before = small_daemon.cpu_s()
        small_daemon.person("list_events", after=2**40, wait_s=1)
        assert small_daemon.cpu_s() - before < 0.5, "it waits and does not spin"
    assert small_daemon.log_bytes() < 20_000
    assert small_daemon.bugs() == []


def test_when_all_are_busy_the_newcomer_is_told_why(small_daemon: RealDaemon) -> None:
    waiting = {"name": "list_events", "arguments": {"after": 2**40, "wait_s": 20}}
    with contextlib.ExitStack() as opened:
        for _ in range(300 - OWN_FILES):
            client = opened.enter_context(RawClient(small_daemon.home.socket, small_daemon.operator))
            client.send(client.request(1, "tools/call", waiting))
            client.send(client.request(2, "tools/call", {"name": "health_check"}))
            assert client.read()["id"] == 2, "it was heard, and waits now"

        def is_full() -> bool:
            try:
                small_daemon.agent("health_check")
            except WireError as refused:
                return "too many connections" in refused.message and bool(refused.hint)
            return False

        eventually(is_full, what="a refusal that says so")
        assert small_daemon.process.poll() is None
    eventually(lambda: not is_full(), what="room again")


def test_lines_that_are_never_finished_take_a_bounded_room(real_daemon: RealDaemon) -> None:
    """Each nearly as long as a line may be: the oldest of them make room."""
    memory, half = real_daemon.memory_mb(), b"x" * (LONGEST_LINE - 100)
    with sockets() as crowd:
        with undisturbed(real_daemon):
            for _ in range(300):
                crowd.append(connect(real_daemon))
                with contextlib.suppress(OSError):
                    crowd[-1].sendall(half)
            wanted = 300 - MOST_HELD // len(half) - 5
            eventually(lambda: sum(map(is_closed, crowd)) >= wanted, within_s=30, what="the oldest gave way")
        assert real_daemon.memory_mb() < memory + MOST_HELD / MB + NOISE_MB
        assert not is_closed(crowd[-1])
    eventually(lambda: real_daemon.memory_mb() < memory + NOISE_MB, what="the room is given back")


def test_readers_that_never_read_take_a_bounded_room(real_daemon: RealDaemon) -> None:
    """Forty of them ask for a megabyte as often as they can."""
    real_daemon.person("add_agent", name="wordy", client="outside", role="x" * 500_000)
    memory = real_daemon.memory_mb()
    real_daemon.forget_peak()
    page = {"name": "get_agent", "arguments": {"agent": "wordy"}}
    with contextlib.ExitStack() as opened:
        lazy = [
            opened.enter_context(RawClient(real_daemon.home.socket, real_daemon.operator)) for _ in range(40)
        ]
        with undisturbed(real_daemon):
            for client in lazy:
                client.socket.setblocking(False)
                with contextlib.suppress(OSError):
                    client.send(b"".join(client.request(n, "tools/call", page) for n in range(100)))
            eventually(lambda: any(is_closed(one.socket) for one in lazy), within_s=60, what="one is cut")
        assert real_daemon.peak_mb() < memory + 2 * MOST_UNSENT / MB + 2 * NOISE_MB
        worked = real_daemon.cpu_s()
    eventually(lambda: waits_s(real_daemon) < 0.2, within_s=5, what="nobody works for those who are gone")
    assert real_daemon.cpu_s() - worked < 4
    eventually(
        lambda: real_daemon.memory_mb() < memory + NOISE_MB, within_s=30, what="the room is given back"
    )
    assert real_daemon.bugs() == []
