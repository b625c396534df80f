"""Unit files in a worktree: views of the store and copies of untracked files, written anew at each run.

git there ignores them by an excludes file of that worktree's own, which holds the person's own lines, too.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from toryo import files
from toryo.domain.scopes import matches
from toryo.domain.units import BREAKDOWN
from toryo.protocol.kinds.units import UnitFile
from toryo.settings import environment
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.door.layout import Worktree
from toryo.workbench.git.worktrees import sparse
from toryo.yaml.unit_files import is_known

LARGEST_COPY = 5_000_000
"""Bytes: what is larger is no setting."""
_HALF = ".aiagent/unit/half-written"
"""Where git looks for nothing."""


def write(worktree: Worktree, wanted: Iterable[UnitFile], text_of: Callable[[str], str]) -> None:
    """What git tracks is an ordinary file, and stays as it is."""
    wishes = list(wanted)
    tracked = _tracked(worktree.git, [one.path for one in wishes])
    for one in wishes:
        half, place = _place(worktree.path, _HALF), _place(worktree.path, one.path)
        if one.path not in tracked and half and place:
            files.write_whole(half, text_of(one.blob).encode("utf-8", "surrogateescape"))
            half.replace(place)  # never away for a moment: git may be reading the worktree


def refresh(worktree: Worktree, wanted: Iterable[UnitFile], text_of: Callable[[str], str]) -> tuple[str, ...]:
    """As `write`, while an agent works there; the breakdown stays where it holds what nobody was told yet."""
    wishes = list(wanted)
    kept = [one for one in wishes if one.path == BREAKDOWN and not _may_go(worktree, text_of(one.blob))]
    write(worktree, [one for one in wishes if one not in kept], text_of)
    return tuple(one.path for one in kept)


def _may_go(worktree: Worktree, ours: str) -> bool:
    place = worktree.path / BREAKDOWN
    try:
        return is_known(place.read_text("utf-8", "surrogateescape"), ours)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def copy(repo: Path, worktree: Worktree, names: Iterable[str], exclude: tuple[str, ...]) -> None:
    """Untracked files of the checkout, as they lie there now."""
    wishes = [name for name in names if _is_inside(name) and not matches(exclude, name)]
    tracked = _tracked(worktree.git, wishes)
    for name in wishes:
        source = repo / name
        if name in tracked or source.is_symlink() or not source.is_file():
            continue
        place = _place(worktree.path, name) if source.stat().st_size <= LARGEST_COPY else None
        if place is not None:
            place.unlink(missing_ok=True)
            shutil.copyfile(source, place, follow_symlinks=False)
            place.chmod(source.stat().st_mode & 0o777)


def exclude(repo: Path, worktree: Worktree, names: Iterable[str]) -> None:
    """The worktree's own excludes file, which its settings name."""
    if worktree.admin is None:
        return
    own = _persons_lines(Git(repo))
    lines = "".join(f"/{_escaped(name)}\n" for name in names)
    place = sparse.excludes_file(worktree.admin)
    place.parent.mkdir(exist_ok=True)
    files.put(place, f"{own}{lines}".encode("utf-8", "surrogateescape"))


def _persons_lines(git: Git) -> str:
    named = git.run("config", "--type=path", "--get", "core.excludesFile").text.strip()
    config = environment().get("XDG_CONFIG_HOME") or str(Path("~/.config").expanduser())
    place = Path(named) if named else Path(config) / "git" / "ignore"
    try:
        text = place.read_text("utf-8", "surrogateescape")
    except OSError:
        return ""
    return text if not text or text.endswith("\n") else f"{text}\n"


def _escaped(name: str) -> str:
    return "".join(f"\\{sign}" if sign in "*?[\\ " else sign for sign in name)


def _is_inside(name: str) -> bool:
    return ".." not in Path(name).parts and not Path(name).is_absolute()


def _place(worktree: Path, name: str) -> Path | None:
    """Inside the worktree, with its folders; None where a link leads elsewhere."""
    folder = worktree
    for part in Path(name).parts[:-1]:
        folder /= part
        if folder.is_symlink():
            return None
        folder.mkdir(exist_ok=True)
    place = worktree / name
    if place.is_dir() and not place.is_symlink():
        return None
    return place


def _tracked(git: Git, names: list[str]) -> set[str]:
    return set(filter(None, git.do("ls-files", "-z", "--", *names).split("\0"))) if names else set()
