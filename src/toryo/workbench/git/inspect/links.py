"""Links in a commit: symbolic links that lead where a run may not go, and repositories committed as a link
to nowhere. What follows from them is left to the daemon.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from toryo.domain.scopes import matches
from toryo.protocol.kinds.work import Violation
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.inspect.private_index import GITLINK

SYMLINK = "120000"


def tricks(
    git: Git, commit: str, entries: Mapping[str, tuple[str, str]], exclude: tuple[str, ...]
) -> Iterator[Violation]:
    """Of the changed paths (path → its mode and object), those that are more than they seem."""
    for path, (mode, thing) in sorted(entries.items()):
        if mode == SYMLINK and _leads_away(path, _target(git, thing), exclude):
            yield Violation(path=layout.shown(path), rule="link")
    inside = [path for path, (mode, _) in sorted(entries.items()) if mode == GITLINK]
    if inside:
        known = _submodules(git, commit)
        yield from (
            Violation(path=layout.shown(path), rule="embedded") for path in inside if path not in known
        )


def _leads_away(path: str, target: str, exclude: tuple[str, ...]) -> bool:
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    # `.git` is no part of the tree, and everything is behind it
    if place.startswith("/") or place.split("/")[0] in ("..", ".git"):
        return True
    return matches(exclude, place) or matches(exclude, f"{place}/x")


def _target(git: Git, thing: str) -> str:
    return git.run("cat-file", "blob", thing).out.decode("utf-8", "surrogateescape")


def _submodules(git: Git, commit: str) -> set[str]:
    listed = git.run(
        "config", "--blob", f"{commit}:.gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$"
    )
    return {entry.partition("\n")[2] for entry in listed.text.split("\0") if entry}
