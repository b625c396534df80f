"""From a person's call to the moment in which a running agent has the words: headless, and through tmux.

Headless the agent is a program that watches its spool; on a screen it is the small TUI of the tests, and the
words count as there when they stand in what the window printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from installation import Installation, calm, make_repository, until
from table import Figure, Samples

HERE = Path(__file__).parent
TUI = HERE.parent / "tests" / "little_tui.py"
WARM = 3
LOOK_S = 0.0002


def measure(messages: int, say: Callable[[str], None]) -> list[Figure]:
    figures = [headless(messages)]
    say("message: headless")
    figures.append(through_tmux(messages))
    say("message: through tmux")
    return figures


def headless(messages: int) -> Figure:
    place = Installation()
    try:
        make_repository(place.repo, files=4, folders=1)
        place.start_daemon()
        place.start_coordinator()
        place.add_project()
        moments = place.root / "moments"
        place.add_agent("hears", f"{sys.executable} -I {HERE / 'listening_agent.py'} {moments}")
        task = place.add_task("listen", agent="hears")
        place.wait_for("run_started", task=task)
        until(moments.exists, "the agent listens")
        taken, floors = [], []
        for number in range(messages + WARM):
            calm()
            floors.append(round_trip_and_write(place, number))
            calm()
            words = f"message {number}"
            begun = time.perf_counter()
            answer = place.call("say", id=task, text=words)
            assert answer["seen"], answer
            line = until(lambda words=words: heard(moments, words), words)  # type: ignore[misc]
            taken.append(float(line.split()[0]) - begun)
    finally:
        place.close()
    samples = Samples.of_seconds(taken[WARM:])
    return Figure(
        name="message → agent has it, headless",
        goal="≤ 5 ms",
        met=samples.median <= 5,
        samples=samples,
        floor_name="socket round trip + durable write",
        floor=Samples.of_seconds(floors[WARM:]),
    )


def heard(moments: Path, words: str) -> str | None:
    lines = [line for line in moments.read_text().splitlines() if line.endswith(f" {words}")]
    return lines[-1] if lines else None


def round_trip_and_write(place: Installation, number: int) -> float:
    begun = time.perf_counter()
    place.call("health_check")
    file = place.root / f"durable{number}"
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    os.write(handle, b"message\n")
    os.fsync(handle)
    os.close(handle)
    return time.perf_counter() - begun


def through_tmux(messages: int) -> Figure:
    settings = {"cli_command": sys.executable}
    place = Installation()
    try:
        tui = place.root / "tui.json"
        tui.write_text(json.dumps({"received": str(place.root / "received")}))
        provider = {**settings, "cli_args": ["-I", str(TUI), str(tui)]}
        yaml = place.home.coordinator("main") / "coordinator.yaml"
        yaml.write_text(json.dumps({"ai_providers": {"claude": provider}}))
        place.env["ANTHROPIC_API_KEY"] = "none-" + 20 * "0"  # nobody is asked with it
        make_repository(place.repo, files=4, folders=1)
        place.start_daemon()
        place.start_coordinator()
        place.add_project()
        place.call("add_agent", name="shows", path=str(place.repo), client="claude", style="interactive")
        task = place.add_task("look", agent="shows")
        place.wait_for("run_started", task=task)
        until((place.root / "received" / "1.txt").exists, "the prompt is taken")
        log = until(lambda: next((place.repo / ".aiagent/logs/shows").glob("*.log"), None), "its log")
        taken, floors = [], []
        with Pane(place.root) as pane:
            for number in range(messages + WARM):
                calm()
                floors.append(pane.paste(f"floor number {number} of them"))
                calm()
                taken.append(shown(place, task, log, f"message number {number} of them"))
    finally:
        place.close()
    samples = Samples.of_seconds(taken[WARM:])
    return Figure(
        name="message → agent has it, through tmux",
        goal="≤ 20 ms",
        met=samples.median <= 20,
        samples=samples,
        floor_name="tmux load-buffer + paste-buffer",
        floor=Samples.of_seconds(floors[WARM:]),
    )


def shown(place: Installation, task: str, log: Path, words: str) -> float:
    """Until the words stand in what the agent's window printed; then until they were taken."""
    answers: list[dict[str, object]] = []
    call = threading.Thread(target=lambda: answers.append(place.call("say", id=task, text=words)))
    begun = time.perf_counter()
    call.start()
    took = printed(log, words) - begun
    call.join(60)
    assert answers[0]["seen"], answers
    return took


def printed(log: Path, words: str, within_s: float = 30) -> float:
    end, wanted, seen = time.perf_counter() + within_s, words.encode(), b""
    with open(log, "rb") as file:
        file.seek(max(0, log.stat().st_size - 4096))
        while wanted not in seen:
            more = file.read()
            seen = seen[-4096:] + more
            if not more:
                time.sleep(LOOK_S)
            if time.perf_counter() > end:
                raise TimeoutError(words)
    return time.perf_counter()


class Pane:
    """`cat` in a tmux of its own: nothing but the paste."""

    def __init__(self, root: Path) -> None:
        self._tmux = ["tmux", "-f", "/dev/null", "-S", str(root / "floor.sock")]
        self._log = root / "floor.log"

    def __enter__(self) -> Pane:
        self._log.touch()
        self._do("new-session", "-d", "-s", "floor", "cat", ";", "pipe-pane", f"exec cat >>{self._log}")
        return self

    def paste(self, words: str) -> float:
        begun = time.perf_counter()
        self._do("load-buffer", "-", ";", "paste-buffer", "-d", "-p", "-r", "-t", "floor", given=words)
        return printed(self._log, words) - begun

    def __exit__(self, *_: object) -> None:
        self._do("kill-server")

    def _do(self, *words: str, given: str = "") -> None:
        env = {name: value for name, value in os.environ.items() if not name.startswith("TMUX")}
        subprocess.run([*self._tmux, *words], input=given.encode(), env=env, check=True, timeout=30)
