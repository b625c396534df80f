"""The page's process under load: its memory stays flat, and a browser that takes nothing holds up nobody."""

from __future__ import annotations

import http.client
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served_page import Served, scripted
from websockets.sync.client import ClientConnection

from waiting import eventually

MEGABYTE = 1024 * 1024
GROWTH = 8 * MEGABYTE
EVENTS = 10_000

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads memory from /proc")


@pytest.fixture
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with scripted(tmp_path_factory.mktemp("h") / "t") as made:
        yield made


def updates(channel: ClientConnection, last: int) -> list[int]:
    found: list[int] = []
    while not found or found[-1] < last:
        message: dict[str, Any] = json.loads(channel.recv(timeout=30))
        if message["type"] == "task_update":
            found.append(message["id"])
    return found


def play(served: Served, channel: ClientConnection, count: int) -> None:
    """Every event is heard, a few hundred at a time."""
    for _ in range(count // 250):
        first = served.store.newest + 1
        served.store.add(250)
        assert updates(channel, first + 249) == list(range(first, first + 250))


def all_within(channel: ClientConnection, *, pause_s: float) -> None:
    while True:
        channel.recv(timeout=pause_s)


def test_memory_stays_flat_over_ten_thousand_events(served: Served) -> None:
    with served.channel() as channel:
        play(served, channel, 2_000)
        before = served.memory()
        play(served, channel, EVENTS)
        assert served.memory() - before < GROWTH


def test_browsers_that_come_and_go_leave_nothing(served: Served) -> None:
    def visit(times: int) -> None:
        for _ in range(times):
            with served.channel():
                pass

    visit(50)
    before, files = served.memory(), len(list(Path(f"/proc/{served.pid}/fd").iterdir()))
    visit(150)
    assert served.memory() - before < GROWTH
    eventually(lambda: len(list(Path(f"/proc/{served.pid}/fd").iterdir())) <= files + 2)


def test_requests_leave_nothing(served: Served) -> None:
    def ask(times: int) -> None:
        line = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
        for number in range(times):
            line.request("GET", f"/api/tasks/t{number}", headers=served.bearer)
            line.getresponse().read()
        line.close()

    ask(500)
    before = served.memory()
    ask(3_000)
    assert served.memory() - before < GROWTH


def test_small_answers_are_sent_at_once(served: Served) -> None:
    """On a connection that stays: 40 ms is what a delayed acknowledgement costs."""
    line = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    took = []
    for _ in range(20):
        begun = time.monotonic()
        line.request("GET", "/api/status", headers=served.bearer)
        line.getresponse().read()
        took.append(time.monotonic() - begun)
    line.close()
    assert statistics.median(took) < 0.03


def test_a_browser_that_takes_nothing_costs_little_and_holds_up_nobody(served: Served) -> None:
    with served.channel() as channel:
        play(served, channel, 1_000)
        deaf = [served.deaf() for _ in range(5)]
        before = served.memory()
        play(served, channel, EVENTS)
        assert served.memory() - before < GROWTH
        for one in deaf:
            one.close()


def test_an_idle_page_costs_no_processor_time(served: Served) -> None:
    with served.channel() as channel:
        play(served, channel, 250)
        with pytest.raises(TimeoutError):  # what follows the last event, such as the attention list
            all_within(channel, pause_s=1)
        before = served.processor_s()
        with pytest.raises(TimeoutError):
            channel.recv(timeout=5)
        assert served.processor_s() - before < 0.2
