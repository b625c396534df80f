"""The trash: worktrees that were moved away whole, files and admin directory, and can be put back.

It lies in the git directory, where neither the user's tools nor a `git clean` look for files. A record is
written before the first rename, so a crash in between is finished by repeating. When something may go there
is left to retire and worktrees.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import stat
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from toryo.clock import wall
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.layout import Worktree

FILES = "node_modules"
"""The folder of the files in the git directory. The name is for test runners that walk into hidden folders,
as Node's does: this one they all leave alone."""
BESIDE = ".trash"
"""The folder of the files in a worktree root that is on another filesystem; earlier, in every root."""


@dataclass(frozen=True)
class Entry:
    name: str
    worktree: str
    """Where it was, and goes back to."""
    admin: str
    branch: str
    commit: str
    """Of the branch when it was moved."""
    at: float
    files: str
    """Where its files lie now."""


def put(worktree: Worktree, name: str, commit: str, now: float | None = None) -> Entry:
    """Move it away under this name, or the next free one. The caller holds the registration lock."""
    folder = _folder(worktree.common)
    folder.mkdir(parents=True, exist_ok=True)
    entry = _entry_for(worktree, name, commit, wall() if now is None else now)
    files, admin = Path(entry.files), folder / entry.name
    _write(folder / f"{entry.name}.json", entry)
    if worktree.path.is_dir():
        files.parent.mkdir(exist_ok=True)
        _move(worktree.path, files)
    if entry.admin and Path(entry.admin).is_dir():
        Path(entry.admin).rename(admin)
    return entry


def find(common: Path, name: str) -> Entry | None:
    folder = _folder(common)
    try:
        entry = Entry(**json.loads((folder / f"{name}.json").read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None
    if Path(entry.files).parent.name != FILES:
        return entry
    return replace(entry, files=str(folder / FILES / entry.name))  # the git directory may have been moved


def find_worktree(common: Path, path: Path, names: Iterable[str]) -> Entry | None:
    """The newest entry of a worktree of this path's name that was put away under one of these names: the
    worktree root is a setting, and may have been another then."""
    named = re.compile(rf"({'|'.join(map(re.escape, names))})(-\d+)?")
    found = [
        entry
        for entry in entries(common)
        if Path(entry.worktree).name == path.name and named.fullmatch(entry.name)
    ]
    return max(found, key=lambda entry: entry.at, default=None)


def entries(common: Path) -> Iterator[Entry]:
    for record in sorted(_folder(common).glob("*.json")):
        entry = find(common, record.stem)
        if entry is not None:
            yield entry


def holds(common: Path, worktrees: Iterable[str]) -> set[str]:
    """Those of these names whose worktrees were put away. The newest records are read first, and no more than
    it takes: a week of them is many."""
    left = wanted = set(worktrees)
    for name in _newest_first(_folder(common)):
        if not left:
            break
        entry = find(common, name)
        left = left - {Path(entry.worktree).name} if entry else left
    return wanted - left


def _newest_first(folder: Path) -> list[str]:
    records: list[tuple[int, str]] = []
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as listed:
        for one in listed:
            if one.name.endswith(".json"):
                with contextlib.suppress(FileNotFoundError):
                    records.append((one.stat().st_mtime_ns, one.name.removesuffix(".json")))
    return [name for _, name in sorted(records, reverse=True)]


def is_whole(common: Path, entry: Entry) -> bool:
    """Whether its files are there still: a person may have made room."""
    return Path(entry.files).is_dir() and (_folder(common) / entry.name).is_dir()


def take_back(common: Path, entry: Entry) -> Path:
    """Put files and admin directory where they were. The caller holds the registration lock and has seen
    that the place is free."""
    path = Path(entry.worktree)
    admin = take_back_admin(common, entry) or Path(entry.admin)
    if Path(entry.files).is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
        _move(Path(entry.files), path)
    if admin.is_dir():
        (path / ".git").write_text(f"gitdir: {admin}\n")
    (_folder(common) / f"{entry.name}.json").unlink(missing_ok=True)
    return path


def take_back_admin(common: Path, entry: Entry) -> Path | None:
    """Only the admin directory, with the index; None: it is not in the trash."""
    kept = _folder(common) / entry.name
    if not kept.is_dir():
        return None
    admin, number = Path(entry.admin), 1
    while admin.exists():
        number += 1
        admin = Path(f"{entry.admin}-{number}")
    admin.parent.mkdir(exist_ok=True)
    kept.rename(admin)
    (admin / "gitdir").write_text(f"{Path(entry.worktree) / '.git'}\n")
    return admin


def delete(common: Path, entry: Entry) -> None:
    """For good. The record goes last, so that a crash leaves something to repeat."""
    for path in (Path(entry.files), _folder(common) / entry.name):
        # a record is data in a file: follow it only to where `put` puts things
        if path.parent.name in (FILES, BESIDE, "trash"):
            _remove(path)
    (_folder(common) / f"{entry.name}.json").unlink(missing_ok=True)


def rewrite(common: Path, entry: Entry) -> None:
    """Its record, after the repository was moved."""
    _write(_folder(common) / f"{entry.name}.json", entry)


def _entry_for(worktree: Worktree, name: str, commit: str, now: float) -> Entry:
    """A record of this worktree that was begun before, or a new one under a free name."""
    folder, number, chosen = _folder(worktree.common), 1, name
    bin_ = _home_of_files(worktree)
    while True:
        present = find(worktree.common, chosen)
        if present is not None and present.worktree == str(worktree.path):
            begun = not (folder / chosen).is_dir()
            if begun and not (worktree.path.is_dir() and Path(present.files).is_dir()):
                return present
        taken = [folder / chosen, folder / f"{chosen}.json", bin_ / chosen]
        if not any(os.path.lexists(path) for path in taken):
            admin = str(worktree.admin) if worktree.admin else ""
            return Entry(chosen, str(worktree.path), admin, worktree.branch, commit, now, str(bin_ / chosen))
        number += 1
        chosen = f"{name}-{number}"


def _folder(common: Path) -> Path:
    return common / "toryo" / "trash"


def _home_of_files(worktree: Worktree) -> Path:
    """In the git directory, if a rename leads there. Else beside the worktrees, unless those lie inside the
    repository after all: then in the git directory, and the files are copied."""
    inside, root = _folder(worktree.common) / FILES, worktree.path.parent
    if _filesystem(root) == _filesystem(worktree.common) or _is_in_checkout(root, worktree.common):
        return inside
    return root / BESIDE


def _filesystem(folder: Path) -> int:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.stat().st_dev


def _is_in_checkout(folder: Path, common: Path) -> bool:
    """Whether it really lies below a checkout of this repository: a link may lead anywhere."""
    real = folder.resolve()
    for place in (real, *real.parents):
        git_dir = layout.git_dir_of(place)
        if git_dir is not None:
            return layout.common_of(git_dir).resolve() == common.resolve()
    return False


def _move(source: Path, target: Path) -> None:
    """Rename a folder; where that leads to another filesystem, copy it first. It is never only in halves."""
    try:
        source.rename(target)
        return
    except OSError as failed:
        if failed.errno != errno.EXDEV:
            raise
    half, spent = target.with_name(f".{target.name}.half"), source.with_name(f".{source.name}.spent")
    for left in (half, spent):  # of an attempt that was interrupted
        _remove(left)
    shutil.copytree(source, half, symlinks=True, ignore=_special)
    half.rename(target)
    source.rename(spent)  # at once: half of a folder must not be taken for the whole
    _remove(spent)


def _special(folder: str, names: list[str]) -> list[str]:
    """Sockets and pipes hold nothing, and cannot be copied."""
    kinds = (stat.S_ISDIR, stat.S_ISREG, stat.S_ISLNK)
    modes = {name: Path(folder, name).lstat().st_mode for name in names}
    return [name for name, mode in modes.items() if not any(is_kind(mode) for is_kind in kinds)]


def _remove(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink():
        _make_writable(folder)
        shutil.rmtree(folder)


def _write(path: Path, entry: Entry) -> None:
    half = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with open(half, "w") as file:
        json.dump(asdict(entry), file)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)


def _make_writable(folder: Path) -> None:
    """Package caches are read-only directories, and those cannot be emptied."""
    for place, _, _ in os.walk(folder):
        mode = Path(place).stat().st_mode
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            Path(place).chmod(mode | stat.S_IRWXU)
