"""The end of the demo: its processes stopped, whatever state it was in, and its folder removed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

from toryo import processes
from toryo.fronts.demo.stage import StepFailed

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

    from toryo.fronts.demo.stage import Stage

GRACE_S = 7.0
"""A run's shim gives its agent five seconds."""


def leave(stage: Stage, *, keep: bool) -> None:
    """Down, then whoever is left (agents outlive `down`), then the folder."""
    if stage.toryo_home.is_dir():
        with contextlib.suppress(StepFailed):  # a hanging one is among those that are ended below
            stage.try_toryo("down")
    _end_all(stage.root)
    if not keep:
        shutil.rmtree(stage.root, ignore_errors=True)


def listen() -> None:
    """A signal that would end us in mid-air becomes an exception, so that everything is cleaned up."""

    def end(number: int, _: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, end)


def ignore() -> None:
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)


def _end_all(root: Path) -> None:
    asks: tuple[tuple[Callable[[int, str], object], float], ...] = (
        (processes.ask_to_end, GRACE_S),
        (_kill, 2.0),
    )
    for ask, within_s in asks:
        end = time.monotonic() + within_s
        for pid, started in processes_of(root):
            ask(pid, started)
        while processes_of(root) and time.monotonic() < end:
            time.sleep(0.05)
    processes.reap()


def _kill(pid: int, started: str) -> None:
    if processes.is_alive(pid, started):
        os.kill(pid, signal.SIGKILL)


def processes_of(root: Path) -> list[tuple[int, str]]:
    """Every process whose HOME is in the demo's folder, with its start time: all of ours, nobody else's."""
    processes.reap()
    pids = _in_proc(root) if processes.HAS_PROC else _in_ps(root)
    found = [(pid, processes.start_time(pid)) for pid in pids if pid != processes.own_pid()]
    return [(pid, started) for pid, started in found if started is not None]


def _in_proc(root: Path) -> list[int]:
    mark = b"\0HOME=" + os.fsencode(root) + b"/"
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = (entry / "environ").read_bytes()
        except OSError:
            continue  # somebody else's, or gone meanwhile
        if mark in b"\0" + environment:
            found.append(int(entry.name))
    return found


def _in_ps(root: Path) -> list[int]:
    shown = processes.run(["ps", "-axEwwo", "pid=,command="], limit_s=10).out
    mark = b" HOME=" + os.fsencode(root) + b"/"
    return [int(line.split(None, 1)[0]) for line in shown.splitlines() if mark in line]
