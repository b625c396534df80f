"""A piece of an agent CLI's log as a person reads it: whole lines, each as its client shows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

LONGEST_LINE = 8 * 1024 * 1024
"""Bytes: one record of a client may hold a whole file; a longer one is shown in pieces."""
LONGEST_SHOWN = 8000
"""Characters of one line: the answer travels in one line itself; `--raw` has everything."""


def readable(
    log: Path, offset: int, room: int, ended: bool, shown: Callable[[str], str | None]
) -> tuple[str, int, bool]:
    """(text, next offset, whether that was the last of it). `ended`: nothing is written to it any more."""
    with log.open("rb") as file:
        file.seek(offset)
        found = file.read(room)
        if found and not found.endswith(b"\n"):
            found += file.readline(LONGEST_LINE)
        is_last = not file.read(1)
    if is_last and not ended and not found.endswith(b"\n"):
        found = found[: found.rfind(b"\n") + 1]  # its last line is still being written
    lines = found.decode("utf-8", "replace").split("\n")
    told = [shown(line) for line in lines if line.strip()]
    text = "".join(f"{_cut(one)}\n" for one in told if one is not None)
    return text, offset + len(found), ended and is_last


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_SHOWN else line[:LONGEST_SHOWN] + "…"
