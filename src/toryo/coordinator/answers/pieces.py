"""Pieces of a text as an answer carries them: bounded, cut between characters, with where the next begins."""

from __future__ import annotations

from pathlib import Path

from toryo.protocol.asks import LARGEST, AskAnswer
from toryo.protocol.base import Problem


def room(limit: int) -> int:
    return max(1, min(limit, LARGEST))


def piece(found: bytes, offset: int, limit: int, size: int, *, ended: bool) -> AskAnswer:
    """As much of what begins at `offset` as was asked for. `ended`: nothing is written to it any more."""
    part = found[: room(limit)]
    is_last = offset + len(part) >= size
    if not (is_last and ended):
        part = part[: boundary(part)]
    return AskAnswer(
        text=part.decode("utf-8", "replace"),
        start=offset,
        next_offset=offset + len(part),
        size=size,
        ended=ended and is_last,
    )


def piece_of_file(path: Path, offset: int, limit: int, *, ended: bool) -> AskAnswer:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        offset = min(offset, size)  # no file system seeks as far as a number may name
        file.seek(offset)
        return piece(file.read(room(limit)), offset, limit, size, ended=ended)


def boundary(part: bytes) -> int:
    """Where the last whole character ends; a character has at most four bytes."""
    for back in range(1, min(4, len(part)) + 1):
        lead = part[-back]
        if lead < 0x80:
            break
        if lead >= 0xC0:
            length = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            return len(part) if length <= back else len(part) - back
    return len(part)


def not_here(message: str, hint: str) -> AskAnswer:
    return AskAnswer(problem=Problem(code="not_here", message=message, hint=hint), ended=True)
