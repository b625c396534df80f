"""Waiting for the end of processes on macOS, for watch.py."""

from __future__ import annotations

import os
import select
import sys

if sys.platform == "darwin":

    class Kqueue:
        """NOTE_EXIT by pid, and a handle is the pid itself; each end is told once. A socket is its number."""

        def __init__(self) -> None:
            self._queue = select.kqueue()
            self._out, self._into = os.pipe()
            self._sockets: set[int] = set()
            os.set_blocking(self._into, False)
            self._change(self._out, select.KQ_FILTER_READ, select.KQ_EV_ADD)

        def watch(self, pid: int) -> int | None:
            try:
                self._change(
                    pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD | select.KQ_EV_ONESHOT, select.KQ_NOTE_EXIT
                )
            except OSError:
                return None
            return pid

        def listen(self, handle: int) -> None:
            self._sockets.add(handle)
            self._change(handle, select.KQ_FILTER_READ, select.KQ_EV_ADD)

        def forget(self, handle: int) -> None:
            if handle in self._sockets:
                self._sockets.discard(handle)
                os.close(handle)
                return
            try:
                self._change(handle, select.KQ_FILTER_PROC, select.KQ_EV_DELETE)
            except OSError:
                return  # it has ended: the kernel forgot it already

        def wait(self, seconds: float | None) -> list[int]:
            events = self._queue.control(None, 64, seconds)
            if any(event.ident == self._out and event.filter == select.KQ_FILTER_READ for event in events):
                os.read(self._out, 4096)
            told = (select.KQ_FILTER_PROC, select.KQ_FILTER_READ)
            return [event.ident for event in events if event.filter in told and event.ident != self._out]

        def wake(self) -> None:
            try:
                os.write(self._into, b"w")
            except BlockingIOError:
                return  # full of wake-ups already

        def close(self) -> None:
            self._queue.close()
            os.close(self._out)
            os.close(self._into)

        def _change(self, ident: int, kind: int, flags: int, notes: int = 0) -> None:
            self._queue.control([select.kevent(ident, filter=kind, flags=flags, fflags=notes)], 0)
