"""Repository answers: a diff, commits, files, folders, branches. Of a checkout only names are told."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from toryo.coordinator.answers.diffs import Diffs
from toryo.coordinator.answers.pieces import not_here, piece
from toryo.protocol.asks import AskAnswer, BranchesRead, CommitsRead, DiffRead, FileRead, FolderRead, TreeRead
from toryo.protocol.base import Problem
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.inspect import branches as branch_listing
from toryo.workbench.git.inspect import folder as folders
from toryo.workbench.git.inspect import history, objects

_MOST = {"commits": 300, "entries": 1000, "branches": 200}
FROM_ITS_ROOT = "A path begins at the repository's root; the entries of a folder are the names that it has."


class _Absent(LookupError):
    """What was asked about is not in the repository: message and hint."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def diff(read: DiffRead, diffs: Diffs) -> AskAnswer:
    try:
        git = _git(read.repo)
        base, head = _commit(git, read.base, read.repo), _commit(git, read.head, read.repo)
    except _Absent as absent:
        return not_here(str(absent), absent.hint)
    which = (read.repo, base, head, read.stat)
    text = diffs.get(which, lambda: history.diff(git, base, head, stat=read.stat))
    return piece(text[read.offset :], read.offset, read.limit, len(text), ended=True)


def commits(read: CommitsRead) -> AskAnswer:
    try:
        git = _git(read.repo)
        head = _commit(git, read.head, read.repo)
        base = _commit(git, read.base, read.repo) if read.base else ""
    except _Absent as absent:
        return not_here(str(absent), absent.hint)
    limit = _limit(read.limit, "commits")
    size = history.count(git, base, head)
    # git takes a number that is too large for it as another one
    listed = history.commits(git, base, head, read.offset, limit) if read.offset < size else []
    return _page({"commits": [asdict(one) for one in listed]}, read.offset, len(listed), size)


def file(read: FileRead) -> AskAnswer:
    try:
        git = _git(read.repo)
        commit = _commit(git, read.commit, read.repo)
        found = objects.content(git, commit, _path(read.path))
    except _Absent as absent:
        return not_here(str(absent), absent.hint)
    if found is None:
        return not_here(f"There is no file {read.path} in {read.commit[:40]}.", FROM_ITS_ROOT)
    if len(found) > objects.LARGEST:
        message = f"{read.path} is larger than {objects.LARGEST // 1024 // 1024} MB."
        hint = f"`git show {commit[:12]}:{read.path}` in the repository prints it."
        return AskAnswer(problem=Problem(code="too_large", message=message, hint=hint), ended=True)
    body = {"commit": commit, "binary": b"\0" in found}
    if body["binary"]:
        return AskAnswer(next_offset=len(found), size=len(found), ended=True, body=body)
    told = piece(found[read.offset :], read.offset, read.limit, len(found), ended=True)
    return told.model_copy(update={"body": body})


def tree(read: TreeRead) -> AskAnswer:
    try:
        git = _git(read.repo)
        commit = _commit(git, read.commit, read.repo)
        listed = objects.entries(git, commit, _path(read.path) if read.path else "")
    except _Absent as absent:
        return not_here(str(absent), absent.hint)
    if listed is None:
        return not_here(f"There is no folder {read.path or '/'} in {read.commit[:40]}.", FROM_ITS_ROOT)
    limit = _limit(read.limit, "entries")
    shown = [asdict(one) for one in listed[read.offset : read.offset + limit]]
    return _page({"commit": commit, "entries": shown}, read.offset, len(shown), len(listed))


def folder(read: FolderRead) -> AskAnswer:
    return AskAnswer(ended=True, body=asdict(folders.read(read)))


def branches(read: BranchesRead) -> AskAnswer:
    try:
        git = _git(read.repo)
    except _Absent as absent:
        return not_here(str(absent), absent.hint)
    names = [one for one in branch_listing.listing(git) if read.name in ("", one.name)]
    target = git.commit_of(layout.head_ref(read.target)) or ""
    limit = _limit(read.limit, "branches")
    page = branch_listing.compared(git, names[read.offset : read.offset + limit], read.target, target)
    if read.name:
        page = [branch_listing.with_base(git, one, target) for one in page]
    body = {"target_commit": target, "branches": [asdict(one) for one in page]}
    return _page(body, read.offset, len(page), len(names))


def _git(repo: str) -> Git:
    try:
        return layout.git_on(layout.common_dir(repo))
    except FileNotFoundError:
        moved = "`toryo project move NAME PATH` tells where it is now."
        raise _Absent(f"The repository {repo} is not there.", moved) from None


def _commit(git: Git, name: str, repo: str) -> str:
    found = git.commit_of(name)
    if found is None:
        shown = f"commit {name[:12]}" if layout.is_id(name) else f"branch or commit {name[:200]}"
        raise _Absent(
            f"The {shown} is not in {repo} any more.", "`git branch --all` there lists what it has."
        )
    return found


def _path(path: str) -> str:
    """As git's objects have it: from the repository's root."""
    parts = path.strip("/").split("/")
    if not path.strip("/") or any(part in ("", ".", "..") for part in parts) or "\0" in path:
        raise _Absent(f"{path[:200]!r} is no path in a repository.", FROM_ITS_ROOT)
    return "/".join(parts)


def _limit(limit: int, of: str) -> int:
    return max(1, min(limit, _MOST[of]))


def _page(body: dict[str, Any], offset: int, number: int, size: int) -> AskAnswer:
    offset = min(offset, size)
    after = offset + number
    return AskAnswer(start=offset, next_offset=after, size=size, ended=after >= size, body=body)
