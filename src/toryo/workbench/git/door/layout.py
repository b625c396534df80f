"""Repository layout: its git directory, a worktree and its admin directory, refs of ours.

Read from the files of gitrepository-layout(5), because each question to git costs a process; what is done
there is left to the modules beside.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toryo.workbench.git.door.git import Git
from toryo.workbench.git.door.refusals import Refusal

LOCK_REASON = "toryo run "
"""Begins the reason of every lock on a worktree of ours; the run that made it follows."""


@dataclass(frozen=True)
class Worktree:
    """One task's worktree, as the repository knows it."""

    path: Path
    common: Path
    admin: Path | None
    """None: the repository does not know it."""
    branch: str

    @property
    def is_there(self) -> bool:
        return self.admin is not None and self.path.is_dir()

    @property
    def git(self) -> Git:
        """git in it, told where its git directory is: the agent may damage the file `.git`, and without it
        git would find the user's checkout."""
        return Git(self.path, {"GIT_DIR": str(self.admin), "GIT_WORK_TREE": str(self.path)})

    @property
    def objects(self) -> Git:
        """git on the repository's refs and objects alone."""
        return git_on(self.common)


def find_worktree(repo: str | Path, path: str | Path, branch: str) -> Worktree:
    """The worktree of ours at this path, or where it stayed when the setting or the repository moved on."""
    common = common_dir(repo)
    where = Path(os.path.normpath(Path(repo) / path))
    admin = admin_of(common, where)
    if admin is None and not os.path.lexists(where):
        stayed = _registered_as(common, where.name)
        if stayed is not None:
            return Worktree(stayed, common, common / "worktrees" / where.name, branch)
    return Worktree(where, common, admin, branch)


def _registered_as(common: Path, name: str) -> Path | None:
    """Where a worktree of ours with this name is, if it is there."""
    admin = common / "worktrees" / name
    path = registered_at(admin) if lock_holder(admin) else None
    named = git_dir_of(path) if path is not None else None
    return path if named is not None and os.path.realpath(named) == os.path.realpath(admin) else None


def common_dir(repo: str | Path) -> Path:
    """The git directory that all worktrees of the repository share."""
    git_dir = git_dir_of(Path(repo))
    if git_dir is None:
        raise FileNotFoundError(f"no git directory at {repo}")
    return common_of(git_dir)


def common_of(git_dir: Path) -> Path:
    """As `common_dir`, for a checkout's own git directory."""
    shared = read(git_dir / "commondir")
    return Path(os.path.normpath(git_dir / shared)) if shared else git_dir


def git_dir_of(top: Path) -> Path | None:
    """What `.git` at the top of a checkout is or names; None if there is none."""
    entry = top / ".git"
    if entry.is_dir():
        return entry
    text = read(entry)
    if not text.startswith("gitdir:"):
        return None
    named = Path(os.path.normpath(top / text.removeprefix("gitdir:").strip()))
    return named if named.is_dir() else None


def admin_dirs(common: Path) -> Iterator[Path]:
    folder = common / "worktrees"
    try:
        entries = sorted(folder.iterdir())
    except FileNotFoundError:
        return
    yield from entries


def registered_at(admin: Path) -> Path | None:
    """The worktree that an admin directory belongs to."""
    text = read(admin / "gitdir")
    return Path(os.path.normpath(admin / text)).parent if text else None


def admin_of(common: Path, worktree: Path) -> Path | None:
    """The admin directory of a worktree, found from the repository's side."""
    wanted = os.path.realpath(worktree)
    likely = common / "worktrees" / worktree.name
    for admin in itertools.chain((likely,), admin_dirs(common)):
        seen = registered_at(admin)
        if seen is not None and os.path.realpath(seen) == wanted:
            return admin
    return None


def lock_holder(admin: Path) -> str:
    """The run that made this worktree; empty if it is not ours."""
    reason = read(admin / "locked")
    return reason.removeprefix(LOCK_REASON) if reason.startswith(LOCK_REASON) else ""


OPENED = "toryo-opened"


def is_opened(admin: Path) -> bool:
    """Whether a person had this worktree made by us; it is theirs, and no run's."""
    return (admin / OPENED).exists()


def git_on(common: Path) -> Git:
    """git on refs and objects alone."""
    return Git(common, {"GIT_DIR": str(common)})


def worktree_root(repo: Path, setting: str) -> Path:
    return Path(os.path.normpath(repo / Path(setting).expanduser()))


def refuse_in_the_way(folder: Path) -> None:
    """Of a folder that is to be made, or is there: something else may lie in its place."""
    for place in (folder, *folder.parents):
        if place.is_dir():
            return
        if os.path.lexists(place):
            what = "is a link to nothing" if place.is_symlink() else "is not a folder"
            hint = f"Move {place} away (`mv {place} {place}.old`)."
            raise Refusal("in_the_way", f"{place} {what}, and Toryo needs a folder there.", hint)


def tip_ref(target: str) -> str:
    return f"refs/toryo/tips/{target}"


def head_ref(branch: str) -> str:
    return f"refs/heads/{branch}"


def symbolic_head(git_dir: Path) -> str:
    """The branch ref HEAD names; empty when it is detached."""
    text = read(git_dir / "HEAD")
    return text.removeprefix("ref:").strip() if text.startswith("ref:") else ""


def is_another_name(common: Path, ref: str) -> bool:
    """Whether a ref may be symbolic, which git is to be asked; a packed one never is."""
    return (common / "reftable").exists() or read(common / ref).startswith("ref:")


def shown(path: str) -> str:
    """A path for facts: bytes that are no UTF-8 cannot travel as JSON."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def commits_in(path: Path) -> list[str]:
    """The object ids in a file of a git directory: a pseudo-ref, or a reflog's old and new values."""
    ids: list[str] = []
    for line in read(path).splitlines():
        ids += [word for word in line.split("\t")[0].split(" ")[:2] if is_id(word)]
    return list(dict.fromkeys(ids))


def is_id(word: str) -> bool:
    return len(word) in (40, 64) and not set(word) <= {"0"} and set(word) <= set("0123456789abcdef")


def read(path: Path | str) -> str:
    """A small file's text; empty where there is none."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read().strip()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""
