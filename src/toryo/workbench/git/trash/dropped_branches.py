"""Deletion of a branch by a person's wish: its commit is kept under a ref of ours before the branch goes.

Whether the crew still needs it is left to the daemon.
"""

from __future__ import annotations

from pathlib import Path

from toryo.protocol.base import Problem
from toryo.protocol.kinds.branch import BranchDropped, DropBranchInputs
from toryo.workbench.git.door import layout, locks
from toryo.workbench.git.door.git import ZERO, Git
from toryo.workbench.git.keep.deleted_branches import is_kept, kept_at

_HEAD_NAMES = ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START")
"""Files of a git directory that name the branch which is put back once git is done there."""


def drop(inputs: DropBranchInputs) -> BranchDropped:
    """Compare-and-swap by the commit that was seen. Repeated, it is the same answer."""
    common = layout.common_dir(inputs.repo)
    git, ref = layout.git_on(common), layout.head_ref(inputs.branch)
    at = git.commit_of(ref)
    if at is None and is_kept(git, inputs.branch, inputs.old):
        return _done(git, inputs)
    with locks.registration(common):  # nobody checks it out meanwhile
        refused = _refusal(git, common, inputs, at)
        if refused is not None:
            return BranchDropped(problem=refused)
        kept = kept_at(inputs.branch, inputs.old)
        if not is_kept(git, inputs.branch, inputs.old) and not git.move_ref(kept, inputs.old, ZERO):
            return BranchDropped(problem=Problem(code="not_kept", message=f"{kept} could not be made."))
        if not git.succeeds("update-ref", "-d", ref, inputs.old):
            return BranchDropped(problem=_moved(inputs, git.commit_of(ref)))
    return _done(git, inputs)


def _done(git: Git, inputs: DropBranchInputs) -> BranchDropped:
    target = git.commit_of(layout.tip_ref(inputs.target)) or git.commit_of(layout.head_ref(inputs.target))
    counted = git.run("rev-list", "--count", inputs.old, f"^{target}", "--") if target else None
    return BranchDropped(
        commit=inputs.old,
        kept=kept_at(inputs.branch, inputs.old),
        unmerged=int(counted.text) if counted and counted.code == 0 else None,
    )


def _refusal(git: Git, common: Path, inputs: DropBranchInputs, at: str | None) -> Problem | None:
    ref = layout.head_ref(inputs.branch)
    if at is None:
        message = f"There is no local branch {inputs.branch}."
        return Problem(
            code="branch_missing", message=message, hint="`toryo branch list` has those there are."
        )
    if at != inputs.old:
        return _moved(inputs, at)
    if git.commit_of(layout.tip_ref(inputs.branch)) is not None:
        message = f"Work lands on {inputs.branch}: it stays."
        return Problem(code="is_target", message=message, hint="`toryo target list` has the targets.")
    if layout.is_another_name(common, ref) and git.succeeds("symbolic-ref", "-q", ref):
        message = f"{inputs.branch} is another name of a branch."
        return Problem(code="is_symbolic", message=message, hint=f"`git symbolic-ref -d {ref}` removes it.")
    where = _checked_out(common, ref)
    if where is not None:
        message = f"{inputs.branch} is checked out in {where}."
        hint = f"Switch to another branch there, or remove it: `git worktree remove {where}`."
        return Problem(code="checked_out", message=message, hint=hint)
    return None


def _checked_out(common: Path, ref: str) -> Path | None:
    """Where git stands on it, or will once a rebase or a bisect there is over."""
    for place in (common, *layout.admin_dirs(common)):
        names = {layout.read(place / name).removeprefix("refs/heads/") for name in _HEAD_NAMES}
        if layout.symbolic_head(place) == ref or ref.removeprefix("refs/heads/") in names:
            return (layout.registered_at(place) or place) if place != common else common.parent
    return None


def _moved(inputs: DropBranchInputs, at: str | None) -> Problem:
    now = f"it is at {at[:12]} now" if at else "it is gone"
    message = f"{inputs.branch} is not at {inputs.old[:12]} any more: {now}."
    return Problem(code="branch_moved", message=message, hint="Look at it once more, then delete it.")
