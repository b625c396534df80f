"""Scopes: exclude, read and write patterns, in that priority (S4-18, S4-19). Pure.

Patterns read as in .gitignore: without a slash they match at any depth, with one from the root; a
trailing slash or a directory's name takes everything below it. `None` for write means "unknown, allow".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Scope:
    exclude: tuple[str, ...] = ()
    read: tuple[str, ...] = ("**",)
    write: tuple[str, ...] | None = None
    kept_out: tuple[str, ...] = ()
    """Paths that are not in the worktree, and whose change is no breach: it does not land."""
    private: tuple[str, ...] = ()
    """Files written into the worktree for the agent: git there ignores them, and they never land."""

    def is_excluded(self, path: str) -> bool:
        return matches(self.exclude, path)

    def is_left_out(self, path: str) -> bool:
        return path in self.kept_out or self.is_excluded(path)

    def may_read(self, path: str) -> bool:
        return not self.is_excluded(path) and (matches(self.read, path) or self._is_written(path))

    def may_write(self, path: str) -> bool:
        if self.is_excluded(path):
            return False
        return self.write is None or matches(self.write, path)

    def _is_written(self, path: str) -> bool:
        return self.write is not None and matches(self.write, path)


def matches(patterns: Iterable[str], path: str) -> bool:
    return any(_regex(pattern).match(path) for pattern in patterns)


def may_overlap(one: tuple[str, ...] | None, other: tuple[str, ...] | None) -> bool:
    """Whether two write scopes could name the same file. Unset is unknown, and unknown is allowed."""
    if one is None or other is None:
        return False
    return any(_could_meet(a, b) for a in one for b in other)


def is_inside(one: tuple[str, ...] | None, around: tuple[str, ...] | None) -> bool:
    """Whether all that the first may name, the second may, too; in doubt it is not."""
    if around is None:
        return True
    return one is not None and all(any(_is_below(a, b) for b in around) for a in one)


def _is_below(pattern: str, around: str) -> bool:
    if pattern == around or around in ("**", "/**"):
        return True
    if not any(sign in pattern for sign in "*?["):
        return matches((around,), pattern.strip("/"))
    body = around.removesuffix("/**").rstrip("/")
    whole_folder = around != body and "/" in around and not any(sign in body for sign in "*?[")
    return whole_folder and pattern.strip("/").startswith(f"{body.strip('/')}/")


def _could_meet(a: str, b: str) -> bool:
    """Two patterns part only where their literal beginnings differ; whatever else is allowed to meet.

    Two different file names at any depth do not: a name with an ending is no folder's."""
    if _is_file_name(a) and _is_file_name(b):
        return a == b
    left, right = _literal_head(a), _literal_head(b)
    return all(x == y for x, y in zip(left, right, strict=False))


def _is_file_name(pattern: str) -> bool:
    return "/" not in pattern and "." in pattern[1:] and not any(sign in pattern for sign in "*?[")


def _literal_head(pattern: str) -> list[str]:
    """The leading parts without wildcards: `src/a/*.py` → [src, a]; none if it matches at any depth."""
    if "/" not in pattern.rstrip("/"):
        return []
    parts = [part for part in pattern.split("/") if part]
    return list(itertools.takewhile(lambda part: not any(sign in part for sign in "*?["), parts))


@lru_cache(maxsize=4096)
def _regex(pattern: str) -> re.Pattern[str]:
    body = pattern.rstrip("/")
    anchored = "/" in body
    body = body.lstrip("/")
    parts = body.split("/") if body else ["**"]
    text = "" if anchored else "(?:.*/)?"
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "**":
            text += ".*" if last else "(?:.*/)?"
            continue
        text += _part(part) + ("" if last else "/")
    is_folder = pattern.endswith("/")
    if parts[-1] == "**":
        below = ".+/.+" if is_folder and body else ""
    else:
        below = "/.+" if is_folder else "(?:/.*)?"
    return re.compile(f"^{text}{below}$", re.DOTALL)


def _part(part: str) -> str:
    out = ""
    index = 0
    while index < len(part):
        sign = part[index]
        if sign == "*":
            out += "[^/]*"
        elif sign == "?":
            out += "[^/]"
        elif sign == "[" and (end := part.find("]", index + 2)) > 0:
            inner = part[index + 1 : end].replace("\\", "\\\\")
            out += "[" + ("^" + inner[1:] if inner[0] in "!^" else inner) + "]"
            index = end
        else:
            out += re.escape(sign)
        index += 1
    return out


def problem_of(pattern: str) -> str:
    """Why a pattern can never mean anything inside a repository; empty if it can."""
    if not pattern.strip():
        return "an empty pattern matches nothing"
    if pattern.startswith("/") and len(pattern) > 1 and "/" in pattern[1:].rstrip("/"):
        return f"{pattern!r} looks like an absolute path: patterns begin at the repository's root"
    if pattern.startswith("~/"):
        return f"{pattern!r} is in a home: patterns begin at the repository's root"
    if ".." in pattern.split("/"):
        return f"{pattern!r} leaves the repository"
    return ""
