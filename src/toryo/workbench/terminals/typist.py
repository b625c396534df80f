"""Types words into a program's screen and makes sure that they arrived whole and were taken.

No fixed waits: a program takes a paste at its own speed and may swallow an Enter that comes before it has
shown the words, so we look until they are there, and again until they have left the input.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from toryo.steps import step
from toryo.workbench.terminals import spool
from toryo.workbench.terminals.screen_text import ScreenReading, clean, tail
from toryo.workbench.terminals.windows import Window

ARRIVE_S = 20.0
"""So long a program may need to show what was pasted, before Enter is tried all the same."""
TAKE_S = 30.0
_FIRST_ENTER_S = 0.5
_LONGEST_ENTER_S = 4.0
_FIRST_LOOK_S = 0.001
_LONGEST_LOOK_S = 0.1


@dataclass(frozen=True)
class Result:
    arrived: bool
    """Seen on the screen."""
    taken: bool
    """Seen leaving the input."""


@dataclass(frozen=True)
class Typist:
    window: Window
    is_over: Callable[[], bool]
    """Whether the run has ended: nobody is there to type to."""

    def say(self, text: str, note: Path) -> Result:
        """Paste, see, Enter, see. `note` remembers how far it came: what was taken is not typed again, what
        may have been pasted is looked for first. NoWindow: there is no screen."""
        words = clean(text)
        if not words.strip():
            spool.note_typed(note, "taken")
            return Result(arrived=True, taken=True)
        known = spool.typed(note)
        if known.state == "taken":
            return Result(arrived=True, taken=True)
        now = self._look(words)
        arrived = known.state in ("typing", "shown") and now.count > known.before
        if known.state == "shown" and (now.is_busy or now.is_away_from(known.below)):
            taken = True  # entered by somebody who was killed before he could say so
        else:
            if not arrived:
                arrived, now = self._paste(words, now, note)
            taken = self._enter(words, now)
        step("words.entered")
        if arrived or taken:
            spool.note_taken(note)
        return Result(arrived, taken)

    def command(self, line: str) -> Result:
        """A command of the program itself, such as `/exit`, typed letter by letter."""
        before = self._look(line)
        self.window.letters(line)
        arrived, now = self._arrival(line, before)
        return Result(arrived, self._enter(line, now))

    def _paste(self, words: str, before: ScreenReading, note: Path) -> tuple[bool, ScreenReading]:
        spool.note_typed(note, "typing", before.count)
        step("words.noted")
        self.window.paste(words)
        step("words.pasted")
        arrived, now = self._arrival(words, before)
        if arrived:
            spool.note_typed(note, "shown", before.count, now.below or 0)
        return arrived, now

    def _arrival(self, words: str, before: ScreenReading) -> tuple[bool, ScreenReading]:
        """Whether the words came, and the screen on which they were seen."""
        seen = [before]

        def arrived() -> bool:
            seen[0] = self._look(words)
            return seen[0].arrived(before)

        return self._wait(arrived, ARRIVE_S), seen[0]

    def _enter(self, words: str, before: ScreenReading) -> bool:
        """Until the words leave the input; an Enter on an empty input does nothing."""
        end, patience = time.monotonic() + TAKE_S, _FIRST_ENTER_S
        while True:
            self.window.keys("Enter")
            if self._wait(lambda seen=before: self._is_taken(words, seen), patience):  # type: ignore[misc]
                return True
            if self.is_over() or time.monotonic() > end:
                return False
            patience = min(2 * patience, _LONGEST_ENTER_S)
            before = self._look(words)

    def _is_taken(self, words: str, before: ScreenReading) -> bool:
        # twice: between two lines of a program that draws anew, words may be nowhere for a moment
        return self._look(words).taken(before) and self._look(words).taken(before)

    def _look(self, words: str) -> ScreenReading:
        return ScreenReading(self.window.look(), tail(words))

    def _wait(self, question: Callable[[], bool], within_s: float) -> bool:
        end, pause = time.monotonic() + within_s, _FIRST_LOOK_S
        while not question():
            if self.is_over() or time.monotonic() > end:
                return False
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_LOOK_S)
        return True
