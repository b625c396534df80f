"""What a screen says: whether words arrived on it, were taken, or the marker of the end was printed.

Pure: screens in, answers out. A screen is compared by its letters and digits only: programs draw frames
around words, break lines where they like, and no two of them alike.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from unicodedata import east_asian_width

from toryo.workbench.terminals.marker import MARKER

_TAIL = 32
_CONTEXT = 24
_PLACEHOLDER = re.compile(r"\[\s*pasted\b", re.IGNORECASE)
"""Large pastes are shown as `[Pasted text #1 +200 lines]`, `[Pasted Content 20000 chars]` …"""
_BUSY = re.compile(r"\besc\b.{0,16}\b(?:interrupt|cancel|stop)", re.IGNORECASE)
_GAPS = re.compile(r"(?<=\s{3})(?=\S)")
_NEAR = 3
"""Lines around the marker in which a sidebar is looked for."""
_CONTROLS = {point: None for point in (*range(0x20), *range(0x7F, 0xA0)) if chr(point) not in "\n\t"}
_AWAY = 2
"""Rows that words move up when they are taken; a key that only made a new line moves them by one."""


def clean(text: str) -> str:
    """Safe to type: no control character but newline and tab, so nothing in it can end the paste."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROLS)


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def is_ready(screen: str, texts: tuple[str, ...]) -> bool:
    """Whether one of the texts is there; with none given, anything at all."""
    seen = letters(screen)
    if not texts:
        return bool(seen)
    return any(text in screen or (letters(text) or "\0") in seen for text in texts)


def tail(text: str) -> str:
    """The end of the words, by which they are known on the screen; empty: there is no letter in them."""
    return letters(text[-20 * _TAIL :])[-_TAIL:]


@dataclass(frozen=True)
class ScreenReading:
    """One look at a screen, with an eye on words that end in `tail`."""

    screen: str
    tail: str

    @cached_property
    def _rows(self) -> list[str]:
        return [letters(row) for row in self.screen.rstrip().split("\n")]

    @cached_property
    def count(self) -> int:
        """How often the words, or what stands for a paste, are there."""
        words = "".join(self._rows).count(self.tail) if self.tail else 0
        return words + len(_PLACEHOLDER.findall(self.screen))

    @cached_property
    def below(self) -> int | None:
        """Rows under the last place where the words are; None: they are nowhere."""
        places = [number for number, row in enumerate(self.screen.split("\n")) if _PLACEHOLDER.search(row)]
        end = "".join(self._rows).rfind(self.tail) + len(self.tail) if self.tail else 0
        if end >= len(self.tail) > 0:
            passed = 0
            for number, row in enumerate(self._rows):
                passed += len(row)
                if passed >= end:
                    places.append(number)
                    break
        return len(self._rows) - 1 - max(places) if places else None

    @property
    def is_busy(self) -> bool:
        return _BUSY.search(self.screen) is not None

    def arrived(self, before: ScreenReading) -> bool:
        """Whether the words came onto the screen since then."""
        if not self.tail:
            return self.screen != before.screen
        return self.count > before.count

    def taken(self, before: ScreenReading) -> bool:
        """Whether the words left the place where they were written, since then."""
        if self.is_busy and not before.is_busy:
            return True
        if before.below is None:
            return self.screen != before.screen
        return self.is_away_from(before.below)

    def is_away_from(self, below: int) -> bool:
        """Whether the words are no longer where so many rows were under them."""
        return self.below is None or self.below >= below + _AWAY


def marker_printed(screen: str, prompt: str) -> bool:
    """Whether the marker stands in a line of its own that is not a copy of the prompt's (S3-57)."""
    lines = [_cells(line) for line in screen.split("\n")]
    word, known = letters(MARKER), _contexts(letters(prompt), letters(MARKER))
    return any(
        text == word and not _is_copy(lines, number, column, known)
        for number, cells in enumerate(lines)
        for column, text in cells
    )


def _cells(line: str) -> list[tuple[int, str]]:
    """The letters of a line by column: a sidebar begins after a wide gap, and is no part of the sentence."""
    found, column = [], 0
    for piece in _GAPS.split(line):
        found.append((column, letters(piece)))
        column += sum(2 if east_asian_width(sign) in "WF" else 1 for sign in piece)
    return [(column, text) for column, text in found if text]


def _is_copy(
    lines: list[list[tuple[int, str]]], number: int, column: int, known: list[tuple[str, str]]
) -> bool:
    """With all that is beside it, and without each of the columns that may be a sidebar."""
    near = lines[max(0, number - _NEAR) : number + _NEAR + 1]
    edges = {start for cells in near for start, _ in cells if start > column}
    for edge in (*edges, math.inf):
        rows = ["".join(text for start, text in cells if start < edge) for cells in lines]
        place = len("".join(rows[:number])) + sum(
            len(text) for start, text in lines[number] if start < column
        )
        if _is_echo("".join(rows), place, letters(MARKER), known):
            return True
    return False


def _contexts(text: str, word: str) -> list[tuple[str, str]]:
    found, start = [], text.find(word)
    while start >= 0:
        found.append(_around(text, start, word))
        start = text.find(word, start + 1)
    return found


def _around(text: str, start: int, word: str) -> tuple[str, str]:
    end = start + len(word)
    return text[max(0, start - _CONTEXT) : start], text[end : end + _CONTEXT]


def _is_echo(whole: str, place: int, word: str, known: list[tuple[str, str]]) -> bool:
    """On one side of it stands what stands there in the prompt; where the prompt has nothing, neither side
    can tell, and it counts as a copy."""
    left, right = _around(whole, place, word)
    for before, after in known:
        if not before and not after:
            return True
        if (before and left.endswith(before)) or (after and right.startswith(after)):
            return True
    return False
