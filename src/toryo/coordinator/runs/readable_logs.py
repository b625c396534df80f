"""Log excerpts for people: whole lines of a run's log, as their client shows them; of codes only colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toryo.workbench.terminals.screen_replay import ScreenText, unfinished, without_codes
from toryo.workbench.terminals.windows import COLUMNS, ROWS

LONGEST_LINE = 8 * 1024 * 1024
"""Bytes: one record of a client may hold a whole file; a longer one is shown in pieces."""
LONGEST_SHOWN = 8000
"""Characters of one line: the answer travels in one line itself; `--raw` has everything."""
LONGEST_REPLAY = 4 * 1024 * 1024
"""Bytes of a screen's log: what was drawn before them has left the screen long ago."""
BLOCK = 256 * 1024
MOST_SOUGHT = 64 * 1024 * 1024
"""Bytes from the end in which its last lines are sought: there may be records of which nothing is shown."""


@dataclass(frozen=True)
class Piece:
    text: str
    next_offset: int
    ended: bool
    """Whether that was the last of it."""
    times: list[list[Any]] = field(default_factory=list)
    """[line of the text, when its record was written], where the client's record says so."""
    said: list[list[Any]] = field(default_factory=list)
    """[line of the text, message]: words that were said to the agent before that line."""


@dataclass(frozen=True)
class Lines:
    """How the lines of one log are shown."""

    shown: Callable[[str], str | None]
    at: Callable[[str], str] = lambda _: ""
    said: Sequence[tuple[int, str]] = ()
    """(bytes that were there when it was said, message)"""
    is_record: bool = True
    """A client's structured output; else a program's own, in which empty lines and half ones are shown."""
    codes: Callable[[str], str] = without_codes
    """What is left of a line's escape codes."""

    def told(self, line: str) -> str | None:
        if not line.strip():
            return None if self.is_record else ""
        found = self.shown(line)
        return None if found is None else "\n".join(_cut(self.codes(one)) for one in found.split("\n"))


def program_lines(said: Sequence[tuple[int, str]] = ()) -> Lines:
    return Lines(lambda line: line, said=said, is_record=False)


def readable(log: Path, offset: int, room: int, ended: bool, how: Lines) -> Piece:
    """`ended`: nothing is written to it any more."""
    with log.open("rb") as file:
        file.seek(offset)
        found = file.read(room)
        if found and not found.endswith(b"\n"):
            found += file.readline(LONGEST_LINE)
        is_last = not file.read(1)
    half = b""
    if is_last and not ended and not found.endswith(b"\n"):
        whole = found.rfind(b"\n") + 1
        found, half = found[:whole], found[whole:]  # its last line is still being written
    text, times, said = _told(found, offset, how, last=is_last and ended)
    begun = "" if how.is_record else _begun(half)
    after = offset + len(found) + len(begun.encode())
    return Piece(text + without_codes(begun), after, ended and is_last, times, said)


def page_before(log: Path, end: int, room: int, how: Lines) -> tuple[int, Piece]:
    """The whole lines that end at `end`, about so many bytes of them, and where they begin."""
    with log.open("rb") as file:
        end = min(end, file.seek(0, 2))
        start = max(0, end - room)
        while True:
            file.seek(start)
            found = file.read(end - start)
            # what stands before the first newline belongs to a line that begins further up
            whole = 0 if start == 0 else found.find(b"\n", 0, -1) + 1
            if start == 0 or whole or len(found) >= LONGEST_LINE:
                break
            start = max(0, start - len(found))
    begin = start + whole
    text, times, said = _told(found[whole:], begin, how, last=False)
    return begin, Piece(text, end, False, times, said)


def _told(found: bytes, offset: int, how: Lines, *, last: bool) -> tuple[str, list[Any], list[Any]]:
    told: list[str] = []
    times: list[list[Any]] = []
    said: list[list[Any]] = []
    at, count = offset, 0
    marks = [mark for mark in how.said if mark[0] >= offset]
    for raw in _split(found):
        while marks and marks[0][0] <= at:
            said.append([count, marks.pop(0)[1]])
        at += len(raw)
        line = raw.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
        shown = how.told(line)
        if shown is None:
            continue
        if moment := how.at(line):
            times.append([count, moment])
        told.append(f"{shown}\n")
        count += shown.count("\n") + 1
    if last:
        said += [[count, message] for _, message in marks]
    return "".join(told), times, said


def _split(found: bytes) -> Iterator[bytes]:
    """At newlines alone: what a program draws over itself by carriage returns is one line."""
    start = 0
    while start < len(found):
        end = found.find(b"\n", start) + 1 or len(found)
        yield found[start:end]
        start = end


def _begun(half: bytes) -> str:
    """What a program has written of its last line; nothing of one that it may still draw over."""
    try:
        text = half.decode("utf-8")
    except UnicodeDecodeError:  # ends within a character
        return ""
    return "" if "\r" in text or "\x1b" in text or unfinished(text) else text


def tail_offset(log: Path, count: int, how: Lines) -> int:
    """Where the last `count` shown lines begin; the file is read from its end, and no further than needed."""
    with log.open("rb") as file:
        end = size = file.seek(0, 2)
        kept, rest = 0, b""
        while end > 0:
            start = max(0, end - BLOCK)
            file.seek(start)
            block = file.read(end - start) + rest
            first = 0 if start == 0 else block.find(b"\n") + 1
            if start and not first and len(block) < LONGEST_LINE:
                end, rest = start, block
                continue
            place = start + len(block)
            for raw in reversed(list(_split(block[first:]))):
                place -= len(raw)
                shown = how.told(raw.decode("utf-8", "replace").rstrip("\n"))
                kept += 0 if shown is None else shown.count("\n") + 1
                if kept >= count:
                    return place
            if size - place > MOST_SOUGHT:
                return place
            end, rest = start, block[:first]
    return 0


def screen_piece(log: Path, offset: int, ended: bool) -> Piece:
    """The text of a screen as it was drawn; from an offset on, the lines that were not there by then.

    A line that only counts on, or whose spinner turns, is the same line."""
    with log.open("rb") as file:
        size = file.seek(0, 2)
        start = max(0, size - LONGEST_REPLAY)
        file.seek(start)
        found = file.read(size - start)
    screen = ScreenText(COLUMNS, ROWS)
    seen = 0 if offset <= start else offset - start
    known: Counter[str] = Counter()
    if seen:
        screen.feed(found[:seen].decode("utf-8", "ignore"))
        known = Counter(_letters(line) for line in screen.lines())
        screen = ScreenText(COLUMNS, ROWS)
    screen.feed(found.decode("utf-8", "replace"))
    told = [f"… {start} bytes before this are left out; `--raw` has them"] if start and not seen else []
    for line in screen.lines():
        if known[_letters(line)] > 0:
            known[_letters(line)] -= 1
        elif line or not seen:
            told.append(line)
    return Piece("".join(f"{line}\n" for line in told), size, ended)


def _letters(line: str) -> str:
    return "".join(filter(str.isalpha, line))


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_SHOWN else line[:LONGEST_SHOWN] + "…"
