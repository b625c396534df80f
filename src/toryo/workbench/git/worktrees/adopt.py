"""Adopt: mark a repository as a project of one installation, once. Everything written is told to the user."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

from toryo import disks
from toryo.domain.errors import DiskFull
from toryo.protocol.base import Problem
from toryo.protocol.kinds.repository import Adopted, AdoptInputs
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import ZERO, Git, GitFailed
from toryo.workbench.git.door.refusals import Refusal
from toryo.workbench.git.inspect import written_settings
from toryo.workbench.git.inspect.identity import read_mark
from toryo.workbench.git.landing import tips
from toryo.workbench.git.worktrees import moved_repository

EXCLUDED = (".aiagent/", ".worktrees/")


def adopt(inputs: AdoptInputs) -> Adopted:
    """Write ids, excludes, the worktree setting and the first tip; what is there already stays."""
    wrote: list[str] = []
    try:
        return _adopt(inputs, wrote)
    except Refusal as refusal:
        return Adopted(problem=refusal.problem)
    except (OSError, DiskFull, GitFailed) as failed:
        _take_back(inputs, wrote)
        # told at once and not waited for: somebody sits in front of it
        if disks.is_about_space(failed):
            full = disks.full(inputs.path)
            return _problem("disk_full", full.message, full.hint)
        return _unwritten(inputs.path, failed)


def _take_back(inputs: AdoptInputs, wrote: list[str]) -> None:
    """The marks of this call: a repository that was not adopted whole is nobody's."""
    if inputs.take_over:
        return  # whose it was is not known any more; the next try goes on from here
    folder = layout.common_dir(inputs.path) / "toryo"
    for name in ("owner", "project"):
        if f"toryo/{name}" in wrote:
            (folder / name).unlink(missing_ok=True)


def _unwritten(root: str, failed: OSError | DiskFull | GitFailed) -> Adopted:
    if isinstance(failed, OSError):
        place = Path(failed.filename or root)
        hint = f"`ls -ld {place.parent}` shows whose it is; Toryo writes there as you."
        return _problem("not_writable", f"{place} cannot be written: {failed.strerror}.", hint)
    lock = layout.common_dir(root) / "config.lock"
    hint = f"If no git runs there: `rm {lock}`." if lock.exists() else f"Look at `git -C {root} status`."
    return _problem("git_failed", f"git could not write in {root}: {str(failed)[:2000]}", hint)


def _adopt(inputs: AdoptInputs, wrote: list[str]) -> Adopted:
    root = Path(inputs.path)
    try:
        common = layout.common_dir(root)
    except FileNotFoundError:
        return _problem("not_a_repository", f"{root} is no checkout.", "Give the top of the main checkout.")
    git = Git(root)
    commit = git.commit_of(layout.head_ref(inputs.base))
    if commit is None:
        return _problem("branch_missing", f"There is no branch {inputs.base}.", "`git branch` lists them.")
    if inputs.worktree_root:
        for needed in (layout.worktree_root(root, inputs.worktree_root), root / ".aiagent"):
            layout.refuse_in_the_way(needed)
    folder = common / "toryo"
    folder.mkdir(exist_ok=True)
    owner = _mark(folder / "owner", inputs.installation, wrote)
    if owner != inputs.installation:
        if not inputs.take_over:
            hint = (
                f"Stop that installation, then take the project over: `toryo init --take-over` "
                f"(it rewrites {folder / 'owner'})."
            )
            message = f"Another installation of Toryo ({owner}) lands on this repository."
            return _problem(
                "owned_elsewhere", message, hint, owner=owner, project=read_mark(common, "project")
            )
        _replace(folder / "owner", f"{inputs.installation}\n")
        wrote.append("toryo/owner")
    project = _mark(folder / "project", inputs.project, wrote)
    if allow_worktree_settings(common):
        wrote.append("config: extensions.worktreeConfig=true")
    wrote += exclude(common, EXCLUDED)
    wrote += moved_repository.mend(root, common)
    wrote += _own_tips(git, inputs)
    try:
        tip = _first_tip(git, inputs.base, commit, wrote)
    except GitFailed as failed:
        return _problem("tip_failed", failed.complaint, "Look at `git for-each-ref refs/toryo/tips`.")
    written_settings.note(root, common, inputs.written)
    return Adopted(
        project=project,
        owner=inputs.installation,
        root=str(root),
        tip=tip,
        tip_tree=git.tree_of(tip),
        wrote=tuple(wrote),
        seen=tuple(tips.look(inputs.path, project, one.name, one.published) for one in inputs.targets),
    )


def exclude(common: Path, lines: tuple[str, ...]) -> list[str]:
    """Add lines to `info/exclude` where they are missing; what was added, in words."""
    path = common / "info" / "exclude"
    return [f"info/exclude: {line}" for line in add_lines(path, lines)]


def add_lines(path: Path, lines: tuple[str, ...], opening: str = "") -> list[str]:
    """Add the lines a file lacks and keep the rest; a new file begins with `opening`. The lines added."""
    try:
        text = path.read_text("utf-8", "surrogateescape")
    except FileNotFoundError:
        text = opening
    present = {line.strip() for line in text.splitlines()}
    missing = [line for line in lines if line not in present]
    if missing:
        between = "" if not text or text.endswith("\n") else "\n"
        path.parent.mkdir(parents=True, exist_ok=True)
        # through a link, so that a shared file of the user's stays shared
        _replace(Path(os.path.realpath(path)), text + between + "".join(f"{line}\n" for line in missing))
    return missing


def allow_worktree_settings(common: Path) -> bool:
    """Turn `extensions.worktreeConfig` on; True if it was off.

    git-worktree(1): with it, `core.worktree` must no longer be shared by all worktrees."""
    git = layout.git_on(common)
    shared = ("config", "--file", str(common / "config"))
    if git.run(*shared, "--bool", "extensions.worktreeConfig").text.strip() == "true":
        return False
    moved = git.run(*shared, "core.worktree").text.strip()
    if moved:
        git.do("config", "--file", str(common / "config.worktree"), "core.worktree", moved)
    git.do(*shared, "extensions.worktreeConfig", "true")
    if moved:
        git.do(*shared, "--unset", "core.worktree")
    return True


def _own_tips(git: Git, inputs: AdoptInputs) -> list[str]:
    """Put tips back where this installation left them, if somebody deleted them or the project is taken over.

    What another one landed meanwhile is on the branch and is followed like a person's move; what it could
    not publish stays its own, under its candidate's ref."""
    moved = []
    for target in inputs.targets:
        ref = layout.tip_ref(target.name)
        present = git.commit_of(ref)
        if present == target.tip or (present and not inputs.take_over):
            continue
        if target.tip and git.commit_of(target.tip) == target.tip:
            git.move_ref(ref, target.tip, present or ZERO, "toryo: taken over")
            moved.append(ref)
    return moved


def _first_tip(git: Git, base: str, commit: str, wrote: list[str]) -> str:
    ref = layout.tip_ref(base)
    present = git.commit_of(ref)
    if present is not None:
        return present
    if not git.move_ref(ref, commit, ZERO, "toryo: adopt"):
        present = git.commit_of(ref)
        if present is None:
            raise GitFailed(("update-ref", ref), 1, f"{ref} could not be created")
        return present
    wrote.append(ref)
    return commit


def _mark(path: Path, content: str, wrote: list[str]) -> str:
    """Create the file with this content unless it exists; what it holds then."""
    half = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        half.write_text(f"{content}\n")
        # a link appears with its whole content or not at all, and never over another's
        os.link(half, path)
        wrote.append(f"toryo/{path.name}")
        return content
    except FileExistsError:
        return path.read_text().strip()
    finally:
        half.unlink(missing_ok=True)


def _replace(path: Path, content: str) -> None:
    half = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        half.write_text(content, "utf-8", "surrogateescape")
        half.replace(path)
    finally:
        half.unlink(missing_ok=True)  # there only if it could not be written whole


def _problem(code: str, message: str, hint: str, owner: str = "", project: str = "") -> Adopted:
    return Adopted(problem=Problem(code=code, message=message, hint=hint), owner=owner, project=project)
