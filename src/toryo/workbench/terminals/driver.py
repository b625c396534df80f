"""Drives a CLI on its own screen: waits until it is ready, gives it the prompt, asks it to leave when done.

A hook's file and a printed marker are hints that make us ask; the exit record alone says that a run is over,
and silence says nothing. The state is in the run's directory: a new driver goes on where another was killed.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from toryo.steps import step
from toryo.workbench.runs import records
from toryo.workbench.runs.records import Kind
from toryo.workbench.runs.stop import stop
from toryo.workbench.terminals import spool
from toryo.workbench.terminals.door import NoWindow
from toryo.workbench.terminals.hooks import turn_is_over
from toryo.workbench.terminals.marker import QUESTION
from toryo.workbench.terminals.screen_text import ScreenReading, is_ready, marker_printed
from toryo.workbench.terminals.spool import Screen, ScreenBusy
from toryo.workbench.terminals.typist import Typist
from toryo.workbench.terminals.windows import HISTORY, Window

log = logging.getLogger(__name__)

_BRACKETS_ON, _BRACKETS_OFF = b"\x1b[?2004h", b"\x1b[?2004l"
_BRACKETS_WITHIN_S = 3.0
_TOOLS_WITHIN_S = 15.0
"""A client that does not reach its MCP server says so; its task is in the prompt all the same."""
_NOBODY = (Kind.ABSENT, Kind.RESERVED, Kind.EXITED, Kind.LOST)
_FIRST_LOOK_S, _QUICK_S, _IDLE_S = 0.01, 0.05, 1.0
_ACTIVE_S = 3.0
_MARKER_EVERY_S = 2.0
_REST_S = 2.0
TICK_S = 0.01
"""So much older than now the time of a file may be that was written now."""
_LEAVE_TRIES = 3
_LEAVE_S = 5.0
_TYPING_S = 90.0


@dataclass
class Driver:
    run_dir: Path
    screen: Screen
    window: Window
    rest: Callable[[float], bool]
    """Waits so long, or less if there is something to look at; False: leave off, somebody else goes on."""
    ask_silent_s: float = 0
    """After so long without output a CLI without a hook is asked once whether it is done; 0: never."""
    _text: str | None = None
    _ready_seen: float = 0.0
    _log_size: int = -1
    _grew_at: float = field(default_factory=time.monotonic)
    _marker_looked: tuple[float, int] = (0.0, -1)
    _marker_there: bool = False
    _has_asked: bool = False
    _rested: tuple[float, str] = (0.0, "")
    _state_asked: float = field(default_factory=time.monotonic)
    _is_gone: bool = False

    def drive(self) -> None:
        """Until the run is over, or `rest` says to leave off."""
        try:
            if self._give_prompt() and self._until_hint():
                self._leave()
        except NoWindow:
            self._without_window()

    # ── the prompt ──

    def _give_prompt(self) -> bool:
        """False: over, or to be left."""
        note = spool.prompt_note(self.run_dir)
        if self.screen.prompt_given or spool.typed(note).state == "taken":
            return True
        began = time.monotonic()
        while not self._is_ready():
            # often at first, once a second where a dialog waits for a person
            pause = max(_FIRST_LOOK_S, min(_IDLE_S, (time.monotonic() - began) / 10))
            if self._is_over() or not self.rest(pause):
                return False
        step("screen.ready")
        prompt = self._prompt()
        while not self._is_over():
            try:
                with spool.typing_on(self.run_dir, _TYPING_S):
                    result = Typist(self.window, self._is_over).say(prompt, note)
            except ScreenBusy:
                continue
            if result.arrived or result.taken:
                if not result.taken:
                    log.warning("The prompt stands on the screen", extra={"run": self.run_dir.name})
                return True
            # nothing was seen of it: the program was not ready after all, or lost what it had read
            if not self.rest(_IDLE_S):
                return False
        return False

    def _prompt(self) -> str:
        if self._text is None:
            self._text = Path(self.screen.prompt_file).read_text("utf-8", "surrogateescape")
        return self._text

    def _is_ready(self) -> bool:
        if not is_ready(self.window.look(), self.screen.ready):
            self._ready_seen = 0.0
            return False
        self._ready_seen = self._ready_seen or time.monotonic()
        since = time.monotonic() - self._ready_seen
        # before it has asked for bracketed pastes, each newline would be an Enter
        return (self._brackets() or since > _BRACKETS_WITHIN_S) and (
            self._knows_tools() or since > _TOOLS_WITHIN_S
        )

    def _knows_tools(self) -> bool:
        return not self.screen.tools_file or Path(self.screen.tools_file).exists()

    def _brackets(self) -> bool:
        try:
            printed = Path(self.screen.log).read_bytes()
        except OSError:
            return False
        return printed.rfind(_BRACKETS_ON) > printed.rfind(_BRACKETS_OFF)

    # ── hints ──

    def _until_hint(self) -> bool:
        """True: the agent says it is done. False: over, or to be left."""
        while not self._is_over():
            if self._hook_fired():
                return self._hinted("hook")
            # it is there now, whatever the clock says
            if self._marker_stands() and self._is_settled(math.inf):
                return self._hinted("marker")
            self._ask_if_silent()
            if not self.rest(self._pause()):
                return False
        return False

    def _hinted(self, source: spool.Source) -> bool:
        spool.note_signal(self.run_dir, source)
        step("screen.hinted")
        return True

    def _hook_fired(self) -> bool:
        if not self.screen.done_file:
            return False
        path = Path(self.screen.done_file)
        try:
            at, said = path.stat().st_mtime, path.read_text("utf-8", "replace")
        except OSError:
            return False
        return turn_is_over(said, self._prompt()) and self._is_settled(at)

    def _marker_stands(self) -> bool:
        """A program that goes on drawing that it works is not done, whatever it has printed."""
        now, (looked, size) = time.monotonic(), self._marker_looked
        if now - looked < _MARKER_EVERY_S:
            return False
        if size == self._size():
            return self._marker_there
        self._marker_looked = (now, self._size())
        self._marker_there = marker_printed(self.window.look(HISTORY), f"{self._prompt()}\n{QUESTION}")
        return self._marker_there and not ScreenReading(self.window.look(), "").is_busy

    def _ask_if_silent(self) -> None:
        """The last resort, once in a run; the answer is the marker, or more work."""
        silent_s = time.monotonic() - self._grew_at
        if self.screen.done_file or self._has_asked or not 0 < self.ask_silent_s <= silent_s:
            return
        note = spool.question_note(self.run_dir)
        if spool.typed(note).state != "taken":
            try:
                with spool.typing_on(self.run_dir, _TYPING_S):
                    Typist(self.window, self._is_over).say(QUESTION, note)
            except ScreenBusy:
                return
        self._has_asked = True

    def _is_settled(self, at: float) -> bool:
        """A hint that is older than the last words is about the turn before them. One that came after them
        may be so, too, while they wait in the program's queue: then its screen does not rest."""
        words = spool.words_since(self.run_dir)
        if not words:
            return True
        if at + TICK_S <= words:
            return False
        now, screen = time.monotonic(), self.window.look()
        since, seen = self._rested
        if seen != screen:
            self._rested = (now, screen)
            self._marker_looked = (0.0, -1)
            return False
        return now - since > _REST_S

    def _size(self) -> int:
        try:
            return Path(self.screen.log).stat().st_size
        except OSError:
            return 0

    def _pause(self) -> float:
        """Quick while the agent prints, once a second while it is silent."""
        size, now = self._size(), time.monotonic()
        if size != self._log_size:
            self._log_size, self._grew_at = size, now
        return _QUICK_S if now - self._grew_at < _ACTIVE_S else _IDLE_S

    # ── the end ──

    def _leave(self) -> None:
        for number in range(_LEAVE_TRIES):
            try:
                with spool.typing_on(self.run_dir, _TYPING_S):
                    if number:
                        self.window.keys("C-u")  # whatever stands in the input would be read with it
                    Typist(self.window, self._is_over).command(self.screen.leave)
            except (ScreenBusy, NoWindow):
                pass
            if not self._outlasts(_LEAVE_S):
                return
        self._terminate()

    def _terminate(self) -> None:
        if not self._is_over():
            log.warning("The agent was done and did not leave", extra={"run": self.run_dir.name})
            stop(self.run_dir)

    def _outlasts(self, seconds: float) -> bool:
        """Whether the run still goes on after so long and is still ours to look after."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._is_over() or not self.rest(_QUICK_S):
                return False
        return True

    def _without_window(self) -> None:
        """The window is gone. Usually the agent is, too; one that goes on can still say that it is done."""
        if not self._outlasts(_LEAVE_S):
            return
        spool.note_signal(self.run_dir, "terminal_lost")
        log.warning("A run goes on without its window", extra={"run": self.run_dir.name})
        while not self._is_over():
            if self.screen.done_file and Path(self.screen.done_file).exists():
                spool.note_signal(self.run_dir, "hook")
                self._terminate()
                return
            if not self.rest(_IDLE_S):
                return

    def _is_over(self) -> bool:
        if (self.run_dir / records.EXIT).exists():
            return True
        now = time.monotonic()
        if now - self._state_asked > _IDLE_S:  # it costs more than the look at one file
            self._state_asked = now
            self._is_gone = records.state(self.run_dir).kind in _NOBODY
        return self._is_gone
