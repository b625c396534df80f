"""Processes that tests started, found by a mark in the one variable that every environment here has: PATH."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

MARK = f"/nonexistent/toryo-tests-{os.getpid()}-end"


def mark() -> None:
    """From now on everything that this process starts can be found."""
    os.environ["PATH"] = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{MARK}"


def alive() -> dict[int, str]:
    """What was started since and has not ended, by pid, with its command line."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if MARK.encode() in (entry / "environ").read_bytes():
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found[int(entry.name)] = words.strip()[:300]
    found.pop(os.getpid(), None)
    return found


def end(pids: dict[int, str]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
