"""One command of a gate under the shim: started, attached to, stopped, its output read.

So a killed coordinator leaves an exit record behind, and nothing of the command outlives it.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from toryo import processes
from toryo.workbench.runs import launch, records
from toryo.workbench.runs.records import Kind, RunState
from toryo.workbench.runs.stop import stop

LARGEST_LOG = 512 * 1024 * 1024
"""A command that never stops printing is ended before it fills the disk."""
LARGEST_OUTPUT = 1024 * 1024
_LOOK_S = 0.2


@dataclass(frozen=True)
class Ended:
    """How a command ended: an exit record, or the state of a run that left none."""

    state: RunState
    flooded: bool = False

    @property
    def record(self) -> records.ExitRecord | None:
        return self.state.exited


def start(run_dir: Path, command: str, cwd: Path, env: Mapping[str, str], limit_s: float) -> None:
    launch.reserve(run_dir.parent, run_dir.name, 0)
    launch.launch(
        run_dir,
        launch.LaunchSpec(
            argv=("/bin/sh", "-c", command), cwd=cwd, env=env, log=_log(run_dir), limit_s=limit_s
        ),
    )


def wait(run_dir: Path, keep_running: Callable[[], bool], largest_log: int = LARGEST_LOG) -> Ended:
    """Until nothing of it can write any more; asked to stop it where nobody wants the answer now."""
    asked = flooded = False
    while True:
        state = records.state(run_dir)
        if state.ended or state.kind in (Kind.RESERVED, Kind.ABSENT):
            processes.reap()
            if state.ended:
                with suppress(OSError):
                    launch.settle(run_dir)
            return Ended(state, flooded)
        if state.kind is Kind.ORPHANED:
            # without its shim nobody keeps its time limit
            stop(run_dir, grace_s=0)
        if not asked:
            flooded = _size(_log(run_dir)) > largest_log
            asked = flooded or not keep_running()
            if asked:
                stop(run_dir)
        _sleep_until_ended(state)


def may_be_running(run_dir: Path) -> bool:
    """Whether something may still write for this run, asked by whoever has its slot now.

    A launch that has not begun is forbidden to begin: its launcher is dead."""
    if records.state(run_dir).kind is Kind.RESERVED:
        stop(run_dir)
    return records.state(run_dir).kind in (Kind.STARTING, Kind.RUNNING, Kind.ORPHANED)


def left_a_record(run_dir: Path) -> bool:
    return records.state(run_dir).kind is Kind.EXITED


def output(run_dir: Path) -> str:
    """What it printed, at most 1 MB: head and tail, and in between how much is missing."""
    half = LARGEST_OUTPUT // 2
    try:
        with open(_log(run_dir), "rb") as log:
            size = os.fstat(log.fileno()).st_size
            if size <= LARGEST_OUTPUT:
                return _text(log.read())
            head = log.read(half)
            log.seek(-half, os.SEEK_END)
            return f"{_text(head)}\n[… {size - 2 * half} bytes left out …]\n{_text(log.read(half))}"
    except FileNotFoundError:
        return ""


def _text(data: bytes) -> str:
    # not every database takes a NUL in its text
    return data.decode("utf-8", "replace").replace("\0", "\ufffd")


def _log(run_dir: Path) -> Path:
    return run_dir / "log"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _sleep_until_ended(state: RunState) -> None:
    if state.alive is None or not hasattr(os, "pidfd_open"):
        time.sleep(0.02)
        return
    try:
        handle = os.pidfd_open(state.alive.pid)
    except OSError:
        return
    try:
        select.select([handle], [], [], _LOOK_S)
    finally:
        os.close(handle)
