"""Watching many runs at once: one thread that sleeps until a process ends, then looks at the records."""

from __future__ import annotations

import logging
import os
import select
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from toryo import processes
from toryo.workbench.runs import records
from toryo.workbench.runs.records import Kind, RunState
from toryo.workbench.runs.survivors import Identity

_log = logging.getLogger(__name__)

_LOOK_S = 1.0
"""How often to look where there is nothing to wait on: a shim of unknown pid, a kernel without pidfd."""


class _Exits(Protocol):
    """Waiting for the end of processes that are not our children."""

    def watch(self, pid: int) -> int | None: ...
    def listen(self, handle: int) -> None: ...
    def forget(self, handle: int) -> None: ...
    def wait(self, seconds: float | None) -> list[int]: ...
    def wake(self) -> None: ...
    def close(self) -> None: ...


class _Pidfds:
    def __init__(self) -> None:
        self._out, self._into = os.pipe()
        os.set_blocking(self._out, False)
        os.set_blocking(self._into, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)

    def watch(self, pid: int) -> int | None:
        try:
            handle = os.pidfd_open(pid)
        except OSError:
            return None
        self._poll.register(handle, select.POLLIN)
        return handle

    def listen(self, handle: int) -> None:
        """To a socket, which is ours from now on."""
        self._poll.register(handle, select.POLLIN)

    def forget(self, handle: int) -> None:
        self._poll.unregister(handle)
        os.close(handle)

    def wait(self, seconds: float | None) -> list[int]:
        ready = [handle for handle, _ in self._poll.poll(None if seconds is None else seconds * 1000)]
        if self._out in ready:
            ready.remove(self._out)
            os.read(self._out, 4096)
        return ready

    def wake(self) -> None:
        with suppress(BlockingIOError):  # full of wake-ups already
            os.write(self._into, b"w")

    def close(self) -> None:
        os.close(self._out)
        os.close(self._into)


def _exits() -> _Exits:
    if sys.platform == "darwin":
        from toryo.workbench.runs.kqueues import Kqueue

        return Kqueue()
    return _Pidfds()


@dataclass
class _Watched:
    run_dir: Path
    handle: int | None = None
    whom: Identity | None = None
    listener: int | None = None
    """A socket on which the shim tells its exit record ahead of the file."""
    is_abandoned: bool = False
    """Shim and agent are gone, something else of it lives; told once."""


@dataclass
class _Wishes:
    """What other threads want; taken over by the watching thread."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    add: dict[str, tuple[Path, int | None]] = field(default_factory=dict)
    remove: set[str] = field(default_factory=set)
    close: bool = False


class Watcher:
    """Calls `on_end(run_id, state)` once, in its own thread: the run exited, is lost, or died unstarted."""

    def __init__(
        self,
        on_end: Callable[[str, RunState], None],
        on_abandoned: Callable[[str], None] = lambda run_id: None,
    ) -> None:
        """`on_abandoned`: neither shim nor agent lives any more, but what they started does."""
        self._on_end = on_end
        self._on_abandoned = on_abandoned
        self._wishes = _Wishes()
        self._runs: dict[str, _Watched] = {}
        self._by_handle: dict[int, str] = {}
        self._exits = _exits()
        self._thread = threading.Thread(target=self._work, name="run-watcher", daemon=True)
        self._thread.start()

    def add(self, run_id: str, run_dir: Path, listener: int | None = None) -> None:
        """`listener`: a socket that may tell the end sooner; it is ours from now on."""
        with self._wishes.lock:
            self._wishes.add[run_id] = (run_dir, listener)
            self._wishes.remove.discard(run_id)
        self._exits.wake()

    def remove(self, run_id: str) -> None:
        with self._wishes.lock:
            self._wishes.remove.add(run_id)
            self._wishes.add.pop(run_id, None)
        self._exits.wake()

    def close(self) -> None:
        with self._wishes.lock:
            self._wishes.close = True
            self._exits.wake()  # inside: once it sees the wish, the thread closes what this writes to
        self._thread.join(timeout=5)

    def _work(self) -> None:
        looked = time.monotonic()
        while self._obey():
            blind = any(run.handle is None for run in self._runs.values())
            for handle in self._exits.wait(_LOOK_S if blind else None):
                self._wake(handle)
            if blind and time.monotonic() - looked >= _LOOK_S:
                looked = time.monotonic()
                for run_id in [name for name, run in self._runs.items() if run.handle is None]:
                    self._look(run_id)
        for run_id in list(self._runs):
            self._forget(run_id)
        self._exits.close()

    def _obey(self) -> bool:
        wishes = self._wishes
        with wishes.lock:
            added, removed = wishes.add, wishes.remove
            wishes.add, wishes.remove = {}, set()
            goes_on = not wishes.close
        for run_id in removed:
            self._forget(run_id)
        for run_id, (run_dir, listener) in added.items():
            if run_id not in self._runs:
                self._runs[run_id] = _Watched(run_dir)
                self._listen(run_id, listener)
                self._look(run_id)
            elif listener is not None:
                os.close(listener)
        return goes_on

    def _listen(self, run_id: str, listener: int | None) -> None:
        if listener is not None:
            self._runs[run_id].listener = listener
            self._by_handle[listener] = run_id
            self._exits.listen(listener)

    def _wake(self, handle: int) -> None:
        run_id = self._by_handle.get(handle)
        if run_id is None:
            return  # what woke us before this one was about the same run
        run = self._runs[run_id]
        if handle != run.listener:
            self._look(run_id)
            return
        try:
            told = records.parse_exit(os.read(handle, 2 * records.LONGEST))
        except OSError:  # killed before it had read what we sent
            told = None
        if told is None:  # the shim is gone without a word: its files say the rest
            self._hang_up(run)
            self._look(run_id)
            return
        self._tell(run_id, RunState(Kind.EXITED, None, told))
        self._forget(run_id)

    def _hang_up(self, run: _Watched) -> None:
        if run.listener is not None:
            self._by_handle.pop(run.listener, None)
            self._exits.forget(run.listener)
            run.listener = None

    def _look(self, run_id: str) -> None:
        """From the level: read the state, then wait on whoever's end would change it."""
        run = self._runs[run_id]
        while True:
            found = records.state(run.run_dir)
            self._let_go(run)
            if found.kind in (Kind.EXITED, Kind.LOST, Kind.RESERVED, Kind.ABSENT):
                self._forget(run_id)
                processes.reap()
                self._tell(run_id, found)
                return
            if found.alive is None:
                return
            if found.is_abandoned and not run.is_abandoned:
                run.is_abandoned = True
                self._on_abandoned(run_id)
            run.handle, run.whom = self._exits.watch(found.alive.pid), found.alive
            if run.handle is None and found.alive.is_alive():
                return
            if run.handle is not None:
                self._by_handle[run.handle] = run_id
                if found.alive.is_alive():
                    return
            # ended, or its pid changed hands, while we took hold of it: look again

    def _tell(self, run_id: str, found: RunState) -> None:
        try:
            self._on_end(run_id, found)
        except Exception:  # noqa: BLE001 — one listener's failure must not blind us to all other runs
            _log.exception("the end of run %s could not be told", run_id)

    def _let_go(self, run: _Watched) -> None:
        if run.handle is not None:
            self._by_handle.pop(run.handle, None)
            self._exits.forget(run.handle)
            run.handle = run.whom = None

    def _forget(self, run_id: str) -> None:
        run = self._runs.pop(run_id, None)
        if run is not None:
            self._let_go(run)
            self._hang_up(run)
