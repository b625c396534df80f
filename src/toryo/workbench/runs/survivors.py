"""Who of a run still lives when its shim cannot say, and signals that never reach a reused pid."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass

from toryo import processes


@dataclass(frozen=True)
class Identity:
    """A process beyond its pid: on this boot, nobody else has both."""

    pid: int
    start: str

    def is_alive(self) -> bool:
        return bool(self.start) and processes.is_alive(self.pid, self.start)


def of(agent: Identity, marker: str) -> tuple[Identity, ...]:
    """The agent with its descendants, and whoever carries the run's name in its environment.

    A process that has lost its parents is taken for ours only by that name: its session's number may have
    been used again by a stranger."""
    import psutil  # type: ignore[import-untyped] # 30 ms that only a run without its shim costs

    parents: dict[int, int] = {}
    mine: set[int] = {agent.pid} if agent.is_alive() else set()
    for process in psutil.process_iter():
        try:
            parents[process.pid] = process.ppid()
            if marker and process.environ().get("TORYO_RUN") == marker:
                mine.add(process.pid)
        except (psutil.Error, OSError):
            continue
    while more := {pid for pid, parent in parents.items() if parent in mine} - mine:
        mine |= more
    mine.discard(os.getpid())
    found = (Identity(pid, processes.start_time(pid) or "") for pid in sorted(mine))
    return tuple(identity for identity in found if identity.start)


def send(whom: Identity, number: signal.Signals) -> bool:
    """Signal exactly this process; False if it is gone or somebody else has its pid now."""
    if not whom.start or whom.pid <= 1:
        return False
    if not sys.platform.startswith("linux"):
        if not whom.is_alive():
            return False
        try:
            os.kill(whom.pid, number)
        except ProcessLookupError:
            return False
        return True
    try:
        handle = os.pidfd_open(whom.pid)
    except OSError:
        return False
    try:
        # the handle is held while we compare: from here on the pid cannot change hands under us
        if not whom.is_alive():
            return False
        signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)
    return True
