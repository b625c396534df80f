"""Process stop: the page, the planner, the coordinators of this machine, then the daemon, each waited for
until it is gone. Agents go on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toryo import processes
from toryo.domain.errors import Unavailable
from toryo.fronts.processes import planner_note, web_note
from toryo.fronts.processes.reach import is_not_running
from toryo.fronts.processes.start import (
    GONE_WITHIN_S,
    PAUSE_S,
    UNREGISTERED,
    ask,
    coordinators_here,
    starting_lock,
)
from toryo.fronts.processes.started import noted
from toryo.fronts.text.output import Progress
from toryo.protocol.wire import WireError

if TYPE_CHECKING:
    from typing import Any

    from toryo.settings import Home


@dataclass(frozen=True)
class Down:
    stopped: tuple[tuple[str, int], ...]
    """(part, pid) in the order they went."""
    running: int
    """Tasks whose agents go on by themselves."""


def take_down(home: Home) -> Down:
    if not home.path.is_dir():
        return Down((), 0)
    with Progress("stopping toryo") as progress, starting_lock(home, progress):
        status = _status(home)
        stopped = [("page", pid) for pid in end_web(home, progress)]
        planner = stop_planner(home, progress)
        stopped += [("planner", planner)] if planner else []
        stopped += [("coordinator", pid) for pid in _stop_coordinators(home, status, progress)]
        if status is not None:
            pid = int(status["daemon"]["pid"])
            start = processes.start_time(pid)
            ask(home, "shutdown")
            wait_gone("daemon", pid, start, progress)
            stopped.append(("daemon", pid))
        elif (deaf := noted(home).get("daemon")) is not None and processes.ask_to_end(*deaf):
            # it runs, but its socket is gone: somebody deleted it
            wait_gone("daemon", *deaf, progress)
            stopped.append(("daemon", deaf[0]))
        (home.path / "up.json").unlink(missing_ok=True)
        counts = (status or {}).get("counts", {})
        return Down(tuple(stopped), int(counts.get("running", 0)))


def stop_web(home: Home) -> list[int]:
    """The page alone; daemon and coordinator go on."""
    if not home.path.is_dir():
        return []
    with Progress("stopping the page") as progress, starting_lock(home, progress):
        return end_web(home, progress)


def end_web(home: Home, progress: Progress) -> list[int]:
    """Of its process, if it runs; the caller holds the lock."""
    there = web_note.noted(home)
    if there is None or not processes.ask_to_end(there.pid, there.started):
        return []
    wait_gone("page", there.pid, there.started, progress)
    return [there.pid]


def stop_planner(home: Home, progress: Progress) -> int:
    """Its pid; 0: none ran. What it was asked waits for the next one."""
    there = planner_note.noted(home)
    if there is None:
        return 0
    is_asked = processes.ask_to_end(there.pid, there.start)
    if is_asked:
        wait_gone("planner", there.pid, there.start, progress)
    planner_note.forget(home)
    return there.pid if is_asked else 0


def _status(home: Home) -> dict[str, Any] | None:
    try:
        return ask(home, "get_status")
    except WireError as error:
        if is_not_running(error):
            return None
        raise


def _stop_coordinators(home: Home, status: dict[str, Any] | None, progress: Progress) -> list[int]:
    # whom the daemon does not know, or cannot tell of, only the note of `up` knows to be ours
    names = (UNREGISTERED,) if status is not None else (UNREGISTERED, "coordinator")
    known = noted(home)
    pids: dict[int, str | None] = dict(known[name] for name in names if name in known)
    for one in coordinators_here(status or {}):
        pids[int(one["pid"])] = processes.start_time(int(one["pid"]))
    gone = []
    for pid, start in pids.items():
        if start is not None and processes.ask_to_end(pid, start):
            wait_gone("coordinator", pid, start, progress)
            gone.append(pid)
    return gone


def wait_gone(part: str, pid: int, start: str | None, progress: Progress) -> None:
    end = time.monotonic() + GONE_WITHIN_S
    while start is not None and processes.is_alive(pid, start):
        if time.monotonic() > end:
            raise Unavailable(
                f"The {part} (pid {pid}) is still there after {GONE_WITHIN_S:g} s.",
                hint=f"`kill -9 {pid}` is safe: nothing is lost by it.",
            )
        progress.tick()
        time.sleep(PAUSE_S)
