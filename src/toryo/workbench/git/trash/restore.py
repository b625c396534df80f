"""Restoring: a snapshot into a new directory, or the whole worktree where it was, on its branch.

What the trash no longer has, after a `git clean` of the user's or a week, is made anew from what refs keep.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from pathlib import Path

from toryo import disks
from toryo.domain.errors import DiskFull
from toryo.domain.scopes import Scope, matches
from toryo.protocol.base import Problem
from toryo.protocol.kinds.work import Restored, RestoreInputs
from toryo.workbench.git.door import layout, locks
from toryo.workbench.git.door.git import ZERO, Git, GitFailed
from toryo.workbench.git.door.layout import Worktree
from toryo.workbench.git.keep import nested, trash
from toryo.workbench.git.trash import retire
from toryo.workbench.git.worktrees import registration, sparse

LIMIT_S = 1800
_NOT_OF_A_BRANCH = ("Index of ", nested.OPENING)
_WHOLE = (
    ("core.sparseCheckout", "false"),
    ("core.bare", "false"),
    # without Git LFS a pointer is better than no file at all
    ("filter.lfs.required", "false"),
)


def restore(inputs: RestoreInputs) -> Restored:
    """Write a snapshot's files into a directory that does not exist or is empty, or put the worktree back."""
    try:
        common = layout.common_dir(inputs.repo)
    except FileNotFoundError:
        hint = "If it moved, say where it is: `toryo project move PATH`."
        return _problem("repository_missing", f"The repository {inputs.repo} is not there.", hint)
    commit = layout.git_on(common).commit_of(inputs.snapshot)
    if commit is None:
        hint = "`toryo run show ID` names it."
        return _problem("snapshot_missing", f"There is no snapshot {inputs.snapshot}.", hint)
    try:
        return _put_back(inputs, common, commit) if inputs.worktree else _write(inputs, common, commit)
    except (GitFailed, OSError, DiskFull) as failed:
        if disks.is_about_space(failed):
            where = inputs.worktree or inputs.destination or inputs.repo
            return _problem("disk_full", f"The disk of {where} is full.", f"df -h {where}")
        return _problem("restore_failed", str(failed))


def _write(inputs: RestoreInputs, common: Path, commit: str) -> Restored:
    target = Path(os.path.normpath(Path(inputs.repo) / Path(inputs.destination).expanduser()))
    if target.is_relative_to(common):
        return _problem("destination_taken", f"{target} is inside the git directory.")
    if target.is_symlink() or (target.exists() and not (target.is_dir() and not any(target.iterdir()))):
        hint = "Give a directory that does not exist yet."
        return _problem("destination_taken", f"{target} is not empty; nothing was overwritten.", hint)
    target.parent.mkdir(parents=True, exist_ok=True)
    # beside the target and renamed: a crash leaves nothing at the target that looks whole
    half = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
    half.mkdir()
    try:
        _write_files(common, commit, half, inputs)
        files = _count(half)
        half.rename(target)
    except BaseException:
        shutil.rmtree(half, ignore_errors=True)
        raise
    return Restored(path=str(target), files=files)


def _write_files(common: Path, commit: str, folder: Path, inputs: RestoreInputs) -> None:
    """The files of a snapshot, and the repositories inside; not what the worktree never held."""
    with tempfile.TemporaryDirectory(prefix="toryo-restore-") as private:
        env = {"GIT_DIR": str(common), "GIT_WORK_TREE": str(folder), "GIT_INDEX_FILE": f"{private}/index"}
        git = Git(folder, env)
        git.do("read-tree", commit, config=_WHOLE)
        absent = "".join(f"{path}\0" for path in _never_there(git, commit, inputs))
        if absent:
            names = absent.encode("utf-8", "surrogateescape")
            git.do("update-index", "--force-remove", "-z", "--stdin", stdin=names, config=_WHOLE)
        git.do("checkout-index", "--all", "--force", config=_WHOLE, limit_s=LIMIT_S)
    nested.make_all(common, commit, folder)


def _never_there(git: Git, commit: str, inputs: RestoreInputs) -> list[str]:
    """Excluded paths that are as HEAD had them: the tree names them, and the worktree was without."""
    exclude = inputs.scope.exclude
    if not exclude or git.commit_of(f"{commit}^1") is None:
        return []
    changed = set(git.do("diff", "--no-renames", "--name-only", "-z", f"{commit}^1", commit).split("\0"))
    changed |= set(inputs.wrote)
    listed = git.do("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit).split("\0")
    return [path for path in listed if path and path not in changed and matches(exclude, path)]


# ── the worktree itself ───────────────────────────────────────────────────────────────────────────────


def _put_back(inputs: RestoreInputs, common: Path, commit: str) -> Restored:
    path = Path(os.path.normpath(Path(inputs.repo) / inputs.worktree))
    entry = trash.find_worktree(common, path, (*inputs.runs, inputs.run))
    if entry is not None and trash.is_whole(common, entry):
        return untrash(inputs.repo, entry.name)
    with locks.registration(common):
        if os.path.lexists(path):
            return _branch_alone(inputs, common, path, commit)
        _bring_branch(inputs, common, commit)
        worktree, is_new = _registered(inputs, common, path, entry)
    try:
        if is_new:
            _fill_index(worktree, inputs, commit)
        _write_files(common, commit, path, inputs)
    except BaseException:
        # a worktree that only looks whole would be taken for one
        shutil.rmtree(path, ignore_errors=True)
        raise
    worktree.git.run("update-index", "-q", "--refresh")
    return Restored(path=str(path), files=_count(path), branch=inputs.branch)


def untrash(repo: str | Path, name: str) -> Restored:
    """Put a retired worktree back where it was, on its branch."""
    common = layout.common_dir(repo)
    with locks.registration(common):
        entry = trash.find(common, name)
        if entry is None:
            return _problem("not_in_trash", f"Nothing of run {name} is in the trash.")
        if os.path.lexists(entry.worktree) and Path(entry.files).exists():
            return _taken(Path(entry.worktree))
        git = layout.git_on(common)
        if entry.commit and git.commit_of(layout.head_ref(entry.branch)) is None:
            git.move_ref(layout.head_ref(entry.branch), entry.commit, ZERO, "toryo: out of the trash")
        path = trash.take_back(common, entry)
    return Restored(path=str(path), files=_count(path), branch=entry.branch)


def _branch_alone(inputs: RestoreInputs, common: Path, path: Path, commit: str) -> Restored:
    """The worktree is where it was: only its branch may have been deleted."""
    admin = layout.admin_of(common, path)
    named = layout.git_dir_of(path)
    if admin is None or named is None or os.path.realpath(named) != os.path.realpath(admin):
        return _taken(path)
    if layout.lock_holder(admin) not in (*inputs.runs, inputs.run):
        return _taken(path)
    if layout.git_on(common).commit_of(layout.head_ref(inputs.branch)) is not None:
        said = f"{path} is still there, on {inputs.branch}."
        return _problem("still_there", said, "Move it away first.")
    _bring_branch(inputs, common, commit)
    return Restored(path=str(path), files=_count(path), branch=inputs.branch)


def _bring_branch(inputs: RestoreInputs, common: Path, commit: str) -> None:
    git = layout.git_on(common)
    if git.commit_of(layout.head_ref(inputs.branch)) is not None:
        return
    head = git.commit_of(f"{retire.KEPT}/{inputs.run}/branch") or (inputs.head and git.commit_of(inputs.head))
    head = head or _newest(git, commit)
    if not head or not git.move_ref(layout.head_ref(inputs.branch), head, ZERO, "toryo: restored"):
        raise GitFailed(("update-ref", inputs.branch), 1, "no ref keeps what the branch held")


def _registered(
    inputs: RestoreInputs, common: Path, path: Path, entry: trash.Entry | None
) -> tuple[Worktree, bool]:
    """Known to the repository again; True: under a new admin directory, whose index is still empty."""
    admin = layout.admin_of(common, path)
    if admin is None and entry is not None:
        admin = trash.take_back_admin(common, entry)
    if admin is not None:
        path.mkdir(parents=True)
        (path / ".git").write_text(f"gitdir: {admin}\n")
        return Worktree(path, common, admin, inputs.branch), False
    tip = layout.git_on(common).do("rev-parse", "--verify", layout.head_ref(inputs.branch))
    settings = sparse.settings(
        Scope(inputs.scope.exclude, inputs.scope.read, inputs.scope.write), common / "worktrees" / path.name
    )
    repo = Path(inputs.repo)
    made = registration.register(repo, common, path, inputs.run, tip, inputs.branch, settings)
    made.git.do("symbolic-ref", "HEAD", layout.head_ref(inputs.branch))
    return made, True


def _fill_index(worktree: Worktree, inputs: RestoreInputs, commit: str) -> None:
    git = worktree.objects
    kept = git.run("rev-parse", "--verify", "-q", f"{retire.KEPT}/{inputs.run}/index").text.strip()
    if not kept:
        parents = git.do("log", "-1", "--format=%P", commit).split()
        subjects = {parent: git.do("log", "-1", "--format=%s", parent) for parent in parents}
        kept = next((one for one in parents if subjects[one].startswith("Index of ")), "HEAD")
    # with -u: only then git leaves out what the scope leaves out
    worktree.git.do("read-tree", "--reset", "-u", kept, limit_s=LIMIT_S)
    gone = worktree.git.do("diff", "--no-renames", "--name-only", "--diff-filter=D", "-z", kept, commit)
    for name in gone.split("\0"):
        if name:
            (worktree.path / name).unlink(missing_ok=True)


def _newest(git: Git, commit: str) -> str:
    """The newest commit that a snapshot holds of a run's own: its branch was gone when it was made."""
    told = git.do("log", "--no-walk=sorted", "--format=%H %s", f"{commit}^@").split("\n")
    made = (line.partition(" ") for line in told if line)
    return next((one for one, _, subject in made if not subject.startswith(_NOT_OF_A_BRANCH)), "")


def _taken(path: Path) -> Restored:
    return _problem("path_taken", f"There is something at {path}.", "Move it away first.")


def _count(folder: Path) -> int:
    return sum(len(names) for _, _, names in os.walk(folder))


def _problem(code: str, message: str, hint: str = "") -> Restored:
    return Restored(problem=Problem(code=code, message=message, hint=hint))
