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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from toryo import processes
from toryo.files import write_whole
from toryo.workbench.runs import compiled

_LOG = "spare.log"
_LEAVE_S = 1.0
_PAUSE_S, _REFILL_S, _PATIENCE_S = 0.05, 0.2, 1.0
"""After a spare was taken the next one is started: at the first look where none is left, else once the launch
is over and nothing else is done, at last in any case."""


@dataclass(frozen=True)
class Spare:
    pid: int
    start: str
    ours: socket.socket

    def get_ready(self, run_dir: Path) -> bool:
        """For that run, of which it starts nothing yet; False: it is gone."""
        return self._tell(os.fsencode(run_dir))

    def go(self) -> bool:
        """Be the shim of the run it is ready for; False: it is gone."""
        return self._tell(b"go")

    def _tell(self, line: bytes) -> bool:
        try:
            self.ours.sendall(line + b"\n")
        except OSError:
            return False
        return True


class Spares:
    def __init__(
        self,
        folder: Path,
        env: Mapping[str, str],
        most: int,
        is_busy: Callable[[], bool] = lambda: False,
    ) -> None:
        """`is_busy`: whether something is being done that starting a spare would slow down."""
        self._folder = folder
        self._env = env
        self._most = most
        self._lock = threading.Lock()
        self._ready: deque[Spare] = deque()
        self._lacking, self._closing = threading.Event(), threading.Event()
        self._is_busy = is_busy
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, code in (("shim.pyc", compiled.shim()), ("spare.pyc", compiled.spare())):
            write_whole(folder / name, code)
        os.close(os.open(folder / _LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600))
        self._lacking.set()
        threading.Thread(target=self._keep_full, name="spares", daemon=True).start()

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
        self._lacking.set()
        return found

    def close(self) -> None:
        """Those that wait end by the closed socket; those that run are nobody's spares any more."""
        with self._lock:
            self._closing.set()
            self._lacking.set()
            waiting, self._ready = list(self._ready), deque()
        for spare in waiting:
            spare.ours.close()
        end = time.monotonic() + _LEAVE_S
        while any(processes.is_alive(spare.pid, spare.start) for spare in waiting) and time.monotonic() < end:
            time.sleep(0.005)
        processes.reap()

    def _keep_full(self) -> None:
        while not self._closing.is_set():
            self._lacking.wait()
            taken = time.monotonic()
            while not self._closing.wait(_PAUSE_S) and not self._may_refill(time.monotonic() - taken):
                continue
            self._lacking.clear()
            self._refill()

    def _may_refill(self, passed: float) -> bool:
        """Refill at once when the pool is empty; otherwise when idle, or after the longest wait."""
        return not self._ready or passed > _PATIENCE_S or (passed > _REFILL_S and not self._is_busy())

    def _refill(self) -> None:
        with self._lock:
            lacking = 0 if self._closing.is_set() else self._most - len(self._ready)
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
                if self._closing.is_set():
                    ours.close()
                else:
                    self._ready.append(spare)
