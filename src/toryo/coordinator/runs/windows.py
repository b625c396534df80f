"""Terminal windows of this coordinator's runs: a thread attends each, others may read it or type into it.

What is typed when is left to `workbench/terminals`; after a restart all is found in the run directories.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from toryo.domain.errors import ToryoError
from toryo.domain.words import Terminal
from toryo.workbench.clients.calls import Interactive
from toryo.workbench.runs import records
from toryo.workbench.runs.launch import LaunchSpec
from toryo.workbench.terminals import screens, spool
from toryo.workbench.terminals.door import NoWindow, own_server
from toryo.workbench.terminals.driver import Driver
from toryo.workbench.terminals.windows import Window, windows

log = logging.getLogger(__name__)

_AGAIN_S = 5.0


class Windows:
    def __init__(
        self, folder: Path, ask_silent_s: float = 0, on_look: Callable[[str], None] = lambda run: None
    ) -> None:
        """`folder` is coordinators/{name}; nothing of tmux is needed before a run asks for it. `on_look` is
        told while a screen is looked after: at least once a second."""
        self._folder = folder
        self._ask_silent_s = ask_silent_s
        self._lock = threading.Lock()
        self._attended: dict[str, threading.Event] = {}
        self._closed = threading.Event()
        self._on_look = on_look

    def dress(
        self, spec: LaunchSpec, run_dir: Path, *, terminal: str, driven: Interactive | None, prompt_file: Path
    ) -> LaunchSpec:
        """The launch as this run's style and terminal want it; `driven` is given for interactive style."""
        if driven is not None:
            return screens.on_screen(own_server(self._folder), run_dir, spec, driven, prompt_file)
        if terminal == Terminal.TMUX:
            return screens.with_log_window(run_dir, spec)
        return spec

    def attend(self, run: str) -> None:
        """Look after the run's window, if it has one; again after each start of it."""
        run_dir = self._run_dir(run)
        screen = spool.read_screen(run_dir)
        if screen is None or self._closed.is_set():
            return
        wake = threading.Event()
        with self._lock:
            earlier, self._attended[run] = self._attended.get(run), wake
        if earlier is not None:
            earlier.set()
        threading.Thread(
            target=self._look_after, args=(run, screen, wake), name=f"window {run}", daemon=True
        ).start()
        if records.state(run_dir).ended:  # before we were listed: nobody would tell us
            self.ended(run)

    def attend_all(self, runs: Iterable[str]) -> None:
        """After a restart: the screens of runs that live, and no window of one that ended without us."""
        live = set(runs)
        for run in live:
            self.attend(run)
        try:
            # only a file is looked at where there never was a window
            tmux = own_server(self._folder)
            if tmux.socket.exists():
                for name in windows(tmux) - {Window(tmux, run).name for run in live}:
                    if (self._folder / "runs" / name / records.EXIT).exists():
                        Window(tmux, name).end()
        except ToryoError as failed:
            log.warning("Windows could not be looked at", extra={"reason": failed.message})

    def ended(self, run: str) -> None:
        """The run is over: its thread leaves, a window that showed its log is closed."""
        with self._lock:
            wake = self._attended.pop(run, None)
        if wake is not None:
            wake.set()

    def screen(self, run: str) -> Window:
        """The one to type on, whether it is there or not."""
        return Window(own_server(self._folder), run)

    def window(self, run: str) -> Window:
        """The one to attach to; NoWindow says why there is none."""
        run_dir = self._run_dir(run)
        screen = spool.read_screen(run_dir)
        if records.state(run_dir).ended:
            raise NoWindow(f"The run {run} is over.", hint=f"`toryo log {run}` shows what it printed.")
        if screen is None:
            raise NoWindow(
                f"The run {run} has no window: its agent has no terminal.",
                hint=f"`toryo log -f {run}` follows what it prints.",
            )
        found = self.screen(run)
        if screen.style == "exec":
            return screens.show_log(found.tmux, run_dir, screen)
        if not found.is_there():
            raise NoWindow(f"The window of {run} is gone.", hint=f"`toryo log {run}` shows what it printed.")
        return found

    def close(self) -> None:
        """Leave off; windows and agents stay."""
        self._closed.set()
        with self._lock:
            attended = list(self._attended.values())
            self._attended.clear()
        for wake in attended:
            wake.set()

    def _look_after(self, run: str, screen: spool.Screen, wake: threading.Event) -> None:
        try:
            while not self._is_done(run, screen, wake) and not wake.wait(_AGAIN_S):
                pass
        except Exception:  # a thread's outermost edge: a bug about a screen must not be silent
            log.exception("A window is left alone after a bug", extra={"run": run})
        finally:
            with self._lock:
                if self._attended.get(run) is wake:
                    del self._attended[run]

    def _is_done(self, run: str, screen: spool.Screen, wake: threading.Event) -> bool:
        """False: something was in the way, and once more may help."""
        window = self.screen(run)
        try:
            if screen.style == "exec":
                screens.show_log(window.tmux, self._run_dir(run), screen)
                wake.wait()
                if not self._closed.is_set():
                    window.end()
            else:

                def rest(seconds: float) -> bool:
                    self._on_look(run)
                    return not wake.wait(seconds)

                Driver(self._run_dir(run), screen, window, rest, self._ask_silent_s).drive()
        except (ToryoError, OSError) as failed:
            # the run goes on by itself: its shim and its time limit do not need us
            log.warning("A window waits", extra={"run": run, "reason": str(failed)[:500]})
            return wake.is_set() or records.state(self._run_dir(run)).ended
        return True

    def _run_dir(self, run: str) -> Path:
        return self._folder / "runs" / run
