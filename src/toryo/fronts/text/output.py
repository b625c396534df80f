"""Text for people and programs: JSON, aligned tables, colour where a person looks, a line while waiting."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, TextIO

_COLOURS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "dim": "2", "bold": "1"}

WORD_COLOUR = {
    "done": "green",
    "failed": "red",
    "cancelled": "dim",
    "needs_review": "yellow",
    "blocked": "yellow",
    "running": "cyan",
    "verifying": "cyan",
    "landing": "cyan",
    "succeeded": "green",
    "passed": "green",
    "timed_out": "red",
    "lost": "red",
    "could_not_run": "red",
    "flaky": "yellow",
    "unknown": "yellow",
    "questioning": "yellow",
    "awaiting_approval": "yellow",
    "paused": "yellow",
    "active": "cyan",
    "completed": "green",
    "disabled": "yellow",
    "archived": "dim",
}
"""Of statuses, outcomes and results."""

PROGRESS_AFTER_S = 1.0
NARROWEST_ELASTIC = 16
NARROWEST = 12
"""Ids and status words are never cut."""
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def print_json(value: Any) -> None:
    """For programs: the answer without the wire's own `success`."""
    import json

    if isinstance(value, dict):
        value = {key: item for key, item in value.items() if key != "success"}
    print(json.dumps(value, indent=2, ensure_ascii=False))


def print_json_line(value: Any) -> None:
    import json

    print(json.dumps(value, ensure_ascii=False), flush=True)


def plain(text: str) -> str:
    """Without control characters: titles, logs and messages are data and must not drive a terminal."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "�" for sign in text)


def one_line(text: str) -> str:
    return plain(" ".join(text.split()))


def width(text: str) -> int:
    """Columns that the text takes on a terminal: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def cut(text: str, columns: int) -> str:
    """At most so many columns, with an ellipsis where something is missing."""
    if width(text) <= columns:
        return text
    kept, used = "", 0
    for sign in text:
        used += width(sign)
        if used > columns - 1:
            break
        kept += sign
    return kept + "…"


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    room: int | None = None,
    elastic: int = -1,
    spare: Sequence[int] = (),
) -> str:
    """Columns two blanks apart, with status words in their colour.

    Where `room` (a terminal's columns) is too narrow, the `elastic` column gives way first; where that is not
    enough, the `spare` ones are left out, the first of them first."""
    room = columns() if room is None else room
    cells = [[one_line(_text(cell)) for cell in row] for row in rows]
    lines = [list(heads), *cells] if any(heads) else cells
    if not lines:
        return ""
    widths = [max(width(line[column]) for line in lines) for column in range(len(lines[0]))]
    elastic %= len(widths)
    shown_columns = _fitting(widths, elastic, room, spare)
    widths = [widths[column] for column in shown_columns]
    _narrow(widths, shown_columns.index(elastic), room)
    shown = [_line([line[column] for column in shown_columns], widths) for line in lines]
    if any(heads):
        shown[0] = paint(shown[0], "dim")
    return "\n".join(shown)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    shown = []
    for cell, room in zip(cells, widths, strict=True):
        fitting = cut(cell, room)
        shown.append(word(fitting) + " " * (room - width(fitting)))
    return "  ".join(shown).rstrip()


def _fitting(widths: Sequence[int], elastic: int, room: int, spare: Sequence[int]) -> list[int]:
    """The columns that are shown."""
    least = [min(wide, NARROWEST_ELASTIC if at == elastic else NARROWEST) for at, wide in enumerate(widths)]
    shown = list(range(len(widths)))
    for column in spare:
        if room <= 0 or sum(least[at] + 2 for at in shown) - 2 <= room:
            break
        shown.remove(column)
    return shown


def _narrow(widths: list[int], elastic: int, room: int) -> None:
    """Take what is too much from the elastic column, and then from the widest of the others."""
    too_much = sum(widths) + 2 * (len(widths) - 1) - room
    if room <= 0 or too_much <= 0:
        return
    given = min(too_much, max(0, widths[elastic] - NARROWEST_ELASTIC))
    widths[elastic] -= given
    for _ in range(too_much - given):
        widest = max(range(len(widths)), key=lambda column: widths[column])
        if widths[widest] <= NARROWEST:
            return
        widths[widest] -= 1


def columns(stream: TextIO | None = None) -> int:
    """Of the terminal that is written to; 0 where there is none, and nothing is cut."""
    try:
        return os.get_terminal_size((stream or sys.stdout).fileno()).columns
    except (OSError, ValueError):
        return 0


def facts(pairs: Iterable[tuple[str, object]]) -> str:
    """`name  value` lines; what is empty is left out, what is long goes on below its beginning."""
    kept = [(name, _text(value)) for name, value in pairs if value not in (None, "", [], {})]
    room = max((width(name) for name, _ in kept), default=0)
    return "\n".join(f"{name:<{room}}  {folded(plain(value), room + 2)}" for name, value in kept)


def folded(text: str, indent: int) -> str:
    """Text that begins at a column, broken between words where a terminal would break it anywhere."""
    room = columns() - indent
    if room < NARROWEST_ELASTIC or width(text) <= room or "\n" in text:
        return text
    import textwrap

    lines = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)
    return ("\n" + " " * indent).join(lines)


def fold_copyable(text: str, room: int, first: int) -> str:
    """Each line broken between words where a terminal would break it anywhere, its first one `first` columns
    later. Commands between backquotes stay whole, and so do lines that are set in: they are to be copied."""
    if room < NARROWEST_ELASTIC:
        return text
    lines, used = [], first
    for line in text.split("\n"):
        lines.append(line if line.startswith(" ") else _fold(line, room, used))
        used = 0
    return "\n".join(lines)


def _fold(line: str, room: int, used: int) -> str:
    out, begun = "", False
    for part in _units(line):
        wide = width(part)
        if begun and used + 1 + wide > room:
            out, used = f"{out}\n{part}", wide
        else:
            out, used = f"{out} {part}" if begun else part, used + wide + begun
        begun = True
    return out


def _units(line: str) -> list[str]:
    """Words, and commands between backquotes as one."""
    units: list[str] = []
    is_open = False
    for word in line.split(" "):
        if is_open:
            units[-1] += f" {word}"
        else:
            units.append(word)
        is_open ^= word.count("`") % 2 == 1
    return units


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(_text(item) for item in value)
    return str(value)


def word(text: str) -> str:
    """A status, an outcome or a result in its colour; any other text as it is."""
    return paint(text, WORD_COLOUR.get(text, ""))


def paint(text: str, colour: str, stream: TextIO | None = None) -> str:
    if not colour or not in_colour(stream or sys.stdout):
        return text
    return f"\033[{_COLOURS[colour]}m{text}\033[0m"


def in_colour(stream: TextIO) -> bool:
    from toryo import settings

    env = settings.environment()
    return stream.isatty() and not env.get("NO_COLOR") and env.get("TERM") != "dumb"


def duration(seconds: float) -> str:
    """3.2 s · 4 min 10 s · 2 h 5 min · 3 d 4 h"""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    whole = int(seconds)
    for size, name, small, small_name in (
        (86400, "d", 3600, "h"),
        (3600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if whole >= size:
            rest = whole % size // small
            return f"{whole // size} {name}" + (f" {rest} {small_name}" if rest else "")
    raise AssertionError(seconds)


def seconds_since(moment: object, now: float) -> float | None:
    at = epoch(moment)
    return None if at is None else max(0.0, now - at)


def seconds_between(start: object, end: object) -> float | None:
    at = epoch(end)
    return None if at is None else seconds_since(start, at)


def epoch(moment: object) -> float | None:
    """Of an ISO moment, in UTC or with git's offset; by hand, for `datetime` would cost 2 ms."""
    text = str(moment or "")
    try:
        year, month, day = int(text[:4]), int(text[5:7]), int(text[8:10])
        text, east_s = _offset(text)
        clock = int(text[11:13]) * 3600 + int(text[14:16]) * 60 + float(text[17:].rstrip("Z")) - east_s
    except ValueError:
        return None
    # days of the civil calendar, with March as the first month so that leap days come last
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719469
    return days * 86400 + clock


def _offset(text: str) -> tuple[str, int]:
    """Without `+09:00` at its end, and how many seconds that is."""
    if text[-6:-5] not in ("+", "-") or text[-3:-2] != ":":
        return text, 0
    seconds = int(text[-5:-3]) * 3600 + int(text[-2:]) * 60
    return text[:-6], seconds if text[-6] == "+" else -seconds


def clock(moment: object) -> str:
    """The time of day where the person is; empty if it is no moment."""
    at = epoch(moment)
    return "" if at is None else time.strftime("%H:%M:%S", time.localtime(at))


def day_and_clock(moment: object) -> str:
    at = epoch(moment)
    return "" if at is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def ago(moment: object, now: float) -> str:
    """How long it is past, in one unit: `4 min`; empty if it has not been."""
    past = seconds_since(moment, now)
    if past is None:
        return ""
    size, name = next((size, name) for size, name in _UNITS if past >= size or size == 1)
    return f"{int(past // size)} {name}"


class Progress:
    """One line on stderr that says what is waited for, after a second and only on a terminal.

    It has no thread: whoever waits calls `tick`, once a second or more often."""

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self.what = what
        self._stream = stream or sys.stderr
        self._begun = time.monotonic()
        self._next = PROGRESS_AFTER_S
        self._shown = False

    def tick(self) -> None:
        past = time.monotonic() - self._begun
        if past >= self._next and self._stream.isatty():
            self._next, self._shown = past + 0.9, True
            self._stream.write(f"\r\033[K{cut(self.what, 66)} {duration(past)}")
            self._stream.flush()

    def clear(self) -> None:
        """Take the line away, for other text to stand there; a later tick shows it again."""
        if self._shown:
            self._shown = False
            self._stream.write("\r\033[K")
            self._stream.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()
