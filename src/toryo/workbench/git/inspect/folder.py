"""Folder of a branch: named files as its commit has them, and which lie otherwise in the checkout.

Read only; what a person has not committed is named and not read.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toryo.protocol.asks import FolderRead
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.inspect import commit_files


@dataclass(frozen=True)
class Folder:
    files: dict[str, str]
    """Name → text, of those that the branch holds."""
    uncommitted: tuple[str, ...] = ()
    """Names of those that lie in the checkout otherwise, or only there."""


def read(wish: FolderRead) -> Folder:
    wanted = {f"{wish.folder.strip('/')}/{name}": name for name in wish.names}
    held = commit_files.at(wish.repo, layout.head_ref(wish.branch))
    texts = held.texts(wanted) if held else {}
    return Folder({wanted[path]: text for path, text in texts.items()}, _uncommitted(wish, wanted))


def _uncommitted(wish: FolderRead, wanted: dict[str, str]) -> tuple[str, ...]:
    top = _checkout(wish)
    if not (top / wish.folder).is_dir():
        return ()
    told = Git(top).do(
        "status",
        "--porcelain",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--",
        *wanted,
        env={"GIT_LITERAL_PATHSPECS": "1"},
    )
    lying = {line[3:] for line in told.split("\0") if line}
    return tuple(name for path, name in wanted.items() if path in lying)


def _checkout(wish: FolderRead) -> Path:
    """Top of the linked worktree that is meant, if it is one of this repository; else the main checkout."""
    repo = Path(wish.repo)
    if not wish.checkout or not Path(wish.checkout).is_dir():
        return repo
    asked = Git(Path(wish.checkout)).run("rev-parse", "--show-toplevel")
    top = Path(asked.text.rstrip("\n"))
    is_ours = asked.code == 0 and layout.common_dir(top).samefile(layout.common_dir(repo))
    return top if is_ours else repo
