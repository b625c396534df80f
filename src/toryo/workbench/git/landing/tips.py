"""Tips: the newest accepted state of each target, moved by compare-and-swap; branches are only looked at.

Publishing, which moves the user's branch, is left to `publish`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from toryo.processes import TimeLimit
from toryo.protocol.base import Problem
from toryo.protocol.kinds.landing import Accepted, AcceptInputs
from toryo.protocol.kinds.target import TargetSeen
from toryo.workbench.git.door import layout, packed_refs
from toryo.workbench.git.door.git import ZERO, Git, GitFailed
from toryo.workbench.git.inspect import damage
from toryo.workbench.git.keep import fingerprint
from toryo.workbench.git.landing import removals

Relation = Literal["same", "ahead", "behind", "diverged", "missing", "no_tip"]


def accept(inputs: AcceptInputs) -> Accepted:
    """Move the tip from `old` to `new`. After a crash the ref decides: one that holds `new` was moved."""
    try:
        git = layout.git_on(layout.common_dir(inputs.repo))
    except FileNotFoundError as missing:
        return Accepted(problem=Problem(code="no_repository", message=str(missing)))
    try:
        return _accept(git, inputs)
    except (GitFailed, TimeLimit) as failed:
        return Accepted(problem=Problem(code="git_failed", message=str(failed)))


def _accept(git: Git, inputs: AcceptInputs) -> Accepted:
    ref = layout.tip_ref(inputs.target)
    if git.commit_of(inputs.new) is None:
        return Accepted(
            problem=Problem(code="unknown_commit", message=f"{inputs.new} is not in the hub"),
            tip=git.commit_of(ref) or "",
        )
    if inputs.old and not inputs.reset and not git.is_ancestor(inputs.old, inputs.new):
        return Accepted(
            problem=Problem(code="not_a_descendant", message=f"{inputs.new} does not contain {inputs.old}"),
            tip=git.commit_of(ref) or "",
        )
    for removal in inputs.removed if inputs.reset else ():
        removals.keep(git, inputs.target, removal)  # first: until the tip has moved it changes nothing
    reason = f"toryo: accept {inputs.evidence}".rstrip()
    moved = git.move_ref(ref, inputs.new, inputs.old or ZERO, reason)
    tip = inputs.new if moved else git.commit_of(ref) or ""
    if tip == inputs.new:
        return Accepted(moved=True, tip=tip, settings_tree=settings_tree(git, tip))
    if tip == inputs.old:
        return Accepted(
            problem=Problem(
                code="ref_locked",
                message=f"{ref} could not be written",
                hint=f"If no git runs there, remove {ref}.lock in {git.where}.",
            ),
            tip=tip,
        )
    return Accepted(moved=False, tip=tip)


def look(repo: str, project: str, target: str, published: str) -> TargetSeen:
    """Where the target's branch stands, seen from the tip and from what was published."""
    git = layout.git_on(layout.common_dir(repo))
    branch = git.commit_of(layout.head_ref(target))
    tip = git.commit_of(layout.tip_ref(target)) or ""
    if branch is None:
        damage.insist_whole(repo, git.where, layout.head_ref(target))  # else nobody looks when it is mended
        return TargetSeen(
            project=project,
            target=target,
            commit="",
            tree="",
            relation="missing",
            tip=tip,
            contains_published=not published,
        )
    return TargetSeen(
        project=project,
        target=target,
        commit=branch,
        tree=git.tree_of(branch),
        relation=_relation(git, branch, tip),
        tip=tip,
        published=published,
        contains_published=not published or published == branch or git.is_ancestor(published, branch),
        lost=_lost(git, target, branch, published),
        settings_tree=settings_tree(git, branch),
    )


def is_moved(repo: str, target: str, seen: str) -> bool:
    """Whether somebody else than us put the branch elsewhere than it was seen.

    Read from the files: as a rule nobody did, and a process would cost every launch 2 ms."""
    common = layout.common_dir(repo)
    branch = _commit_in(common, layout.head_ref(target))
    if branch == seen:
        return False
    tip = _commit_in(common, layout.tip_ref(target))
    # publishing goes forward and follows accepting: behind the tip by now perhaps, never beside it
    git = layout.git_on(common)
    is_ours = branch and tip and git.is_ancestor(seen, branch) and git.is_ancestor(branch, tip)
    return not is_ours


def _commit_in(common: Path, ref: str) -> str:
    """Empty: there is none."""
    # loose before packed: a ref that is being packed is in both places for a moment, never in none
    text = layout.read(common / ref)
    if layout.is_id(text):
        return text
    if text or (common / "reftable").exists():  # another name for a branch, or none that a file tells
        return layout.git_on(common).commit_of(ref) or ""
    return packed_refs.told(common, fingerprint.NEVER_TOLD).get(ref, "")


def _lost(git: Git, target: str, branch: str, published: str) -> tuple[str, ...]:
    """What was taken off the branch, said yes to or not."""
    found = removals.gone(git, git.where, target, branch)
    if (
        published
        and published != branch
        and git.commit_of(published)
        and not git.is_ancestor(published, branch)
    ):
        found.update(git.do("rev-list", published, "--not", branch, "--").split())
    if len(found) > removals.MOST:
        argv = ("rev-list", "--no-walk=sorted", f"--max-count={removals.MOST}", "--stdin")
        found = set(git.do(*argv, stdin="\n".join([*found, ""]).encode()).split())
    return tuple(sorted(found))


def settings_tree(git: Git, commit: str) -> str:
    """The id of `.toryo` in a commit; empty if it has none."""
    return git.entry_of(commit, ".toryo")


def _relation(git: Git, branch: str, tip: str) -> Relation:
    if branch == tip:
        return "same"
    if not tip:  # somebody deleted our refs
        return "no_tip"
    if git.is_ancestor(branch, tip):
        return "behind"
    return "ahead" if git.is_ancestor(tip, branch) else "diverged"
