"""Ignored files in snapshots: which are taken, and which of the others need care."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from toryo.workbench.git.door.git import Git

LARGEST_SNAPSHOT = 200_000_000
LARGEST_IGNORED = 1_000_000
MOST_IGNORED = 2_000

_REBUILT = frozenset(
    (
        ".aiagent",
        ".build",
        ".bundle",
        ".cache",
        ".dart_tool",
        ".eggs",
        ".git",
        ".gradle",
        ".hypothesis",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".next",
        ".nox",
        ".nuxt",
        ".nyc_output",
        ".output",
        ".parcel-cache",
        ".pnpm-store",
        ".pytest_cache",
        ".ruff_cache",
        ".svelte-kit",
        ".terraform",
        ".tox",
        ".turbo",
        ".venv",
        ".worktrees",
        ".yarn",
        "DerivedData",
        "Pods",
        "__pycache__",
        "_build",
        "bin",
        "bower_components",
        "build",
        "coverage",
        "dist",
        "elm-stuff",
        "htmlcov",
        "jspm_packages",
        "node_modules",
        "obj",
        "out",
        "site-packages",
        "target",
        "vendor",
        "venv",
        "virtualenv",
    )
)
"""Dependencies and build output, by the names that tools give them: not kept."""
_SIGNS = ("CACHEDIR.TAG", "pyvenv.cfg")
"""A directory with one of these says of itself that it can be made again."""


def ignored_texts(top: Path, ignored: Iterable[str]) -> list[str]:
    """The ignored text files under 1 MB that no tool would make again, of what git status named."""
    found: list[str] = []
    for name in ignored:
        if any(part in _REBUILT for part in name.rstrip("/").split("/")):
            continue
        for path in _files(top, name):
            if _is_small_text(top / path):
                found.append(path)
                if len(found) == MOST_IGNORED:
                    return found
    return found


def total_size(top: Path, paths: Iterable[str]) -> int:
    size = 0
    for path in paths:
        try:
            size += (top / path).lstat().st_size
        except OSError:
            continue  # deleted: nothing to keep
    return size


def size_below(folder: Path) -> int:
    """Bytes of all files below."""
    return sum(total_size(Path(place), names) for place, _, names in os.walk(folder))


def repositories(top: Path, ignored: Iterable[str]) -> list[str]:
    """The repositories in ignored directories that no tool would make again; only the outermost."""
    found: list[str] = []
    for name in ignored:
        if not name.endswith("/") or any(part in _REBUILT for part in name.rstrip("/").split("/")):
            continue
        for place, folders, names in os.walk(top / name):
            if ".git" in folders or ".git" in names:
                found.append(os.path.relpath(place, top))
                folders.clear()
            elif any(sign in names for sign in _SIGNS):
                folders.clear()
            folders[:] = sorted(folder for folder in folders if folder not in _REBUILT)
    return found


def lfs_paths(git: Git, paths: Iterable[str]) -> tuple[str, ...]:
    """Those whose content git would hand to Git LFS."""
    names = "\0".join(paths)
    if not names:
        return ()
    text = git.do("check-attr", "-z", "--stdin", "filter", stdin=names.encode("utf-8", "surrogateescape"))
    fields = text.split("\0")
    return tuple(path for path, value in zip(fields[::3], fields[2::3], strict=False) if value == "lfs")


def with_crlf(top: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """Files whose line ends git might make others of (`core.autocrlf`, `text` and `eol` attributes)."""
    return tuple(path for path in paths if _has_crlf(top / path))


def _has_crlf(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode) and b"\r\n" in path.read_bytes()
    except OSError:
        return False


def _files(top: Path, name: str) -> Iterator[str]:
    if not name.endswith("/"):
        yield name
        return
    for place, folders, names in os.walk(top / name):
        if ".git" in folders or any(sign in names for sign in (".git", *_SIGNS)):
            folders.clear()
            continue
        folders[:] = sorted(folder for folder in folders if folder not in _REBUILT)
        yield from (os.path.relpath(Path(place) / file, top) for file in sorted(names))


def _is_small_text(path: Path) -> bool:
    try:
        seen = path.lstat()
        if not stat.S_ISREG(seen.st_mode) or seen.st_size >= LARGEST_IGNORED:
            return False
        with open(path, "rb") as file:
            return b"\0" not in file.read(8192)
    except OSError:
        return False
