"""Settings files that `init` wrote, noted in the git directory: unchanged, they go with the project.

A file that is tracked, changed or joined by another one is the user's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from toryo.files import write_whole
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git

FOLDER = ".toryo"
NOTE = "written.json"
"""Name → hash, in the folder of ours."""


def note(root: Path, common: Path, names: Iterable[str]) -> None:
    """They were written a moment ago."""
    found = _files(root)
    known = {name: found[name] for name in names if name in found}
    if known:
        write_whole(common / "toryo" / NOTE, json.dumps(known, sort_keys=True).encode())


def untouched(root: Path, common: Path) -> tuple[str, ...]:
    """The files of the folder, if they are those that were written, as they were; else none."""
    text = layout.read(common / "toryo" / NOTE)
    try:
        known = json.loads(text) if text else {}
    except ValueError:
        return ()
    if not known or _files(root) != known or Git(root).do("ls-files", "--", FOLDER):
        return ()
    return tuple(sorted(known))


def _files(root: Path) -> dict[str, str]:
    folder = root / FOLDER
    if folder.is_symlink():
        return {}
    return {
        path.relative_to(root).as_posix(): "" if path.is_symlink() else _hash(path)
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
