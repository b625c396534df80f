"""A page of the log of a run: its end, the page above it, and a search, of 500 MB, as one call of a front."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from installation import Installation, calm, make_repository
from table import Figure, Samples

LINE = b"a line of what the agent printed, as long as lines often are: %08d\n"
PAGE = 65536
WARM = 3


def measure(pages: int, size: int, say: Callable[[str], None]) -> list[Figure]:
    place = Installation()
    try:
        make_repository(place.repo, files=4, folders=1)
        place.start_daemon()
        place.start_coordinator()
        place.add_project()
        place.add_agent("prints", "sh -c 'echo it works > it; git add it; git commit -qm it; echo done'")
        task = place.add_task("print", agent="prints")
        place.wait_for("run_exited", task=task)
        (log,) = (place.repo / ".aiagent/logs/prints").glob("*.log")
        _fill(log, size)
        taken = {"end": [], "before": []}
        floors: list[float] = []
        for _ in range(pages + WARM):
            calm()
            floors.append(_timed(lambda: _tail_of(log)))
            calm()
            begun = time.perf_counter()
            last = place.call("read_log", task=task, tail=200)
            taken["end"].append(time.perf_counter() - begun)
            begun = time.perf_counter()
            above = place.call("read_log", task=task, before=last["start"], limit=PAGE)
            taken["before"].append(time.perf_counter() - begun)
            assert last["size"] == log.stat().st_size
            assert above["next_offset"] == last["start"]
    finally:
        place.close()
    say("log pages")
    named = f"a log of {size // 1_000_000:,} MB"
    return [
        _figure(f"the last 200 lines of {named}", taken["end"], floors),
        _figure(f"the page above them, {named}", taken["before"], floors),
    ]


def _fill(log: Path, size: int) -> None:
    block = b"".join(LINE % number for number in range(10_000))
    with log.open("wb") as file:
        while file.tell() < size:
            file.write(block)


def _tail_of(log: Path) -> int:
    with log.open("rb") as file:
        file.seek(-PAGE, 2)
        return len(file.read().splitlines())


def _timed(act: Callable[[], int]) -> float:
    begun = time.perf_counter()
    assert act()
    return time.perf_counter() - begun


def _figure(name: str, seconds: list[float], floors: list[float]) -> Figure:
    samples = Samples.of_seconds(seconds[WARM:])
    return Figure(
        name=name,
        goal="≤ 20 ms",
        met=samples.median <= 20,
        samples=samples,
        floor_name="seek + read of 64 kB",
        floor=Samples.of_seconds(floors[WARM:]),
    )
