"""What watching costs while nothing happens: CPU time of daemon and coordinator beside many idle agents."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from installation import Installation, make_repository, until
from table import Figure, Samples


def measure(agents: int, most: float, seconds: float, say: Callable[[str], None]) -> list[Figure]:
    place = Installation(coordinator="max_concurrent: 1000\n")
    try:
        make_repository(place.repo, 3, 1)
        place.start_daemon()
        place.start_coordinator()
        place.add_project()
        place.add_agent("worker", "sleep 3600", slots=agents)
        begun = time.monotonic()
        for number in range(agents):
            place.add_task(f"sleep {number}", agent="worker")
        until(lambda: _started(place) == agents, f"{agents} agents run", 120)
        filled_s = time.monotonic() - begun
        time.sleep(2)
        watchers = place.processes()
        shims = [int(event.body["shim_pid"]) for event in place.events() if event.kind == "run_started"]
        before, shims_before, begun = cpu_s(watchers), cpu_s(shims), time.monotonic()
        time.sleep(seconds)
        passed = time.monotonic() - begun
        watching = 100 * (cpu_s(watchers) - before) / passed
        waiting = 100 * (cpu_s(shims) - shims_before) / passed
        memory = [megabytes(pid) for pid in reversed(watchers)]
    finally:
        place.close()
    say(f"idle: {agents} agents")
    beside = (
        f"over {passed:.0f} s; the {agents} shims together use {waiting:.2f} % besides. "
        f"Resident: daemon {memory[0]:.0f} MB, coordinator {memory[1]:.0f} MB. "
        f"All {agents} were added one by one and running after {filled_s:.1f} s."
    )
    return [
        Figure(
            name=f"idle: daemon + coordinator, {agents} watched agents",
            goal=f"≤ {most:g} % of a core",
            met=watching <= most,
            samples=Samples((watching,)),
            unit="%",
            note=beside,
        )
    ]


def _started(place: Installation) -> int:
    return sum(event.kind == "run_started" for event in place.events())


def cpu_s(pids: Iterable[int]) -> float:
    """Seconds on a CPU, of all threads; the kernel counts these in nanoseconds."""
    total = 0
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            total += int((thread / "schedstat").read_text().split()[0])
    return total / 1e9


def megabytes(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
