"""Writing below a worktree without being led out of it: a repository may hold links of any kind."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


class CannotPlace(Exception):
    """A folder or file of the context cannot be made; the run goes on without it."""


def make_folder(folder: Path, below: Path | None = None) -> Path:
    """The folder, which is no link; with `below`, neither is any folder on the way down from there."""
    way = [folder]
    while below is not None and way[0].parent != below:
        if way[0].parent == way[0]:
            raise CannotPlace(f"{folder} is not below {below}")
        way.insert(0, way[0].parent)
    for step in way:
        if step.is_symlink():
            raise CannotPlace(f"{step} is a link")
        try:
            step.mkdir(exist_ok=True)
        except OSError as failed:
            raise CannotPlace(f"{step}: {failed.strerror}") from failed
    return folder


def write_file(path: Path, text: str) -> None:
    """Whole or not at all; a link in its place is replaced, never followed."""
    new = ""
    try:
        handle, new = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with open(handle, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
        Path(new).replace(path)
    except OSError as failed:
        if new:
            Path(new).unlink(missing_ok=True)
        raise CannotPlace(f"{path}: {os.strerror(failed.errno or 0)}") from failed
