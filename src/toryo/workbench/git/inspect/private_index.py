"""A private index: everything that lies in a work tree becomes a tree, and nobody's own index is touched.

Which directories, and what the tree is for, is left to snapshots and nested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from toryo.workbench.git.door.git import Git

GITLINK = "160000"
_GITLINK_BYTES = b"\0\0\xe0\0"


@dataclass(frozen=True)
class PrivateIndex:
    git: Git
    """git whose work tree is filled in; its index is `path`, wherever it would have it otherwise."""
    path: Path

    @property
    def env(self) -> dict[str, str]:
        return {"GIT_INDEX_FILE": str(self.path)}

    def add_all(self, out: Iterable[str]) -> str:
        """Everything that is not ignored, but `out`; git's complaint where it could not read a file."""
        # not for an ignored path: naming one, even to exclude it, makes git refuse
        specs = [":/", *(f":(top,exclude,literal){path.rstrip('/')}" for path in out)]
        added = self.git.run(
            "add",
            "-A",
            "--sparse",
            "--ignore-errors",
            "--pathspec-from-file=-",
            "--pathspec-file-nul",
            stdin=_joined(specs),
            env=self.env,
            limit_s=600,
        )
        return added.complaint[:500] if added.code != 0 else ""

    def add(self, paths: Iterable[str]) -> None:
        """These too, though they are ignored; one that went meanwhile is left out."""
        if names := _joined(paths):
            options = ("--add", "--remove", "-z", "--stdin")
            self.git.do("update-index", *options, stdin=names, env=self.env, limit_s=600)

    def add_raw(self, paths: Iterable[str]) -> None:
        """These byte by byte: no filter may put them elsewhere or change them, or needs to be installed."""
        modes = {}
        for path in dict.fromkeys(paths):
            place = self.git.where / path
            if place.is_file() and not place.is_symlink():  # else it was deleted, or is a link
                modes[path] = "100755" if place.stat().st_mode & 0o100 else "100644"
        things = [self.git.do("hash-object", "-w", "--no-filters", "--", path, limit_s=600) for path in modes]
        self._put(
            f"{mode} {thing}\t{path}" for (path, mode), thing in zip(modes.items(), things, strict=True)
        )

    def put_commits(self, commits: Mapping[str, str]) -> None:
        """Commits in the place of the repositories that they hold."""
        self._put(f"{GITLINK} {commit}\t{path}" for path, commit in commits.items())

    def gitlinks(self) -> tuple[str, ...]:
        """Where the index has a commit of another repository."""
        if not has_gitlinks(self.path):
            return ()
        listed = self.git.do("ls-files", "--stage", "-z", env=self.env).split("\0")
        return tuple(line.split("\t", 1)[1] for line in listed if line.startswith(GITLINK))

    def tree(self) -> str:
        return self.git.do("write-tree", env=self.env)

    def _put(self, entries: Iterable[str]) -> None:
        if lines := _joined(entries):
            self.git.do("update-index", "-z", "--index-info", stdin=lines, env=self.env)


def has_gitlinks(index: Path) -> bool:
    """Whether an index may name a commit of another repository; a look at its bytes instead of a process."""
    try:
        return _GITLINK_BYTES in index.read_bytes()
    except OSError:
        return False


def _joined(words: Iterable[str]) -> bytes:
    return b"".join(word.encode("utf-8", "surrogateescape") + b"\0" for word in words)
