"""Shims that wait ahead of their runs, so that a launch does not wait for an interpreter (ADR 14).

What a spare does is in spare.py; when one is used is launch's to say.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from toryo import processes
from toryo.workbench.runs import compiled

_LOG = "spare.log"
_LEAVE_S = 1.0
_REFILL_S = 0.3
"""A launch is under way when a spare is taken: the next one is started after it."""


@dataclass(frozen=True)
class Spare:
    pid: int
    start: str
    ours: socket.socket

    def go(self, run_dir: Path) -> bool:
        """Make it the shim of that run; False: it is gone."""
        try:
            self.ours.sendall(os.fsencode(run_dir) + b"\n")
        except OSError:
            return False
        return True


class Spares:
    def __init__(self, folder: Path, env: Mapping[str, str], most: int) -> None:
        self._folder = folder
        self._env = env
        self._most = most
        self._lock = threading.Lock()
        self._ready: deque[Spare] = deque()
        self._timer: threading.Timer | None = None
        self._closed = False
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, code in (("shim.pyc", compiled.shim()), ("spare.pyc", compiled.spare())):
            _replace(folder / name, code)
        os.close(os.open(folder / _LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600))
        self._refill_later()

    def take(self) -> Spare | None:
        """One that lives; None: there is none just now."""
        found = None
        with self._lock:
            while self._ready and found is None:
                spare = self._ready.popleft()
                if processes.is_alive(spare.pid, spare.start):
                    found = spare
                else:
                    spare.ours.close()
        self._refill_later()
        return found

    def close(self) -> None:
        """Those that wait end by the closed socket; those that run are nobody's spares any more."""
        with self._lock:
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
            waiting, self._ready = list(self._ready), deque()
        for spare in waiting:
            spare.ours.close()
        end = time.monotonic() + _LEAVE_S
        while any(processes.is_alive(spare.pid, spare.start) for spare in waiting) and time.monotonic() < end:
            time.sleep(0.005)
        processes.reap()

    def _refill_later(self) -> None:
        with self._lock:
            if self._closed or self._timer is not None:
                return
            self._timer = threading.Timer(_REFILL_S, self._refill)
            self._timer.daemon = True
            self._timer.start()

    def _refill(self) -> None:
        with self._lock:
            self._timer = None
            lacking = 0 if self._closed else self._most - len(self._ready)
        for _ in range(lacking):
            programs = (str(self._folder / name) for name in ("spare.pyc", "shim.pyc"))
            argv = [sys.executable, "-I", "-S", *programs]
            try:
                pid, ours = processes.spawn_listening(
                    argv, env=self._env, cwd=self._folder, output=self._folder / _LOG
                )
            except OSError:
                return  # a launch then starts its own
            spare = Spare(pid, processes.start_time(pid) or "", ours)
            with self._lock:
                if self._closed:
                    ours.close()
                else:
                    self._ready.append(spare)


def _replace(path: Path, data: bytes) -> None:
    half = path.with_name(f"{path.name}.{processes.own_pid()}")
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(handle, "wb") as file:
        file.write(data)
    half.replace(path)
