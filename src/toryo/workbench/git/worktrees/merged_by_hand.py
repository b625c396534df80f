"""Merges by an outside orchestrator: its own branch, and its own merge into the target."""

from __future__ import annotations

import re
from pathlib import Path

from toryo.protocol.base import Problem
from toryo.protocol.kinds.work import CollectInputs, Foreign
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.door.layout import Worktree

_LINE = re.compile(r"^[0-9a-f]+ (?P<new>[0-9a-f]+) .*\t(?P<words>.*)$")
_MADE = ("commit", "cherry-pick", "revert", "am:")
_REBASED = re.compile(r"^rebase .*\bonto (?P<onto>[0-9a-f]+)$")


def take(worktree: Worktree, inputs: CollectInputs) -> Problem | None:
    """Put the run's branch and worktree on the orchestrator's branch, if only that one has work."""
    git = worktree.objects
    ours, theirs = git.commit_of(layout.head_ref(inputs.branch)), _theirs(git, inputs)
    if not ours or not theirs or git.is_ancestor(theirs, ours):
        return None
    if ours == inputs.start:
        # it keeps edits that lie in the worktree, or refuses
        if worktree.is_there:
            moved = worktree.git.run("reset", "-q", "--keep", theirs).code == 0
        else:
            moved = git.move_ref(layout.head_ref(inputs.branch), theirs, ours, "toryo: collect")
        if moved and git.commit_of(layout.head_ref(inputs.branch)) == theirs:
            return None
        message = f"{inputs.brought} has work, and {worktree.path} has files in its way."
    elif any(git.is_ancestor(theirs, known) for known in _landed(git, inputs)):
        return None
    else:
        message = f"{inputs.brought} and {inputs.branch} both have commits."
    hint = f"Merge {inputs.brought} in {worktree.path}, then `toryo task submit`."
    return Problem(code="two_branches", message=f"{message} {hint}", hint=hint)


def merged(git: Git, common: Path, inputs: CollectInputs, head: str) -> frozenset[str]:
    """The commits made on the run's branches, where the target has them already; none where it does not.

    What else lies between base and head is other people's: a branch that only took those over has no work."""
    if not inputs.brought or not any(git.is_ancestor(head, known) for known in _landed(git, inputs)):
        return frozenset()
    between = set(git.do("rev-list", head, "--not", inputs.base, "--").split())
    made: set[str] = set()
    for branch in (inputs.branch, inputs.brought):
        for line in layout.read(common / "logs" / layout.head_ref(branch)).splitlines():
            entry = _LINE.match(line)
            if entry is None:
                continue
            if entry["words"].startswith(_MADE):
                made.add(entry["new"])
            elif rebased := _REBASED.match(entry["words"]):
                made.update(git.do("rev-list", entry["new"], "--not", rebased["onto"], "--").split())
    return frozenset(made & between)


def without(common: Path, inputs: CollectInputs, found: tuple[Foreign, ...]) -> tuple[Foreign, ...]:
    """The orchestrator's own branch and worktree are no act of an agent on what is not its own."""
    if not inputs.brought:
        return found
    ref = layout.head_ref(inputs.brought)

    def is_theirs(change: Foreign) -> bool:
        is_worktree = change.what == "worktree"
        return change.name == ref or (
            is_worktree and layout.symbolic_head(common / "worktrees" / change.name) == ref
        )

    return tuple(change for change in found if not is_theirs(change))


def _theirs(git: Git, inputs: CollectInputs) -> str | None:
    return git.commit_of(layout.head_ref(inputs.brought)) if inputs.brought else None


def _landed(git: Git, inputs: CollectInputs) -> list[str]:
    """Where the target stands: our tip, and the user's branch, which may be ahead of it."""
    asked = (git.commit_of(ref(inputs.target)) for ref in (layout.tip_ref, layout.head_ref))
    return [commit for commit in asked if commit]
