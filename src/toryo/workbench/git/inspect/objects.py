"""A file's content and a folder's entries at a commit, read from git's objects."""

from __future__ import annotations

from dataclasses import dataclass

from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git

LARGEST = 16 * 1024 * 1024
"""Bytes of a file that is shown."""
_KINDS = {"040000": "folder", "120000": "link", "160000": "repository"}


@dataclass(frozen=True)
class Entry:
    name: str
    kind: str
    """file, folder, link or repository."""
    size: int | None
    executable: bool


def content(git: Git, commit: str, path: str) -> bytes | None:
    """None: there is no such file. Of a file larger than the limit no more than says so."""
    sized = git.run("cat-file", "-s", f"{commit}:{path}")
    if sized.code != 0 or git.do("cat-file", "-t", f"{commit}:{path}") != "blob":
        return None
    if int(sized.text) > LARGEST:
        return bytes(LARGEST + 1)
    return git.run("cat-file", "blob", f"{commit}:{path}").out


def entries(git: Git, commit: str, path: str) -> list[Entry] | None:
    """In git's order; None: there is no such folder."""
    done = git.run("ls-tree", "-z", "--long", f"{commit}:{path}")
    if done.code != 0:
        return None
    return [_entry(line) for line in done.out.decode("utf-8", "surrogateescape").split("\0") if line]


def _entry(line: str) -> Entry:
    about, _, name = line.partition("\t")
    mode, _, _, size = about.split()
    kind = _KINDS.get(mode, "file")
    return Entry(layout.shown(name), kind, int(size) if size.isdigit() else None, mode == "100755")
