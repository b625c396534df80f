"""Hunks of a unified diff: each with an id of its path and changed lines, so that it is known again. Pure.

Context is no part of the id: a hunk that only moved is the same, one whose lines changed is another.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_HEADER = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_QUOTED = re.compile(r'\\([0-7]{3}|["\\abfnrtv])')
_SIGNS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
LENGTH = 16


@dataclass(frozen=True)
class Hunk:
    id: str
    header: str
    old_start: int
    new_start: int
    lines: tuple[str, ...]
    """With their sign: a space, + or -."""


@dataclass(frozen=True)
class FileChange:
    path: str
    old_path: str = ""
    """Where it was, if it was renamed."""
    kind: str = "changed"
    """added, deleted, renamed or changed."""
    binary: bool = False
    hunks: tuple[Hunk, ...] = ()


def parse(diff: str) -> tuple[FileChange, ...]:
    """Of what git prints; anything before the first file is left out."""
    found = []
    lines = diff.split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("diff --git ")]
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else len(lines)
        found.append(_file(lines[start:end]))
    return tuple(found)


def hunk_id(path: str, lines: Sequence[str]) -> str:
    changed = "\n".join(line for line in lines if line[:1] in ("+", "-"))
    return hashlib.sha256(f"{path}\0{changed}".encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]


def _file(lines: Sequence[str]) -> FileChange:
    kind, old, new, binary = "changed", "", "", False
    body = len(lines)
    for number, line in enumerate(lines[1:], 1):
        if line.startswith("@@ "):
            body = number
            break
        if line.startswith("new file"):
            kind = "added"
        elif line.startswith("deleted file"):
            kind = "deleted"
        elif line.startswith("rename from "):
            kind, old = "renamed", _name(line.removeprefix("rename from "))
        elif line.startswith("rename to "):
            new = _name(line.removeprefix("rename to "))
        elif line.startswith("--- ") and not old:
            old = _side(line[4:])
        elif line.startswith("+++ ") and not new:
            new = _side(line[4:])
        elif line.startswith(("Binary files", "GIT binary patch")):
            binary = True
    path = new or old or _header_path(lines[0])
    hunks = tuple(_numbered(path, _hunks(lines[body:])))
    return FileChange(path, old if kind == "renamed" else "", kind, binary, hunks)


def _hunks(lines: Sequence[str]) -> Iterator[tuple[str, int, int, tuple[str, ...]]]:
    header, old, new = "", 0, 0
    kept: list[str] = []
    for line in lines:
        found = _HEADER.match(line)
        if found:
            if header:
                yield header, old, new, tuple(kept)
            header, old, new, kept = line, int(found[1]), int(found[2]), []
        elif line[:1] in (" ", "+", "-"):
            kept.append(line)
    if header:
        yield header, old, new, tuple(kept)


def _numbered(path: str, found: Iterator[tuple[str, int, int, tuple[str, ...]]]) -> Iterator[Hunk]:
    """The same change twice in a file is two hunks."""
    seen: Counter[str] = Counter()
    for header, old, new, lines in found:
        id = hunk_id(path, lines)
        seen[id] += 1
        yield Hunk(id if seen[id] == 1 else f"{id}-{seen[id]}", header, old, new, lines)


def _side(text: str) -> str:
    name = _name(text.split("\t")[0])
    return "" if name == "/dev/null" else name[2:] if name[:2] in ("a/", "b/") else name


def _name(text: str) -> str:
    """As git quotes what is no plain ASCII."""
    if not (text.startswith('"') and text.endswith('"')):
        return text
    raw = bytearray()
    rest = text[1:-1]
    while rest:
        found = _QUOTED.match(rest)
        if found:
            sign = found[1]
            raw.append(int(sign, 8) if len(sign) == 3 else _SIGNS[sign])
            rest = rest[found.end() :]
        else:
            raw += rest[0].encode("utf-8", "surrogatepass")
            rest = rest[1:]
    return raw.decode("utf-8", "replace")


def _header_path(line: str) -> str:
    """Of a file without a body: an empty one, or one whose mode alone changed."""
    text = line.removeprefix("diff --git ")
    half = text[: len(text) // 2]
    return _side(half.strip())
