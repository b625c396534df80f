"""Screens that several browsers look at: one read for all of them, and at most five a second."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fronts.wire_peer import Peer
from toryo.fronts.daemon_line import DaemonLine
from toryo.fronts.web.routes import ROUTES
from toryo.fronts.web.shared import SharedReads
from toryo.settings import Home

PAUSE_S = 0.2
LOOK_S = 1.2


class Screens:
    """Answers of a daemon, with the time of each read."""

    def __init__(self) -> None:
        self.reads: list[tuple[float, str]] = []

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.reads.append((time.monotonic(), asked["id"]))
        return {"text": asked["id"]}


@pytest.fixture
def screens() -> Screens:
    return Screens()


@pytest.fixture
def home(screens: Screens, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    peer = Peer(tmp_path_factory.mktemp("h") / "t", {"read_screen": screens.answer})
    yield peer.home
    peer.close()


async def look(shared: SharedReads, run: str, until: float) -> int:
    """As often as it can."""
    seen = 0
    while time.monotonic() < until:
        found = await shared.read("read_screen", {"id": run}, limit_s=10, kept_s=PAUSE_S)
        assert found["text"] == run
        seen += 1
        await asyncio.sleep(0.01)
    return seen


def test_the_route_of_screens_is_read_at_most_five_times_a_second() -> None:
    assert [(one.tool, one.kept_s) for one in ROUTES if one.kept_s] == [("read_screen", PAUSE_S)]


def test_ten_viewers_of_a_screen_cost_what_one_costs(home: Path, screens: Screens) -> None:
    async def play() -> None:
        line = DaemonLine(Home(home))
        shared = SharedReads(line)
        until = time.monotonic() + LOOK_S
        seen = await asyncio.gather(*(look(shared, run, until) for run in ("r1",) * 10 + ("r2",)))
        await line.close()
        assert min(seen) > 5

    asyncio.run(play())
    for run in ("r1", "r2"):
        times = [at for at, read in screens.reads if read == run]
        assert 1 < len(times) <= LOOK_S / PAUSE_S + 1
        assert all(after - before >= PAUSE_S * 0.9 for before, after in pairwise(times))


def test_a_viewer_that_leaves_does_not_take_it_from_the_others(home: Path) -> None:
    async def play() -> None:
        line = DaemonLine(Home(home))
        shared = SharedReads(line)
        asked = [
            asyncio.create_task(shared.read("read_screen", {"id": "r1"}, limit_s=10, kept_s=1))
            for _ in range(2)
        ]
        await asyncio.sleep(0)
        asked[0].cancel()
        assert (await asked[1])["text"] == "r1"
        await line.close()

    asyncio.run(play())
