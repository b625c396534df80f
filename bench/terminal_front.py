"""The terminal front: from the start to its first paint, between two modes, and from a key to the screen with
very many tasks."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable

from installation import Installation, calm, command
from many_tasks import fill
from table import Figure, Samples

from toryo.daemon.process import open_context
from toryo.fronts.tui.app import ToryoApp
from toryo.fronts.tui.row_list import RowList

FIRST_WORDS = b"Branches"
GIVE_UP_S = 20.0


def measure(number: int, rounds: int, say: Callable[[str], None]) -> list[Figure]:
    place = Installation()
    try:
        place.repo.mkdir()
        command(["git", "init", "-q", "-b", "main"], cwd=place.repo)
        context = open_context(place.home, place.home.database)
        fill(context.store, "another agent's ahead", number, path=str(place.repo), machine="elsewhere")
        context.store.close()
        place.start_daemon()
        place.start_coordinator()
        painted, bare = [], []
        for one in range(rounds + 1):
            calm()
            floor, seconds = _bare(place), _first_paint(place)
            if one:
                bare.append(floor)
                painted.append(seconds)
        switched, pressed = asyncio.run(_in_the_app(place, 10 * rounds))
    finally:
        place.close()
    say("terminal front")
    return [
        _figure("first paint", 800, painted, "python -c pass", bare),
        _figure("branch mode ⇄ agent mode", 50, switched),
        _figure(f"a key → the screen, {number} tasks", 50, pressed),
    ]


def _figure(
    name: str, goal_ms: float, seconds: list[float], floor_name: str = "", floor: list[float] | None = None
) -> Figure:
    samples = Samples.of_seconds(seconds)
    return Figure(
        name=f"terminal front: {name}",
        goal=f"median ≤ {goal_ms:g} ms",
        met=samples.median <= goal_ms,
        samples=samples,
        floor_name=floor_name,
        floor=Samples.of_seconds(floor) if floor else None,
    )


def _bare(place: Installation) -> float:
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", "pass"], cwd=place.repo, check=True)
    return time.monotonic() - begun


def _first_paint(place: Installation) -> float:
    """Until the names of the screens are on a terminal."""
    own, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    begun = time.monotonic()
    front = subprocess.Popen(
        [sys.executable, "-m", "toryo", "ui", "--screen", "work"],
        cwd=place.repo,
        env={**os.environ, "TORYO_HOME": str(place.home.path), "TERM": "xterm-256color"},
        stdin=other,
        stdout=other,
        stderr=other,
        start_new_session=True,
    )
    os.close(other)
    seen = b""
    try:
        while FIRST_WORDS not in seen:
            assert time.monotonic() - begun < GIVE_UP_S, seen[-500:]
            if select.select([own], [], [], 0.5)[0]:
                seen += os.read(own, 65536)
        return time.monotonic() - begun
    finally:
        front.kill()
        front.wait()
        os.close(own)


async def _in_the_app(place: Installation, rounds: int) -> tuple[list[float], list[float]]:
    """Seconds of each switch, and of each key in the list of all work."""
    app = ToryoApp(place.home, str(place.repo), "work")
    async with app.run_test(size=(140, 45)) as pilot:
        tree = app.query_one("#tree", RowList)
        while len(tree.rows) < 2:
            await pilot.pause(0.05)
        pressed = [await _press(app, "j") for _ in range(rounds)]
        switched = [await _press(app, "tab") for _ in range(rounds)]
    return switched, pressed


async def _press(app: ToryoApp, key: str) -> float:
    """Until it is handled and what it changed is drawn."""
    drawn = asyncio.Event()
    begun = time.monotonic()
    app.simulate_key(key)
    app.call_later(lambda: app.screen.call_after_refresh(drawn.set))
    await asyncio.wait_for(drawn.wait(), GIVE_UP_S)
    return time.monotonic() - begun
