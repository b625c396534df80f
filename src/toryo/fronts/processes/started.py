"""Start note that `up` leaves: who was started here, and whether the coordinator is there.

Most commands ask it first, so it does without `processes`, which would cost them 20 ms.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toryo.settings import Home


def noted(home: Home) -> dict[str, tuple[int, str]]:
    """Part → (pid, start time), as `up` wrote it down."""
    try:
        with open(f"{home.text}/up.json", encoding="utf-8") as file:
            said = json.load(file)
        return {name: (int(pid), str(start)) for name, (pid, start) in said.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def hands_are_there(home: Home) -> bool:
    """The coordinator that was noted is still that very process."""
    known = noted(home).get("coordinator")
    return known is not None and _is_alive(*known)


def daemon_was_killed(home: Home) -> bool:
    """It was up and is gone, and nobody took it down: `down` takes the note away."""
    known = noted(home).get("daemon")
    return known is not None and not _is_alive(*known)


def page_origin(home: Home) -> str:
    """Where the page is served; empty: nowhere. Without its token, which opens it."""
    try:
        with open(f"{home.text}/web.json", encoding="utf-8") as file:
            said = json.load(file)
        alive = _is_alive(int(said["pid"]), str(said["started"]))
        return f"http://127.0.0.1:{int(said['port'])}" if alive else ""
    except (OSError, ValueError, TypeError, KeyError):
        return ""


def _is_alive(pid: int, started: str) -> bool:
    try:
        handle = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except FileNotFoundError:
        from toryo import processes  # no such process, or a system that tells of processes in another way

        return not processes.HAS_PROC and processes.is_alive(pid, started)
    with open(handle, "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    return fields[0] not in (b"Z", b"X") and fields[19].decode() == started
