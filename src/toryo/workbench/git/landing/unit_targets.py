"""Targets of units: the tip ref of a unit's branch, made when it first has children and dropped with it."""

from __future__ import annotations

from toryo.protocol.base import Problem
from toryo.protocol.kinds.units import OpenTargetInputs, TargetOpened
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import ZERO, Git


def open_target(inputs: OpenTargetInputs) -> TargetOpened:
    """Repeated after a crash: a tip that is there already stays, since children may have landed on it."""
    try:
        git = layout.git_on(layout.common_dir(inputs.repo))
    except FileNotFoundError as missing:
        return _problem("no_repository", str(missing))
    if inputs.close:
        return _closed(git, inputs.target)
    ref = layout.tip_ref(inputs.target)
    branch = git.commit_of(layout.head_ref(inputs.target))
    if branch is None:
        return _problem("branch_missing", f"The branch {inputs.target} was deleted.")
    tip = git.commit_of(ref)
    if tip is None or git.is_ancestor(tip, branch):
        if tip != branch and not git.move_ref(ref, branch, tip or ZERO, "toryo: open"):
            return _problem("ref_locked", f"{ref} could not be written")
        tip = branch
    return TargetOpened(commit=tip, tree=git.tree_of(tip))


def _closed(git: Git, target: str) -> TargetOpened:
    """Its work is on the branch above, or kept by its runs' snapshots: only the name goes."""
    tip = git.commit_of(layout.tip_ref(target))
    branch = git.commit_of(layout.head_ref(target))
    if tip is not None and (branch is None or not git.is_ancestor(tip, branch)):
        return TargetOpened(commit=tip)  # accepted work that is on no branch: its ref stays
    if tip is not None:
        git.run("update-ref", "-d", layout.tip_ref(target), tip)
    return TargetOpened(closed=True)


def _problem(code: str, message: str) -> TargetOpened:
    return TargetOpened(problem=Problem(code=code, message=message))
