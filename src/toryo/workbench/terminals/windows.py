"""The windows of runs on our tmux server: opened, found, looked at, ended.

Each window stands in a tmux session of its own, named as the run: people attach to different runs without
moving each other's view, and nobody who types at the end of one run finds himself typing into another.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toryo.steps import step
from toryo.workbench.terminals.door import NoWindow, Tmux, TmuxFailed

TERM = "screen-256color"
"""Of the terminfo entries that fit tmux, the one that every system has."""
COLUMNS, ROWS = 160, 50
HISTORY = 20_000
_TRIES = 5
_OPTIONS = {
    "history-limit": str(HISTORY),
    "default-terminal": TERM,
    "allow-rename": "off",
    "automatic-rename": "off",
    "remain-on-exit": "off",
    "set-titles": "off",
    "status-left": "toryo #S ",
    "status-left-length": "40",
    "status-right": "C-b d leaves; the agent goes on",
    "status-right-length": "40",
}
# an agent's escape sequences must not write to the clipboard of whoever looks
_SERVER_OPTIONS = {"escape-time": "10", "set-clipboard": "off"}


@dataclass(frozen=True)
class Sight:
    text: str
    columns: int
    rows: int
    cursor: tuple[int, int]
    """Column and row, from 0."""


@dataclass(frozen=True)
class Window:
    """One run's window; it may be gone at any time."""

    tmux: Tmux
    run: str

    @property
    def name(self) -> str:
        return self.run.replace(".", "_")  # tmux reads dots and colons as separators

    @property
    def target(self) -> str:
        return f"={self.name}:"

    def open(self, argv: Sequence[str], cwd: Path, *, log: Path | None = None) -> int:
        """Start the program in a new window; its pid. `log` gets every byte it prints, from the first one.

        A window that is there already is the one we wanted: its pid."""
        self.tmux.make_place()
        words = ["start-server"]
        for name, value in _SERVER_OPTIONS.items():
            words += [";", "set-option", "-s", name, value]
        for name, value in _OPTIONS.items():
            words += [";", "set-option", "-g", name, value]
        words += [";", "new-session", "-d", "-P", "-F", "#{pane_pid}", "-s", self.name, "-n", self.name]
        words += ["-x", str(COLUMNS), "-y", str(ROWS), "-c", str(cwd), "--", *argv]
        if log is not None:
            words += [";", "pipe-pane", "-t", self.target, f"exec cat >>{shlex.quote(str(log))}"]
        step("window.before")
        for left in reversed(range(_TRIES)):
            try:
                return int(self.tmux.do(*words).split()[0])
            except TmuxFailed as failed:
                if "duplicate session" not in failed.message:
                    raise
            except NoWindow:
                # the server was just leaving with its last window, or the program has ended already
                if not left:
                    raise
            if (pid := self.pid()) is not None:
                return pid
            time.sleep(0.02)
        raise TmuxFailed(f"the window {self.name} could not be opened")

    def pid(self) -> int | None:
        """Of the program in it; None: there is no such window."""
        try:
            return int(self.tmux.do("display-message", "-p", "-t", self.target, "#{pane_pid}").strip() or 0)
        except (NoWindow, ValueError):
            return None

    def is_there(self) -> bool:
        return bool(self.pid())

    def look(self, history: int = 0) -> str:
        """What is on the screen, and so many lines that have left it; NoWindow if it is gone."""
        more = ("-S", str(-history)) if history else ()
        return self.tmux.do("capture-pane", "-p", *more, "-t", self.target).decode("utf-8", "replace")

    def sight(self, *, colours: bool = False) -> Sight:
        """What is on the screen, with its size and where the cursor is; NoWindow if it is gone."""
        numbers = "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y}"
        escapes = ("-e",) if colours else ()
        told = self.tmux.do(
            *("display-message", "-p", "-t", self.target, numbers, ";"),
            *("capture-pane", "-p", *escapes, "-t", self.target),
        )
        first, _, text = told.decode("utf-8", "replace").partition("\n")
        columns, rows, x, y = map(int, first.split())
        return Sight(text, columns, rows, (x, y))

    def paste(self, text: str) -> None:
        """As one paste, bracketed where the program asked for it, newlines as they are."""
        self.tmux.do(
            *("load-buffer", "-b", self.name, "-", ";"),
            *("paste-buffer", "-d", "-p", "-r", "-b", self.name, "-t", self.target),
            stdin=text.encode("utf-8", "replace"),
        )

    def keys(self, *names: str) -> None:
        self.tmux.do("send-keys", "-t", self.target, *names)

    def letters(self, text: str) -> None:
        """Typed one by one, as by a person: for a short line that is a command of the program."""
        self.tmux.do("send-keys", "-l", "-t", self.target, "--", text)

    def end(self) -> None:
        """Close it; a program in it gets SIGHUP."""
        try:
            self.tmux.do("kill-session", "-t", f"={self.name}")
        except NoWindow:
            return

    def attach_argv(self) -> tuple[str, ...]:
        return self.tmux.argv("attach-session", "-t", f"={self.name}")


def windows(tmux: Tmux) -> frozenset[str]:
    """The names of all windows that are there."""
    try:
        return frozenset(tmux.do("list-sessions", "-F", "#{session_name}").decode().split())
    except NoWindow:
        return frozenset()
