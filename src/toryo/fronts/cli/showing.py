"""Text for people and programs: JSON, aligned tables, colour where a person looks, a line while waiting."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Sequence
    from typing import Any, TextIO

_COLOURS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "dim": "2", "bold": "1"}

STATUS_COLOUR = {
    "done": "green",
    "failed": "red",
    "cancelled": "dim",
    "needs_review": "yellow",
    "blocked": "yellow",
    "running": "cyan",
    "verifying": "cyan",
    "landing": "cyan",
}

PROGRESS_AFTER_S = 1.0


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


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], *, widest: int = 60) -> str:
    """Columns two blanks apart; the last one is never padded. Status words get their colour."""
    cells = [[cut(one_line(_text(cell)), widest) for cell in row] for row in rows]
    lines = [list(heads), *cells] if any(heads) else cells
    if not lines:
        return ""
    widths = [max(width(line[column]) for line in lines) for column in range(len(lines[0]))]
    shown = []
    for line in lines:
        padded = [cell + " " * (room - width(cell)) for cell, room in zip(line, widths, strict=True)]
        shown.append("  ".join([*padded[:-1], line[-1]]).rstrip())
    if any(heads):
        shown[0] = paint(shown[0], "dim")
    return "\n".join(shown)


def facts(pairs: Iterable[tuple[str, object]]) -> str:
    """`name  value` lines; what is empty is left out."""
    kept = [(name, _text(value)) for name, value in pairs if value not in (None, "", [], {})]
    room = max((width(name) for name, _ in kept), default=0)
    return "\n".join(f"{name:<{room}}  {plain(value)}" for name, value in kept)


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(_text(item) for item in value)
    return str(value)


def status_word(status: str) -> str:
    return paint(status, STATUS_COLOUR.get(status, ""))


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


class Progress:
    """One line on stderr that says what is waited for, after a second and only on a terminal."""

    def __init__(self, what: str, stream: TextIO | None = None) -> None:
        self.what = what
        self._stream = stream or sys.stderr
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if self._stream.isatty():
            import threading

            self._ended = threading.Event()
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._ended.set()
            self._thread.join()
            self._thread = None

    def _show(self) -> None:
        import time

        begun = time.monotonic()
        shown = False
        pause = PROGRESS_AFTER_S
        while not self._ended.wait(pause):
            shown, pause = True, 1.0
            self._stream.write(f"\r\033[K{cut(self.what, 66)} {duration(time.monotonic() - begun)}")
            self._stream.flush()
        if shown:
            self._stream.write("\r\033[K")
            self._stream.flush()
