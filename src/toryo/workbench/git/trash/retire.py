"""Retiring a worktree: it goes to the trash once every commit, index and file it held is reachable.

Nothing is deleted here but a pinned branch, and, by `empty_trash`, what lay in the trash long enough. The
ways back are left to restoring.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from toryo import disks
from toryo.clock import passed
from toryo.domain.naming import PREFIX
from toryo.protocol.kinds.work import Cleaned, CleanInputs
from toryo.workbench.git.door import layout, locks
from toryo.workbench.git.door.git import ZERO, Git, GitFailed
from toryo.workbench.git.door.layout import Worktree
from toryo.workbench.git.inspect import reachability
from toryo.workbench.git.keep import snapshots, trash

KEPT = reachability.KEPT
KEPT_IN_TRASH_S = 7 * 24 * 3600.0


def clean(inputs: CleanInputs) -> Cleaned:
    """Move the worktree to the trash and tidy its branch away, or say why not; repeated, it goes on."""
    try:
        worktree = layout.find_worktree(inputs.repo, inputs.worktree, inputs.branch)
    except FileNotFoundError:
        return Cleaned(refused=f"the repository {inputs.repo} is not there")
    if worktree.path == Path(inputs.repo) or (worktree.admin and not layout.lock_holder(worktree.admin)):
        return Cleaned(refused=f"{worktree.path} is not a worktree that Toryo made")
    try:
        if not _is_theirs(worktree, inputs):
            return _already_gone(worktree, inputs)
        refused = _secure(worktree, inputs)
        if refused:
            return Cleaned(refused=refused)
        return _move_away(worktree, inputs)
    except (GitFailed, OSError) as failed:
        disks.insist_on_space(failed, inputs.repo)
        return Cleaned(refused=str(failed))


def _is_theirs(worktree: Worktree, inputs: CleanInputs) -> bool:
    """Whether what is registered there was made by one of the runs: a later attempt takes the same name."""
    return worktree.admin is not None and layout.lock_holder(worktree.admin) in (inputs.runs or (inputs.run,))


def _already_gone(worktree: Worktree, inputs: CleanInputs) -> Cleaned:
    """Their worktree is not there any more: retired before, perhaps all but its branch, or never made."""
    missing = _unreachable(worktree.objects, inputs.keep, inputs.run)
    if missing:
        return Cleaned(refused=_not_reachable(missing))
    entry = trash.find_worktree(worktree.common, worktree.path, (*inputs.runs, inputs.run))
    if entry is not None:
        with locks.registration(worktree.common):
            if worktree.objects.commit_of(layout.head_ref(inputs.branch)) == entry.commit:
                _delete_branch(worktree, inputs, entry.commit)
        return Cleaned(freed=True, trash=entry.files)
    if worktree.admin is not None:
        return Cleaned(refused=f"{worktree.path} belongs to run {layout.lock_holder(worktree.admin)}")
    if worktree.path.is_dir():
        return Cleaned(refused=f"{worktree.path} is not known to the repository as a worktree")
    return Cleaned(freed=True)  # it is gone, and nothing of it is left to move


def _secure(worktree: Worktree, inputs: CleanInputs) -> str:
    """Make everything reachable that only this worktree or its branch holds; why that failed, or nothing."""
    git = worktree.objects
    branch = git.commit_of(layout.head_ref(inputs.branch))
    if branch is not None:
        _pin(git, inputs.run, "branch", branch)
    missing = _unreachable(git, inputs.keep, inputs.run)
    if missing:
        return _not_reachable(missing)
    if worktree.is_there:
        index = worktree.git.run("write-tree")
        if index.code == 0:  # an index in conflict has no tree; the snapshot keeps its sides
            _pin(git, inputs.run, "index", index.text.strip())
    if _needs_snapshot(worktree, inputs.run):
        taken = snapshots.take(worktree, inputs.run, _free_name(git, inputs.run))
        if taken.kept_worktree:
            return taken.kept_worktree
    left = snapshots.unreachable(worktree, inputs.run)
    return f"commits would be lost: {', '.join(left)}" if left else ""


def _needs_snapshot(worktree: Worktree, run: str) -> bool:
    """Whether the worktree holds more than the refs do: a commit, or files that no snapshot has."""
    if snapshots.unreachable(worktree, run):
        return True
    if not worktree.is_there:
        return False
    if snapshots.has_repositories(worktree):
        return True
    held = snapshots.look(worktree)
    if held.why_left_out:
        return True
    tree = worktree.objects.do("rev-parse", held.tree)
    places_to_look = (f"{snapshots.SPACE}/{run}/", layout.head_ref(worktree.branch))
    listed = worktree.objects.do("for-each-ref", "--format=%(tree)", *places_to_look)
    return tree not in listed.split("\n")


def _free_name(git: Git, run: str) -> str:
    """Not a number: those are the attempts of collect."""
    listed = git.do("for-each-ref", "--format=%(refname:lstrip=4)", f"{snapshots.SPACE}/{run}/").split("\n")
    number = sum(bool(re.fullmatch(r"clean-\d+", name)) for name in listed) + 1
    return f"clean-{number}"


def _move_away(worktree: Worktree, inputs: CleanInputs) -> Cleaned:
    with locks.registration(worktree.common):
        if not _is_theirs(worktree, inputs):
            return Cleaned(refused=f"{worktree.path} changed hands meanwhile")
        branch = worktree.objects.commit_of(layout.head_ref(inputs.branch)) or ""
        entry = trash.put(worktree, inputs.run, branch)
        _delete_branch(worktree, inputs, branch)
    return Cleaned(freed=True, trash=entry.files)


def _delete_branch(worktree: Worktree, inputs: CleanInputs, commit: str) -> None:
    """Where a pin holds it, it is ours, and nobody stands on it. The caller holds the registration lock."""
    if not commit or not inputs.branch.startswith(PREFIX) or _is_checked_out(worktree.common, inputs.branch):
        return
    pinned = worktree.objects.commit_of(f"{KEPT}/{inputs.run}/branch")
    if pinned is not None and worktree.objects.is_ancestor(commit, pinned):
        worktree.objects.run("update-ref", "-d", layout.head_ref(inputs.branch), commit)


def empty_trash(
    repo: str | Path, older_than_s: float = KEPT_IN_TRASH_S, now: float | None = None, most: int = 50
) -> int:
    """Delete what has lain in the trash for longer, at most so many; how many worktrees. Their refs stay."""
    common = layout.common_dir(repo)
    limit = (passed() if now is None else now) - older_than_s
    gone = 0
    for entry in list(trash.entries(common)):
        if entry.at < limit and gone < most:
            with contextlib.suppress(OSError):  # one that cannot be deleted must not keep the others
                trash.delete(common, entry)
                gone += 1
    return gone


def _pin(git: Git, run: str, name: str, thing: str) -> None:
    """Keep an object under `refs/toryo/kept/{run}/{name}`; an earlier pin stays beside it."""
    number = 1
    while True:
        ref = f"{KEPT}/{run}/{name}" + (f"-{number}" if number > 1 else "")
        if git.move_ref(ref, thing, ZERO, "toryo: kept"):
            return
        held = git.do("rev-parse", "--verify", ref)
        if held == thing:
            return
        if name == "branch" and git.is_ancestor(held, thing) and git.move_ref(ref, thing, held):
            return
        number += 1


def _unreachable(git: Git, commits: tuple[str, ...], run: str) -> list[str]:
    missing = [commit for commit in commits if git.commit_of(commit) is None]
    present = [commit for commit in commits if commit not in missing]
    return [*missing, *reachability.lost(git, present, run)]


def _not_reachable(commits: list[str]) -> str:
    return f"commits that must be kept are not reachable: {', '.join(commits)}"


def _is_checked_out(common: Path, branch: str) -> bool:
    """In the user's checkout or another worktree: its HEAD would name nothing."""
    ref = layout.head_ref(branch)
    return any(layout.symbolic_head(place) == ref for place in (common, *layout.admin_dirs(common)))
