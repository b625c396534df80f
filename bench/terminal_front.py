"""Terminal front: first paint, mode switch, key → screen with many tasks, idle CPU, memory over events."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable

from idle import cpu_s, megabytes
from installation import Installation, calm, command, until
from many_tasks import PROJECT, fill
from table import Figure, Samples

from toryo.daemon.process import open_context
from toryo.fronts.tui.app import ToryoApp
from toryo.fronts.tui.row_list import RowList

FIRST_WORDS = b"Branches"
GIVE_UP_S = 20.0
F3 = b"\x1bOR"
"""To Work, from an input too."""
TO_AGENT_AND_BACK = b"\t", F3
MINE = "ta0"
"""A task of `many_tasks`."""
QUIET_S = 1.0
KEPT_BYTES = 1_000_000
FLAT_MB = 5.0
"""What an allocator may keep of its own accord."""


def measure(number: int, rounds: int, idle_s: float, events: int, say: Callable[[str], None]) -> list[Figure]:
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
        idle, growth, resident = _left_alone(place, idle_s, events)
    finally:
        place.close()
    say("terminal front")
    return [
        _duration("first paint", 800, painted, "python -c pass", bare),
        _duration("branch mode ⇄ agent mode", 50, switched),
        _duration(f"a key → the screen, {number} tasks", 50, pressed, judged="p95"),
        _one("idle CPU, chat and Work open", "%", idle, 0.3, f"Over {idle_s:g} s, with {number} tasks."),
        _one(
            f"memory over {events} events, chat and Work open",
            "MB",
            growth,
            FLAT_MB,
            f"Growth of the resident memory, after {events // 10} events to warm up; {resident:.0f} MB then.",
        ),
    ]


def _duration(
    name: str,
    goal_ms: float,
    seconds: list[float],
    floor_name: str = "",
    floor: list[float] | None = None,
    judged: str = "median",
) -> Figure:
    samples = Samples.of_seconds(seconds)
    value: float = getattr(samples, judged)
    return Figure(
        name=f"terminal front: {name}",
        goal=f"{judged} ≤ {goal_ms:g} ms",
        met=value <= goal_ms,
        samples=samples,
        floor_name=floor_name,
        floor=Samples.of_seconds(floor) if floor else None,
        note="" if judged == "median" else f"{judged} {value:.1f} ms.",
    )


def _one(name: str, unit: str, value: float, most: float, note: str) -> Figure:
    return Figure(
        name=f"terminal front: {name}",
        goal=f"≤ {most:g} {unit}",
        met=value <= most,
        samples=Samples((value,)),
        unit=unit,
        note=note,
    )


def _bare(place: Installation) -> float:
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", "pass"], cwd=place.repo, check=True)
    return time.monotonic() - begun


def _first_paint(place: Installation) -> float:
    """Until the names of the screens are on a terminal."""
    begun = time.monotonic()
    front = Front(place, "work")
    try:
        front.until(FIRST_WORDS)
        return time.monotonic() - begun
    finally:
        front.close()


class Front:
    """`toryo ui` as a process on a terminal whose other end is read all the time."""

    def __init__(self, place: Installation, screen: str) -> None:
        self._own, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "toryo", "ui", "--screen", screen],
            cwd=place.repo,
            env={**os.environ, "TORYO_HOME": str(place.home.path), "TERM": "xterm-256color"},
            stdin=other,
            stdout=other,
            stderr=other,
            start_new_session=True,
        )
        os.close(other)
        self._seen = b""
        self._has_more = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def until(self, words: bytes) -> None:
        """Until they are written, after what was waited for last."""
        with self._has_more:
            there = self._has_more.wait_for(lambda: words in self._seen, GIVE_UP_S)
            assert there, self._seen[-500:]
            self._seen = self._seen[self._seen.index(words) + len(words) :]

    def press(self, key: bytes) -> None:
        os.write(self._own, key)

    def rest(self) -> None:
        """Until it has shown all that it heard of."""

        def is_quiet() -> bool:
            before = cpu_s([self.pid])
            time.sleep(QUIET_S)
            return cpu_s([self.pid]) - before < 0.02 * QUIET_S

        until(is_quiet, "the front rests")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        os.close(self._own)

    def _read(self) -> None:
        while True:
            try:
                read = os.read(self._own, 65536)
            except OSError:  # its end of the terminal is closed
                return
            with self._has_more:
                self._seen = (self._seen + read)[-KEPT_BYTES:]
                self._has_more.notify_all()


def _left_alone(place: Installation, idle_s: float, events: int) -> tuple[float, float, float]:
    """CPU in percent while nothing happens; growth and size in MB over so many events."""
    place.call("set_config", key="planner.base_url", value="http://127.0.0.1:9/v1")
    place.call("set_config", key="planner.model", value="none")
    mission = place.call("start_mission", text="Wait for ever", project=PROJECT)["mission"]
    front = Front(place, "agent")
    try:
        front.until(b"Unfinished")
        front.press(b"\r")
        front.until(b"0 model calls")
        front.press(F3)
        front.until(b"needs you")
        front.rest()
        before, begun = cpu_s([front.pid]), time.monotonic()
        time.sleep(idle_s)
        idle = 100 * (cpu_s([front.pid]) - before) / (time.monotonic() - begun)
        _happen(place, front, mission, events // 10)
        resident = megabytes(front.pid)
        _happen(place, front, mission, events)
        return idle, megabytes(front.pid) - resident, resident
    finally:
        front.close()


def _happen(place: Installation, front: Front, mission: str, events: int) -> None:
    """So many of them: most are of one task, every hundredth is a word in the chat; both screens are seen."""
    for number in range(events):
        if number % 100 == 50:
            place.call("say_mission", mission=mission, text=f"word {number}")
        else:
            place.call("update_task", task=MINE, priority=("low", "high")[number % 2])
        if number % 500 == 250:
            front.press(TO_AGENT_AND_BACK[number // 500 % 2])
    front.press(F3)
    front.rest()


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
