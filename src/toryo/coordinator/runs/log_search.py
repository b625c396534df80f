"""Search in a log: the shown lines that hold a text, in pieces of the file, with where each line begins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toryo.coordinator.runs.readable_logs import LONGEST_LINE, Lines

BLOCK = 4 * 1024 * 1024
MOST_SEARCHED = 128 * 1024 * 1024
"""Bytes that one search looks through; the next one goes on from there."""
AROUND = 120
"""Characters that are shown on each side."""


@dataclass(frozen=True)
class Wanted:
    text: str
    any_case: bool = False

    def pattern(self) -> re.Pattern[bytes]:
        """As it may stand in the file: as it is, or within a JSON string."""
        plain = json.dumps(self.text, ensure_ascii=False)[1:-1]
        spelt = {self.text.encode("utf-8", "surrogatepass"), json.dumps(self.text)[1:-1].encode()}
        spelt.add(plain.encode("utf-8", "surrogatepass"))
        flags = re.IGNORECASE if self.any_case else 0
        return re.compile(b"|".join(re.escape(one) for one in sorted(spelt)), flags)

    def excerpt(self, line: str) -> str | None:
        """The text with what stands around it; None: it is not in the line."""
        at = line.casefold().find(self.text.casefold()) if self.any_case else line.find(self.text)
        if at < 0:
            return None
        begin, end = max(0, at - AROUND), at + len(self.text) + AROUND
        return ("…" if begin else "") + line[begin:end] + ("…" if end < len(line) else "")


def matches(
    log: Path, wanted: Wanted, offset: int, most: int, how: Lines
) -> tuple[list[tuple[int, str]], int]:
    """(where its line begins, the text around it), and where to go on: the end once all was looked through.

    A last line that is still being written is looked at again the next time."""
    found: list[tuple[int, str]] = []
    pattern = wanted.pattern()
    at = offset
    for start, block in _blocks(log, offset):
        for begin, end in _lines_with(pattern, block):
            line = block[begin:end].decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
            excerpt = _shown(how, line, wanted)
            if excerpt is not None:
                found.append((start + begin, excerpt))
            if len(found) >= most:
                return found, start + end
        at = start + (len(block) if block.endswith(b"\n") else block.rfind(b"\n") + 1 or len(block))
        if at - offset >= MOST_SEARCHED:
            break
    return found, at


def _shown(how: Lines, line: str, wanted: Wanted) -> str | None:
    told = how.told(line)
    if told is None:
        return None
    return next((one for one in map(wanted.excerpt, told.split("\n")) if one is not None), None)


def _blocks(log: Path, offset: int) -> Iterator[tuple[int, bytes]]:
    """Whole lines."""
    with log.open("rb") as file:
        file.seek(offset)
        while block := file.read(BLOCK):
            if not block.endswith(b"\n"):
                block += file.readline(LONGEST_LINE)
            yield offset, block
            offset += len(block)


def _lines_with(pattern: re.Pattern[bytes], block: bytes) -> Iterator[tuple[int, int]]:
    """Begin and end of each line that may hold it."""
    at = 0
    while (match := pattern.search(block, at)) is not None:
        begin = block.rfind(b"\n", 0, match.start()) + 1
        end = block.find(b"\n", match.end()) + 1 or len(block)
        yield begin, end
        at = end
