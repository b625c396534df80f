"""Settings files: the text files under `.toryo/`, of a commit or on disk. What cannot be read is a refusal
where it decides.

To leave such a file out would turn every check off without a word; notes and memory decide nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.door.refusals import Refusal

FOLDER = ".toryo"
CONFIG = "config.yaml"
LARGEST_SETTING = 256_000
MOST_SETTINGS = 700_000
"""Bytes of all files together as JSON: they travel in one line."""

_RANKS = (CONFIG, "agents/", "prompts/", "")
_HINT = "Save it as UTF-8 text of at most 256 kB, a plain file."
_FOLDER_HINT = f"Toryo keeps its settings in a folder of that name: move {FOLDER} away, then try again."


def committed(git: Git, entries: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """From (mode, object, path) of a commit's files; the names are relative to the folder."""
    files: dict[str, str] = {}
    for mode, thing, path in entries:
        if path == FOLDER:
            raise _refusal("", "is not a folder" if mode.startswith("100") else "is a link")
        if not path.startswith(f"{FOLDER}/"):
            continue
        name = layout.shown(path).removeprefix(f"{FOLDER}/")
        if not mode.startswith("100"):
            _leave_out(name, "is a link" if mode == "120000" else "is a repository of its own")
        elif int(git.do("cat-file", "-s", thing)) > LARGEST_SETTING:
            _leave_out(name, "is larger than 256 kB")
        else:
            _take(files, name, git.run("cat-file", "blob", thing).out)
    return _bounded(files)


def on_disk(folder: Path) -> dict[str, str]:
    files: dict[str, str] = {}
    if folder.is_symlink():
        raise _refusal("", "is a link")
    if folder.exists() and not folder.is_dir():
        raise _refusal("", "is not a folder")
    for place, folders, names in os.walk(folder):
        for entry in (*folders, *names):
            path = Path(place) / entry
            name = layout.shown(path.relative_to(folder).as_posix())
            if path.is_symlink():
                _leave_out(name, "is a link")
            elif path.is_dir():
                if name == CONFIG:
                    raise _refusal(name, "is a folder")
            elif not path.is_file():
                _leave_out(name, "is not a plain file")
            else:
                _read(files, name, path)
    return _bounded(files)


def digest(files: dict[str, str]) -> str:
    return hashlib.sha256("".join(f"{name}\0{text}\0" for name, text in files.items()).encode()).hexdigest()


def _read(files: dict[str, str], name: str, path: Path) -> None:
    try:
        if path.stat().st_size > LARGEST_SETTING:
            _leave_out(name, "is larger than 256 kB")
        else:
            _take(files, name, path.read_bytes())
    except OSError as unreadable:
        _leave_out(name, f"cannot be read ({unreadable.strerror})")


def _take(files: dict[str, str], name: str, content: bytes) -> None:
    if name.startswith(f"{CONFIG}/"):
        raise _refusal(CONFIG, "is a folder")
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        _leave_out(name, "is not UTF-8 text")
    else:
        files[name] = text


def _leave_out(name: str, why: str) -> None:
    if _decides(name):
        raise _refusal(name, why)


def _decides(name: str) -> bool:
    if name in (CONFIG, "agents", "prompts"):
        return True
    if name.rpartition("/")[2].startswith("."):
        return False  # what a desktop or an editor leaves there
    return name.startswith("prompts/") or (name.startswith("agents/") and name.endswith((".yaml", ".yml")))


def _bounded(files: dict[str, str]) -> dict[str, str]:
    """What matters most first: the settings themselves, agents and their prompts, then memory by name."""
    ranked = sorted(
        files, key=lambda name: (next(i for i, head in enumerate(_RANKS) if name.startswith(head)), name)
    )
    kept: dict[str, str] = {}
    room = MOST_SETTINGS
    for name in ranked:
        taken = len(json.dumps({name: files[name]}, ensure_ascii=False).encode("utf-8", "replace"))
        if taken <= room:
            room -= taken
            kept[name] = files[name]
        else:
            _leave_out(name, f"does not fit: all settings together may have {MOST_SETTINGS // 1000} kB")
    return dict(sorted(kept.items()))


def _refusal(name: str, why: str) -> Refusal:
    where = f"{FOLDER}/{name}" if name else FOLDER
    return Refusal("settings_unreadable", f"{where} {why}.", _HINT if name else _FOLDER_HINT)
