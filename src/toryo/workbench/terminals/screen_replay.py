"""What a program drew on a terminal, as text: its output is replayed on a screen that nobody looks at.

Pure. Lines that left the screen at its top come first, then what stands on it. Which part of a log is
replayed is left to the caller; what the text means, too.
"""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

_PIECES = re.compile(
    r"\x1b\[(?P<args>[0-?]*)[ -/]*(?P<final>[@-~])"
    r"|\x1b[\]PX^_].*?(?:\x1b\\|\x07|\x9c)"
    r"|\x1b[ -/]+[0-~]"
    r"|\x1b(?P<escape>[0-~])"
    r"|(?P<text>[^\x00-\x1f\x7f-\x9f]+)"
    r"|(?P<control>[\x00-\x1a\x1c-\x1f\x7f-\x9f])",
    re.DOTALL,
)
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_].*?(?:\x1b\\|\x07|\x9c)|[ -/]*[0-~])", re.DOTALL)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x9c\x1b]{0,4096}\x1b?|[ -/]*)\Z")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CONTROLS_BUT_ESC = re.compile(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]|\x1b(?!\[)")
_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_TAB = 8
_ALTERNATE = {"47", "1047", "1049"}


def without_codes(line: str) -> str:
    """One line of a program that prints colours, or draws a bar over itself: as it stood there at its end."""
    if line.isprintable():
        return line
    found = _ESCAPES.sub("", line).rstrip("\r")
    return _CONTROLS.sub("", found[found.rfind("\r") + 1 :])


def with_colours(line: str) -> str:
    """The same, with the escape codes that colour it and none else."""
    if line.isprintable():
        return line
    found = _ESCAPES.sub(lambda code: code[0] if _COLOUR.fullmatch(code[0]) else "", line).rstrip("\r")
    return _CONTROLS_BUT_ESC.sub("", found[found.rfind("\r") + 1 :])


def unfinished(text: str) -> int:
    """How many characters at the end begin an escape sequence that is not whole yet."""
    found = _UNFINISHED.search(text)
    return len(text) - found.start() if found else 0


class ScreenText:
    """A screen of `columns` × `rows`; what scrolls off it is kept."""

    def __init__(self, columns: int, rows: int) -> None:
        self._columns, self._rows = columns, rows
        self._settled: list[str] = []
        self._main: tuple[list[list[str]], int, int] | None = None
        self._x, self._y = 0, 0
        self._reset()

    def lines(self) -> list[str]:
        """All of it, without the empty rows at the end."""
        shown = [
            *self._settled,
            *(_line(row) for row in (self._main[0] if self._main else ())),
            *self._screen(),
        ]
        while shown and not shown[-1]:
            shown.pop()
        return shown

    def feed(self, text: str) -> None:
        for piece in _PIECES.finditer(text):
            match piece.lastgroup:
                case "text":
                    self._print(piece["text"])
                case "final":
                    self._command(piece["args"], piece["final"])
                case "control":
                    self._control(piece["control"])
                case "escape":
                    self._escape(piece["escape"])

    # ── drawing ───────────────────────────────────────────────────────────────────────────────────────

    def _print(self, text: str) -> None:
        if text.isascii():
            while text:
                if self._x >= self._columns:
                    self._x = 0
                    self._down()
                part, text = text[: self._columns - self._x], text[self._columns - self._x :]
                self._row()[self._x : self._x + len(part)] = part
                self._x += len(part)
            return
        for sign in text:
            if combining(sign):
                continue
            wide = 2 if east_asian_width(sign) in "WF" else 1
            if self._x + wide > self._columns:
                self._x = 0
                self._down()
            self._row()[self._x : self._x + wide] = [sign] if wide == 1 else [sign, ""]
            self._x += wide

    def _row(self) -> list[str]:
        """The row of the cursor, as long as its column needs."""
        row = self._cells[self._y]
        if len(row) < self._x:
            row.extend(" " * (self._x - len(row)))
        return row

    def _control(self, sign: str) -> None:
        if sign == "\r":
            self._x = 0
        elif sign in "\n\x0b\x0c\x85":
            self._down()
        elif sign == "\b":
            self._x = max(0, min(self._x, self._columns) - 1)
        elif sign == "\t":
            self._x = min(self._columns - 1, (self._x // _TAB + 1) * _TAB)

    def _escape(self, sign: str) -> None:
        if sign == "7":
            self._saved = (self._x, self._y)
        elif sign == "8":
            self._x, self._y = self._saved
        elif sign == "D":
            self._down()
        elif sign == "E":
            self._x = 0
            self._down()
        elif sign == "M":
            self._up()
        elif sign == "c":
            self._keep_screen()
            self._reset()

    def _command(self, args: str, final: str) -> None:
        if args[:1] in ("?", "<", "=", ">"):
            if args[0] == "?" and final in "hl" and _ALTERNATE & set(args[1:].split(";")):
                self._alternate(on=final == "h")
            return
        numbers = [int(part) if part.isdecimal() else 0 for part in args.replace(":", ";").split(";")]
        n = min(max(1, numbers[0]), 9999)
        if final in "ABCDEFGHdf`ae":
            self._move(final, n, numbers)
        elif final in "JKX@PLMST":
            self._erase(final, numbers[0], n)
        elif final == "r":
            bottom = numbers[1] if len(numbers) > 1 and numbers[1] else self._rows
            self._top, self._bottom = min(n, self._rows) - 1, min(bottom, self._rows) - 1
            self._x = self._y = 0
        elif final == "s":
            self._saved = (self._x, self._y)
        elif final == "u":
            self._x, self._y = self._saved
        elif final == "b" and 0 < self._x <= len(self._cells[self._y]):
            self._print(self._cells[self._y][self._x - 1] * min(n, self._columns))

    def _move(self, final: str, n: int, numbers: list[int]) -> None:
        x, y = min(self._x, self._columns - 1), self._y
        if final in "AF":
            y -= n
        elif final in "BEe":
            y += n
        elif final in "Ca":
            x += n
        elif final == "D":
            x -= n
        elif final in "G`":
            x = n - 1
        elif final == "d":
            y = n - 1
        else:
            y, x = n - 1, max(1, numbers[1] if len(numbers) > 1 else 1) - 1
        if final in "EF":
            x = 0
        self._x, self._y = max(0, min(x, self._columns - 1)), max(0, min(y, self._rows - 1))

    def _erase(self, final: str, how: int, n: int) -> None:
        row, x = self._row(), self._x
        if final == "K":
            self._erase_line(how)
        elif final == "J":
            self._erase_screen(how)
        elif final == "X":
            row[x : x + n] = " " * min(n, self._columns - x)
        elif final == "@":
            row[x:x] = " " * n
            del row[self._columns :]
        elif final == "P":
            del row[x : x + n]
        elif final in "LM" and self._top <= self._y <= self._bottom:
            for _ in range(min(n, self._rows)):
                self._shift(self._y, down=final == "L")
        elif final in "ST":
            for _ in range(min(n, self._rows)):
                self._scroll() if final == "S" else self._shift(self._top, down=True)

    def _erase_line(self, how: int) -> None:
        row = self._row()
        if how == 0:
            del row[self._x :]
        elif how == 1:
            row[: self._x + 1] = " " * min(self._x + 1, self._columns)
        else:
            row.clear()

    def _erase_screen(self, how: int) -> None:
        if how == 3:
            if self._main is None:
                self._settled.clear()
        elif how == 2:
            self._cells = self._blank()
        elif how == 1:
            self._cells[: self._y] = [[] for _ in range(self._y)]
            self._erase_line(1)
        else:
            self._erase_line(0)
            self._cells[self._y + 1 :] = [[] for _ in range(self._rows - self._y - 1)]

    # ── scrolling ─────────────────────────────────────────────────────────────────────────────────────

    def _down(self) -> None:
        if self._y == self._bottom:
            self._scroll()
        elif self._y < self._rows - 1:
            self._y += 1

    def _up(self) -> None:
        if self._y == self._top:
            self._shift(self._top, down=True)
        elif self._y > 0:
            self._y -= 1

    def _scroll(self) -> None:
        # on the alternate screen, and below a header that stays, nothing leaves for the history
        if self._top == 0 and self._main is None:
            self._settled.append(_line(self._cells[0]))
        self._shift(self._top, down=False)

    def _shift(self, first: int, *, down: bool) -> None:
        if down:
            del self._cells[self._bottom]
            self._cells.insert(first, [])
        else:
            del self._cells[first]
            self._cells.insert(self._bottom, [])

    def _alternate(self, *, on: bool) -> None:
        if on and self._main is None:
            self._main = (self._cells, self._x, self._y)
            self._cells = self._blank()
            self._top, self._bottom = 0, self._rows - 1
        elif not on and self._main is not None:
            last, main = self._screen(), self._main
            self._main = None
            self._cells, self._x, self._y = main
            self._top, self._bottom = 0, self._rows - 1
            self._leave_behind(last)

    def _leave_behind(self, last: list[str]) -> None:
        """The last look of a full-screen program is what there is to read of it: kept above what follows."""
        self._keep_screen()
        self._cells, self._x, self._y = self._blank(), 0, 0
        self._settled += last

    def _keep_screen(self) -> None:
        self._settled += self._screen()

    def _screen(self) -> list[str]:
        shown = [_line(row) for row in self._cells]
        while shown and not shown[-1]:
            shown.pop()
        return shown

    def _blank(self) -> list[list[str]]:
        return [[] for _ in range(self._rows)]

    def _reset(self) -> None:
        self._cells = self._blank()
        self._x = self._y = self._top = 0
        self._bottom = self._rows - 1
        self._saved = (0, 0)


def _line(row: list[str]) -> str:
    return "".join(row).rstrip()
