"""Kept paths: files of a merged tree that stay as a target's tip has them, whatever a branch made of them."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toryo.workbench.git.door.git import Git

Entry = tuple[str, str]
"""Mode and blob."""


@dataclass(frozen=True)
class Kept:
    tree: str
    changed: tuple[str, ...] = ()
    """Paths that were set back."""


def keep(git: Git, tree: str, tip: str, paths: Sequence[str]) -> Kept:
    """The tree with these paths as the tip has them: there as they were, or not at all."""
    if not paths:
        return Kept(tree)
    found, wanted = entries(git, tree, paths), entries(git, tip, paths)
    changed = tuple(path for path in paths if found.get(path) != wanted.get(path))
    if not changed:
        return Kept(tree)
    return Kept(with_entries(git, tree, {path: wanted.get(path) for path in changed}), changed)


def entries(git: Git, tree: str, paths: Sequence[str]) -> dict[str, Entry]:
    """What a tree or a commit has at these paths; a folder is no entry."""
    listed = git.do("ls-tree", "-r", "-z", "--full-tree", tree, "--", *paths) if paths else ""
    found = {}
    for line in filter(None, listed.split("\0")):
        about, path = line.split("\t", 1)
        mode, _, blob = about.split(" ")
        if path in paths:
            found[path] = (mode, blob)
    return found


def with_entries(git: Git, tree: str, wanted: Mapping[str, Entry | None]) -> str:
    """Another tree: each path has its entry, or is gone; what stood in its way gives way to it."""
    nothing = "0" * len(tree)
    lines = []
    for path, entry in wanted.items():
        mode, blob = entry or ("0", nothing)
        lines.append(f"{mode} {blob}\t{path}\0")
    with tempfile.TemporaryDirectory() as folder:
        env = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        git.do("read-tree", tree, env=env)
        git.do(
            "update-index",
            "-z",
            "--index-info",
            stdin="".join(lines).encode("utf-8", "surrogateescape"),
            env=env,
        )
        return git.do("write-tree", env=env)
