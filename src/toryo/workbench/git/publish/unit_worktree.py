"""Unit worktrees while no run lives there: what lies there is kept, then the files are set to what landed.

A worktree of ours is nobody's checkout; its next run is told where what it left uncommitted is kept.
"""

from __future__ import annotations

from pathlib import Path

from toryo.protocol.kinds.landing import Published, PublishInputs
from toryo.workbench.git.door import layout
from toryo.workbench.git.keep import snapshots
from toryo.workbench.git.worktrees import begin_merge

LIMIT_S = 1800
_UNFINISHED = (("merge", "--quit"), ("rebase", "--quit"), ("cherry-pick", "--quit"), ("revert", "--quit"))


def is_own(inputs: PublishInputs, holders: tuple[Path, ...]) -> bool:
    """Whether the branch is checked out in its unit's worktree alone, where no run lives."""
    if not inputs.set_aside or len(holders) != 1:
        return False
    worktree = layout.find_worktree(inputs.repo, inputs.worktree, inputs.target)
    return worktree.is_there and worktree.path.resolve() == holders[0].resolve()


def set_to(inputs: PublishInputs, old: str, new: str) -> Published | None:
    """Files first, the branch after them: interrupted in between, it is simply done again. None: the branch
    moved meanwhile, or what lies there cannot be kept."""
    worktree = layout.find_worktree(inputs.repo, inputs.worktree, inputs.target)
    begin_merge.drop_locks(worktree)
    taken = snapshots.take(worktree, inputs.set_aside, f"aside-{new[:12]}")
    if taken.kept_worktree:
        return None
    for words in _UNFINISHED:
        worktree.git.run(*words)
    worktree.git.do("read-tree", "-u", "--reset", new, limit_s=LIMIT_S)
    ref = layout.head_ref(inputs.target)
    if not worktree.objects.move_ref(ref, new, old, "toryo: publish"):
        return None
    kept = taken.snapshot.commit if taken.snapshot and taken.snapshot.uncommitted else ""
    return Published(published=True, commit=new, found=new, snapshot=kept)
