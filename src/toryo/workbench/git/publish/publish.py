"""Publishing: the user's branch is fast-forwarded to an accepted tip, and nothing of the user's is touched.

Where the branch is checked out nowhere the ref moves; where it is, git merges there, or the landing waits.
Whether and what to publish is left to the daemon.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from toryo.processes import TimeLimit
from toryo.protocol.base import Problem
from toryo.protocol.kinds.landing import Exported, Published, PublishInputs, PublishWaiting
from toryo.workbench.git.door import layout, locks
from toryo.workbench.git.door.git import Git, GitFailed
from toryo.workbench.git.publish import (
    contents,
    exported,
    fast_forward,
    landing_paths,
    recovery,
    unit_worktree,
    user_index,
)
from toryo.workbench.git.publish import holders as publish_holders
from toryo.workbench.git.publish import journal as publish_journal
from toryo.workbench.git.publish.landing_paths import Change

ATTEMPTS = 3
"""Whatever happened between our look and our move (a branch moved, a git killed) is looked at again."""


def publish(inputs: PublishInputs, journal: Path) -> Published | PublishWaiting:
    """Bring the target's branch to `new`; `journal` is the file where an attempt in a checkout is noted.

    The same file serves every publication of one target, or an interrupted one would not be found again."""
    try:
        git = layout.git_on(layout.common_dir(inputs.repo))
    except FileNotFoundError as missing:
        return _problem("no_repository", str(missing))
    try:
        for _ in range(ATTEMPTS):
            answer = _attempt(git, inputs, journal)
            if answer is not None:
                return answer
    except (GitFailed, TimeLimit) as failed:
        return _problem("git_failed", str(failed))
    return _problem("branch_busy", f"{inputs.target} moved, or git was killed, {ATTEMPTS} times in a row")


def _attempt(git: Git, inputs: PublishInputs, journal: Path) -> Published | PublishWaiting | None:
    """One look and one move; None: look again."""
    common = git.where
    new = git.commit_of(inputs.new)
    if new is None:
        return _problem("unknown_commit", f"{inputs.new} is not in the hub")
    entry = publish_journal.read(journal)
    if entry is not None:
        settled = recovery.settle(entry, journal)
        if not settled.is_over:
            return _told(settled)
    ref = layout.head_ref(inputs.target)
    if layout.is_another_name(common, ref):  # checkouts show the one it stands for
        ref = git.run("rev-parse", "--symbolic-full-name", "--verify", "-q", ref).text.strip() or ref
    with locks.registration(common):
        branch = git.commit_of(ref)
        answer = _already(git, ref, branch, inputs, new)
        if answer is not None or branch is None:
            return answer
        holders = publish_holders.find(git, common, Path(inputs.repo), ref)
        if not (holders.checkouts or holders.away or holders.operation):
            return _moved(git, ref, branch, new)
    if unit_worktree.is_own(inputs, holders.checkouts) and not holders.operation:
        done = unit_worktree.set_to(inputs, branch, new)
        if done is not None:
            return done
    if obstacle := _kept_away(holders, ref):
        return obstacle
    move = fast_forward.Move(holders.checkouts[0], ref, branch, new)
    return _into_checkout(move, journal, inputs.exported)


def _already(git: Git, ref: str, branch: str | None, inputs: PublishInputs, new: str) -> Published | None:
    """The answer if nothing is to be moved: it is there, or a person moved the branch elsewhere."""
    if branch is None:
        return Published(diverged=True)
    forward = git.is_ancestor(branch, new)
    if branch == new or (not forward and git.is_ancestor(new, branch)):
        return Published(published=True, commit=new, found=branch)
    if not forward:
        return Published(diverged=True, found=branch)
    if branch != inputs.old and _was_rewound(git, ref, branch, new):
        return Published(diverged=True, found=branch)
    return None


def _was_rewound(git: Git, ref: str, branch: str, new: str) -> bool:
    """Whether the branch stood once on what it would be moved to: somebody took that back on purpose."""
    ahead = set(git.do("rev-list", f"{branch}..{new}").split())
    return not ahead.isdisjoint(fast_forward.stands_of(git, ref))


def _moved(git: Git, ref: str, branch: str, new: str) -> Published | None:
    if git.move_ref(ref, new, branch, "toryo: publish"):
        return Published(published=True, commit=new, found=new)
    if git.commit_of(ref) != branch:
        return None
    hint = f"If no git runs there, remove {ref}.lock in {git.where}."
    return _problem("ref_locked", f"{ref} could not be written", hint)


def _kept_away(holders: publish_holders.Holders, ref: str) -> Published | PublishWaiting | None:
    """Why no checkout can be fast-forwarded; None: there is exactly one, and it can be tried."""
    if holders.away:
        away = [str(place) for place in holders.away]
        return landing_paths.waiting("missing checkout", holders.away[0], away)
    if holders.operation:
        return landing_paths.waiting(holders.operation, holders.operating)
    if len(holders.checkouts) > 1:
        named = ", ".join(str(place) for place in holders.checkouts)
        return _problem("checked_out_twice", f"{ref} is checked out in {named}")
    return None


def _into_checkout(
    move: fast_forward.Move, journal: Path, exports: tuple[Exported, ...]
) -> Published | PublishWaiting | None:
    git_dir = layout.git_dir_of(move.checkout)
    if git_dir is None:
        return None
    user_index.clear_dead(git_dir)
    if busy := publish_holders.underway(git_dir):
        return landing_paths.waiting(busy, move.checkout)
    checkout = Git(move.checkout)
    landing = landing_paths.changes(checkout, move.old, move.new)
    same: tuple[str, ...] = ()
    stale: tuple[Change, ...] = ()
    if landing_paths.overlap(checkout, landing):
        same = contents.same(checkout, landing)
        stale = exported.unchanged(checkout, landing, exports)
        if obstacle := landing_paths.overlap(checkout, landing, (*same, *(one.path for one in stale))):
            return obstacle
    if complaint := contents.unwritable(checkout, landing):
        return _problem(
            "filter_failed", complaint, "Mend the filter, or install its program; it is tried again."
        )
    snapshot = ""
    if stale:
        snapshot = exported.renew(checkout, git_dir, move.old, stale)
        same = contents.same(checkout, landing)
    outcome = fast_forward.fast_forward(replace(move, same=same), journal, landing)
    if outcome.is_over:
        return Published(published=True, commit=move.new, found=move.new, snapshot=snapshot)
    if outcome.waiting is not None and not outcome.arrived:
        publish_journal.clear(journal)
    return _told(outcome)


def _told(outcome: fast_forward.Outcome) -> Published | PublishWaiting | None:
    if outcome.waiting is not None:
        return outcome.waiting
    return None if outcome.interrupted else _problem("publish_failed", outcome.complaint)


def _problem(code: str, message: str, hint: str = "") -> Published:
    return Published(problem=Problem(code=code, message=message, hint=hint))
