"""Hunks of a unified diff: each with an id of its path and changed lines, so that it is known again. Pure.

Context is no part of the id: a hunk that only moved is the same, one whose lines changed is another.
A change without lines (a rename, a binary file, a mode) is one hunk, with an id of its blobs and modes.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

_HEADER = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_QUOTED = re.compile(r'\\([0-7]{3}|["\\abfnrtv])')
_SIGNS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
LENGTH = 16
MOVED = ("renamed", "copied")


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
    """added, deleted, renamed, copied or changed."""
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
    body = next((at for at, line in enumerate(lines) if line.startswith("@@ ")), len(lines))
    kind, old, new, binary = "changed", "", "", False
    modes: list[str] = []
    blobs: list[str] = []
    for line in lines[1:body]:
        word, _, rest = line.partition(" ")
        if word == "index":
            blobs.append(rest)
        elif line.startswith(("old mode ", "new mode ")):
            modes.append(line.rpartition(" ")[2])
        elif line.startswith(("new file", "deleted file")):
            kind = "added" if word == "new" else "deleted"
            blobs.append(line)
        elif line.startswith(("rename from ", "copy from ")):
            kind, old = ("renamed" if word == "rename" else "copied"), _name(rest.removeprefix("from "))
        elif line.startswith(("rename to ", "copy to ")):
            new = _name(rest.removeprefix("to "))
        elif word == "---" and not old:
            old = _side(rest)
        elif word == "+++" and not new:
            new = _side(rest)
        elif line.startswith(("Binary files", "GIT binary patch")):
            binary = True
    change = FileChange(new or old or _header_path(lines[0]), old if kind in MOVED else "", kind, binary)
    found = list(_numbered(change.path, _hunks(lines[body:])))
    if modes or not found:
        found.insert(0, _without_lines(change, modes, blobs, alone=not found))
    return replace(change, hunks=tuple(found))


def _without_lines(one: FileChange, modes: Sequence[str], blobs: Sequence[str], *, alone: bool) -> Hunk:
    """What of a file's change no line shows. Beside lines it is its mode alone, whatever the lines are."""
    told = [f"mode {' → '.join(modes)}"] if modes else []
    parts = [one.path, *modes]
    if alone:
        parts = [one.path, one.kind, one.old_path, *modes, *blobs]
        told = [*([f"{one.kind} from {one.old_path}"] if one.old_path else []), *told]
        told += ["binary, not shown"] if one.binary else []
    id = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]
    return Hunk(id, ", ".join(told) or f"{one.kind}, no lines", 0, 0, ())


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
