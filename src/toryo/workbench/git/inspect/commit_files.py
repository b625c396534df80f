"""Files of a commit, read from git's objects: what there is, the texts, and a bare outline of it on the disk.

Nothing of anybody's checkout is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git

LARGEST = 300_000
"""Bytes of a file that is read as text."""
MOST_OUTLINED = 20_000
"""Files of an outline."""
MOST_TESTS = 50
_REGULAR = ("100644", "100755")
_DECIDES = re.compile(
    r"(package\.json|pyproject\.toml|setup\.(py|cfg)|tox\.ini|pytest\.ini|Cargo\.toml|go\.mod"
    r"|requirements[^/]*\.txt|GNUmakefile|[Mm]akefile)"
)
"""Names of files whose text says how a project is tested."""
_TEST = re.compile(r"test_.*\.py|.*_test\.py")
_NOT_OURS = frozenset({"node_modules", "vendor", "site-packages"})


@dataclass(frozen=True)
class Listed:
    mode: str
    blob: str
    size: int

    @property
    def is_text(self) -> bool:
        """May be: a plain file that is small enough to be read."""
        return self.mode in _REGULAR and self.size <= LARGEST

    @property
    def is_repository(self) -> bool:
        return self.mode == "160000"


@dataclass(frozen=True)
class CommitFiles:
    git: Git
    listed: Mapping[str, Listed]
    """By path, in git's order."""

    def texts(self, paths: Iterable[str]) -> dict[str, str]:
        """Of those paths the ones that are plain UTF-8 files of a moderate size."""
        wanted = [path for path in dict.fromkeys(paths) if path in self.listed and self.listed[path].is_text]
        contents = _contents(self.git, [self.listed[path].blob for path in wanted])
        found = {}
        for path, content in zip(wanted, contents, strict=True):
            if b"\0" not in content:
                found[path] = content.decode("utf-8", "replace")
        return found

    def outline(self, folder: Path) -> None:
        """The files below that folder, empty but for those that say how the project is tested."""
        plain = [path for path, one in self.listed.items() if one.mode in _REGULAR and _is_plain(path)]
        shown = sorted(plain, key=lambda path: path.count("/"))[:MOST_OUTLINED]
        tests = [path for path in shown if _TEST.fullmatch(PurePosixPath(path).name)][:MOST_TESTS]
        read = self.texts([*(path for path in shown if _DECIDES.fullmatch(PurePosixPath(path).name)), *tests])
        for path in shown:
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(read.get(path, ""))


def at(repo: str, commit: str) -> CommitFiles | None:
    """None: the commit is not there."""
    git = layout.git_on(layout.common_dir(repo))
    if git.commit_of(commit) is None:
        return None
    listed = git.do("ls-tree", "-r", "-z", "-l", "--full-tree", commit, limit_s=300)
    return CommitFiles(git, dict(_lines(listed)))


def _lines(text: str) -> Iterator[tuple[str, Listed]]:
    for line in filter(None, text.split("\0")):
        about, path = line.split("\t", 1)
        mode, _, blob, size = about.split()
        yield path, Listed(mode, blob, int(size) if size.isdigit() else 0)


def _contents(git: Git, blobs: list[str]) -> list[bytes]:
    if not blobs:
        return []
    told = git.run("cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in blobs).encode(), limit_s=300)
    found, rest = [], told.out
    for _ in blobs:
        head, _, rest = rest.partition(b"\n")
        size = head.rpartition(b" ")[2]
        length = int(size) if size.isdigit() else 0  # else it is missing
        found.append(rest[:length])
        rest = rest[length + 1 :] if size.isdigit() else rest
    return found


def _is_plain(path: str) -> bool:
    """A forged tree may name a way out of the folder; a copied dependency is not the project."""
    parts = path.split("/")
    usual = all(part not in ("", ".", "..") and len(part.encode("utf-8", "replace")) < 200 for part in parts)
    return usual and len(parts) < 30 and "\0" not in path and _NOT_OURS.isdisjoint(parts)
