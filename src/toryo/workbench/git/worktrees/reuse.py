"""Worktree reuse by a later run: verified, brought back to its branch, the merge to resolve begun.

What stands in the way is snapshotted before it is cleared.
"""

from __future__ import annotations

import os
from pathlib import Path

from toryo.domain.naming import branch_of
from toryo.domain.scopes import Scope, matches
from toryo.protocol.kinds.run import PrepareInputs
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git, GitFailed
from toryo.workbench.git.door.layout import Worktree
from toryo.workbench.git.door.refusals import Refusal
from toryo.workbench.git.keep import snapshots
from toryo.workbench.git.landing import removals
from toryo.workbench.git.worktrees import begin_merge as merges
from toryo.workbench.git.worktrees import sparse

CHECKOUT_LIMIT_S = 1800


def use_again(inputs: PrepareInputs, root: Path, scope: Scope) -> tuple[Worktree, str, str]:
    """The worktree, the head of its branch, and what that stands on."""
    worktree = layout.find_worktree(inputs.repo, root / inputs.name, branch_of(inputs.name))
    path, branch = worktree.path, worktree.branch
    head = worktree.objects.commit_of(layout.head_ref(branch))
    if head is None:
        hint = "`toryo task retry ID` begins again from the target branch."
        raise Refusal("branch_missing", f"The branch {branch} was deleted.", hint)
    if worktree.admin is None or not worktree.is_there:
        hint = f"The branch {branch} is still there, at {head[:12]}."
        raise Refusal("worktree_missing", f"The worktree {path} was deleted.", hint)
    merges.wait_for_git(worktree)
    if not (path / ".git").exists():
        (path / ".git").write_text(f"gitdir: {worktree.admin}\n")
    elif os.path.realpath(layout.git_dir_of(path) or path) != os.path.realpath(worktree.admin):
        hint = "Move that repository away; the files are kept."
        raise Refusal("worktree_broken", f"{path} holds another repository.", hint)
    if layout.symbolic_head(worktree.admin) != layout.head_ref(branch):
        _return_to_branch(worktree, inputs.run)
    head, base = _leave_removed(worktree, inputs, head)
    changed = sparse.settle(worktree.admin, scope)
    if sparse.is_needed(scope):
        _hide(worktree, scope, inputs.run, changed)
    if inputs.merge:
        begin_merge(worktree, inputs)
    return worktree, head, base


def _leave_removed(worktree: Worktree, inputs: PrepareInputs, head: str) -> tuple[str, str]:
    """Where the branch stands on what a person took off the target, its own commits go onto the target as it
    is now: (head, base). Where they conflict with it they are laid open as one change, for the agent."""
    git = worktree.git
    tip = worktree.objects.commit_of(layout.tip_ref(inputs.target))
    gone = removals.gone(worktree.objects, worktree.common, inputs.target, tip) if tip else set()
    commits = removals.own(git, head, tip, gone) if tip else None
    if tip is None or commits is None:
        return head, inputs.base
    _snapshot(worktree, inputs.run)  # it keeps the branch as it was, too
    new, paths = removals.replay(git, lambda ours, theirs: _merged(git, ours, theirs), tip, commits)
    onto = tip if paths else new
    git.do("reset", "--quiet", "--hard", onto, "--", limit_s=CHECKOUT_LIMIT_S)
    if paths:
        since = git.do("rev-parse", "--verify", f"{commits[0]}^1")
        whole = git.do("commit-tree", f"{head}^{{tree}}", "-p", since, "-m", "The work so far")
        git.run("cherry-pick", "--no-commit", whole, limit_s=CHECKOUT_LIMIT_S)
    return onto, tip


def _merged(git: Git, ours: str, theirs: str) -> tuple[str, tuple[str, ...]]:
    argv = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
    done = git.run(*argv)
    if done.code not in (0, 1):
        raise GitFailed(argv, done.code, done.complaint)
    tree, *paths = done.out.decode("utf-8", "replace").rstrip("\0").split("\0")
    return tree, tuple(dict.fromkeys(paths)) if done.code == 1 else ()


def _hide(worktree: Worktree, scope: Scope, run: str, changed: bool) -> None:
    """What the scope excludes, where the last run brought it in: by another scope, or by its own merge."""
    if any(scope.is_left_out(path) for path in merges.unmerged(worktree)):
        _snapshot(worktree, run)
        worktree.git.do("reset", "--quiet", "--hard", limit_s=CHECKOUT_LIMIT_S)
    listed = worktree.git.do("ls-files", "-t", "-z").split("\0")
    seen = (line[2:] for line in listed if line and not line.startswith("S "))
    if changed or any(scope.is_left_out(path) for path in seen):
        worktree.git.run("sparse-checkout", "reapply", limit_s=CHECKOUT_LIMIT_S)


def _return_to_branch(worktree: Worktree, run: str) -> None:
    """The last run left HEAD elsewhere, perhaps within a rebase: what it had is snapshotted first."""
    _snapshot(worktree, run)
    worktree.git.run("rebase", "--quit")
    worktree.git.do(
        *("checkout", "--quiet", "--force", "--ignore-other-worktrees", worktree.branch, "--"),
        limit_s=CHECKOUT_LIMIT_S,
    )


def begin_merge(worktree: Worktree, inputs: PrepareInputs) -> None:
    _begin_merge(worktree, inputs)
    hidden = [path for path in merges.unmerged(worktree) if matches(inputs.scope.exclude, path)]
    if hidden:
        # git lays every conflict open, also where nothing may be seen
        merges.give_up(worktree)
        named = ", ".join(layout.shown(path) for path in hidden[:5])
        hint = f"Merge {inputs.target} into {worktree.branch} by hand, or retry."
        raise Refusal("conflict_excluded", f"The conflict is in {named}, which agents may not see.", hint)


def _begin_merge(worktree: Worktree, inputs: PrepareInputs) -> None:
    if merges.begin(worktree, inputs.merge):
        return
    # leftovers of the last run are in the way: they are kept in a snapshot, then cleared
    _snapshot(worktree, inputs.run)
    worktree.git.do("reset", "--quiet", "--hard", limit_s=CHECKOUT_LIMIT_S)
    worktree.git.do("clean", "--quiet", "-d", "--force", limit_s=CHECKOUT_LIMIT_S)
    if not merges.begin(worktree, inputs.merge):
        raise Refusal("merge_failed", f"The merge of {inputs.merge[:12]} could not be begun.")


def _snapshot(worktree: Worktree, run: str) -> None:
    # always the same name: repeated after a crash, what was cleared meanwhile is in the first one
    taken = snapshots.take(worktree, run, 0)
    if taken.kept_worktree:
        hint = f"Clear {worktree.path} by hand, then retry."
        raise Refusal("worktree_dirty", f"Leftovers are in the way: {taken.kept_worktree}.", hint)
