"""Commands that read, from the shell, with very many tasks in the store: wall time from start to exit."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from installation import Installation, calm, command
from many_tasks import fill
from table import Figure, Samples

from toryo.daemon.process import open_context

COMMANDS = (
    ("status",),
    ("task", "list"),
    ("status", "--json"),
    ("run", "list"),
    ("task", "show", "ID"),
    ("evidence", "ID"),
    ("events",),
    ("project", "list"),
    ("agent", "list"),
)
"""ID is one task's."""
PROGRAM = Path(sys.executable).with_name("toryo")


def measure(number: int, rounds: int, say: Callable[[str], None]) -> list[Figure]:
    place = Installation()
    taken: dict[tuple[str, ...], list[float]] = {words: [] for words in COMMANDS}
    bare: list[float] = []
    try:
        place.repo.mkdir()
        command(["git", "init", "-q", "-b", "main"], cwd=place.repo)
        context = open_context(place.home, place.home.database)
        fill(context.store, "another agent's ahead", number, path=str(place.repo), machine="elsewhere")
        context.store.close()
        place.start_daemon()
        place.start_coordinator()
        task = json.loads(place.toryo("task", "list", "--limit", "1", "--json"))["tasks"][0]["id"]
        for one in range(rounds + 2):
            calm()
            floor = _timed([sys.executable, "-c", "pass"], place)
            times = {
                words: _timed([str(PROGRAM), *(task if word == "ID" else word for word in words)], place)
                for words in COMMANDS
            }
            if one >= 2:
                bare.append(floor)
                for words, seconds in times.items():
                    taken[words].append(seconds)
    finally:
        place.close()
    say("commands")
    return [_figure(words, seconds, bare, number) for words, seconds in taken.items()]


def _figure(words: Sequence[str], seconds: list[float], bare: list[float], number: int) -> Figure:
    samples, floor = Samples.of_seconds(seconds), Samples.of_seconds(bare)
    most = 3 if words == ("status",) else 0
    return Figure(
        name=f"toryo {' '.join(words)}, {number:,} tasks",
        goal="≤ 50 ms" + (f", ≤ {most} × floor" if most else ""),
        met=samples.median <= 50 and (not most or samples.median <= most * floor.median),
        samples=samples,
        floor_name="python -c pass",
        floor=floor,
    )


def _timed(argv: list[str], place: Installation) -> float:
    begun = time.perf_counter()
    done = subprocess.run(argv, cwd=place.repo, env=place.env, capture_output=True, check=False)
    took = time.perf_counter() - begun
    if done.returncode != 0:
        raise RuntimeError(f"{argv}: {done.stderr.decode()}")
    return took
