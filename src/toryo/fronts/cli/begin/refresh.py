"""Environment refresh: whether the coordinator has this shell's environment, and giving it that while
agents go on.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from toryo import processes, settings, shell_environment
from toryo.fronts.cli.work.own_path import REFRESH
from toryo.fronts.processes.start import (
    COORDINATOR,
    ask,
    live_coordinator,
    note,
    start_coordinator,
    starting_lock,
)
from toryo.fronts.processes.stop import wait_gone
from toryo.fronts.text.errors import labelled
from toryo.fronts.text.output import Progress

if TYPE_CHECKING:
    from toryo.settings import Home


def differences(home: Home) -> list[str]:
    """What agents would find here that the coordinator does not have, and the other way round."""
    try:
        kept = json.loads((home.coordinator(COORDINATOR) / "environment.json").read_text())
    except (OSError, ValueError):
        return []  # of an older version: nobody knows
    return shell_environment.differences(kept, settings.environment())


def warn(found: list[str]) -> None:
    """Agents get the coordinator's environment, not this one."""
    told = f"agents get the environment of the shell that started Toryo, not of this one: {', '.join(found)}"
    print(labelled("Warning:", told, "yellow"), file=sys.stderr)
    print(
        labelled("Hint:", f"`{REFRESH}` takes this one over; running agents go on.", "cyan"), file=sys.stderr
    )


def refresh(home: Home) -> int:
    """The coordinator once more, from this shell; its pid. Its runs are met again by the new one."""
    with Progress("refreshing toryo") as progress, starting_lock(home, progress):
        status = ask(home, "get_status")
        old = live_coordinator(status)
        if old is not None:
            pid = int(old["pid"])
            start = processes.start_time(pid)
            if start is not None and processes.ask_to_end(pid, start):
                wait_gone("coordinator", pid, start, progress)
        daemon = int(status["daemon"]["pid"])
        new = int(start_coordinator(home, daemon, progress)["pid"])
        note(home, {"daemon": daemon, "coordinator": new})
        return new
