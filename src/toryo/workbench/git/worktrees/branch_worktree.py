"""Worktree of a branch that a person works on: made below the project's worktrees, theirs from then on.

It has no lock and no run: it is collected, retired and cleaned by nobody.
"""

from __future__ import annotations

from pathlib import Path

from toryo.domain.naming import free_name, slug
from toryo.protocol.base import Problem
from toryo.protocol.kinds.branch import BranchOpened, OpenBranchInputs
from toryo.workbench.git.door import layout, locks
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.door.refusals import Refusal
from toryo.workbench.git.worktrees import adopt

CHECKOUT_S = 1800.0


def open_(inputs: OpenBranchInputs) -> BranchOpened:
    """Where it is checked out; made if it is nowhere. Repeated, it is the same place."""
    repo = Path(inputs.repo)
    common = layout.common_dir(repo)
    ref = layout.head_ref(inputs.branch)
    if layout.git_on(common).commit_of(ref) is None:
        message = f"There is no local branch {inputs.branch}."
        return _problem("branch_missing", message, "`toryo branch list` has those there are.")
    with locks.registration(common):
        known = _checked_out(repo, common, ref)
        if known is not None:
            return BranchOpened(path=str(known))
        root = layout.worktree_root(repo, inputs.worktree_root)
        try:
            layout.refuse_in_the_way(root)
        except Refusal as refusal:
            return BranchOpened(problem=refusal.problem)
        _exclude(repo, common, root)
        name = free_name(
            slug(inputs.branch) or "branch",
            lambda name: (root / name).exists() or (common / "worktrees" / name).exists(),
        )
        path = root / name
        Git(repo).do("worktree", "add", "--quiet", str(path), inputs.branch, limit_s=CHECKOUT_S)
        admin = layout.admin_of(common, path)
        if admin is not None:
            (admin / layout.OPENED).touch()
    return BranchOpened(path=str(path), is_new=True)


def _checked_out(repo: Path, common: Path, ref: str) -> Path | None:
    if layout.symbolic_head(common) == ref:
        return repo
    for admin in layout.admin_dirs(common):
        where = layout.registered_at(admin)
        if layout.symbolic_head(admin) == ref and where is not None and where.is_dir():
            return where
    return None


def _exclude(repo: Path, common: Path, root: Path) -> None:
    """A worktree inside the checkout is nothing that git should show there."""
    lines: tuple[str, ...] = adopt.EXCLUDED
    if root.is_relative_to(repo):
        lines = (*lines, f"/{root.relative_to(repo).as_posix()}/")
    adopt.exclude(common, lines)


def _problem(code: str, message: str, hint: str) -> BranchOpened:
    return BranchOpened(problem=Problem(code=code, message=message, hint=hint))
