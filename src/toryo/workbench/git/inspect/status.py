"""Git status (`--porcelain=v2 -z`) as data: HEAD and the paths that differ, in one process."""

from __future__ import annotations

from dataclasses import dataclass

from toryo.workbench.git.door.git import Begun, Git, GitFailed

_LIMIT_S = 600
_FIELDS_BEFORE_PATH = {"1": 8, "2": 9, "u": 10}


@dataclass(frozen=True)
class Status:
    commit: str
    """HEAD; empty before the first commit."""
    branch: str
    """Empty when HEAD is detached."""
    changed: dict[str, str]
    """Tracked paths that differ from HEAD → their two letters."""
    unmerged: tuple[str, ...]
    submodules: tuple[str, ...]
    """Those of `changed` that are submodules."""
    untracked: tuple[str, ...]
    ignored: tuple[str, ...]
    """Files, or directories ending in `/`."""


@dataclass(frozen=True)
class Reading:
    """A status that was begun; whoever begins it finishes it."""

    argv: tuple[str, ...]
    begun: Begun

    def finish(self) -> Status:
        done = self.begun.finish(_LIMIT_S)
        if done.code != 0:
            raise GitFailed(self.argv, done.code, done.complaint)
        return _parse(done.text.rstrip("\n"))


def begin(git: Git, *, every_file: bool = False, ignored: bool = False) -> Reading:
    """`every_file`: untracked files one by one, not their directories; `ignored`: those too."""
    argv = ["status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--ignore-submodules=none"]
    argv += [f"--untracked-files={'all' if every_file else 'normal'}"]
    argv += ["--ignored=matching"] if ignored else []
    return Reading(tuple(argv), git.begin(*argv))


def read(git: Git, *, every_file: bool = False, ignored: bool = False) -> Status:
    return begin(git, every_file=every_file, ignored=ignored).finish()


def _parse(text: str) -> Status:
    commit = branch = ""
    changed: dict[str, str] = {}
    unmerged: list[str] = []
    submodules: list[str] = []
    untracked: list[str] = []
    passed_over: list[str] = []
    for line in text.split("\0"):
        kind = line[:1]
        if line.startswith("# branch.oid "):
            commit = line[13:].replace("(initial)", "")
        elif line.startswith("# branch.head "):
            branch = line[14:].replace("(detached)", "")
        elif kind in _FIELDS_BEFORE_PATH:
            fields = line.split(" ", _FIELDS_BEFORE_PATH[kind])
            changed[fields[-1]] = fields[1]
            if kind == "u":
                unmerged.append(fields[-1])
            if fields[2].startswith("S"):
                submodules.append(fields[-1])
        elif kind == "?":
            untracked.append(line[2:])
        elif kind == "!":
            passed_over.append(line[2:])
    return Status(
        commit, branch, changed, tuple(unmerged), tuple(submodules), tuple(untracked), tuple(passed_over)
    )
