"""What open pages cost the work: an exit until it is recorded, with the sockets of browsers and without."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from installation import calm
from life import Ground
from page import Address
from table import Figure, Samples

BROWSERS = 20
DRAINED = 65536


def measure(rounds: int, say: Callable[[str], None]) -> list[Figure]:
    watched: list[float] = []
    alone: list[float] = []
    with Ground(files=20, folders=4) as ground:
        address = Address.of(ground.place)
        ground.live("warm up")
        for turn in range(rounds):
            calm()
            alone.append(ground.live(f"alone {turn}").exit)
            with _open(address) as browsers:
                calm()
                watched.append(ground.live(f"watched {turn}").exit)
                told = [_drained(one) for one in browsers]
                assert min(told) > 0, "every browser was told"
        say(f"open browsers: {rounds}")
    samples, floor = Samples.of_seconds(watched), Samples.of_seconds(alone)
    return [
        Figure(
            name=f"exit → recorded, {BROWSERS} browsers open",
            goal="≤ 1.1 × without",
            met=samples.median <= 1.1 * floor.median,
            samples=samples,
            floor_name="without, in turns",
            floor=floor,
            note="What each browser computes for what it is told is not in it: they are another machine's.",
        )
    ]


@contextmanager
def _open(address: Address) -> Iterator[list[socket.socket]]:
    """Sockets of the event channel, each read when the figure was taken."""
    browsers = [_channel(address) for _ in range(BROWSERS)]
    try:
        time.sleep(0.2)
        for one in browsers:
            _drained(one)
        yield browsers
    finally:
        for one in browsers:
            one.close()


def _channel(address: Address) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", int(address.host.rpartition(":")[2])), timeout=30)
    token = urlsplit(address.url).query.removeprefix("token=")
    line.sendall(
        f"GET /api/events HTTP/1.1\r\nHost: {address.host}\r\nAuthorization: Bearer {token}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n".encode()
    )
    assert b" 101 " in line.recv(128, socket.MSG_PEEK)
    line.setblocking(False)
    return line


def _drained(line: socket.socket) -> int:
    """Bytes that lay there."""
    found = 0
    while True:
        try:
            part = line.recv(DRAINED)
        except BlockingIOError:
            return found
        assert part, "its line was closed"
        found += len(part)
