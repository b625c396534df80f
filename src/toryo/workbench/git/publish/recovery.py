"""Crash recovery of a publication: what a dead git left half done is told from the user's, and completed.

A path of the landing is ours if it is absent, or holds the old or the new content or a beginning of the new.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from toryo.steps import step
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.publish import contents, holders, landing_paths, other_gits, undo, user_index
from toryo.workbench.git.publish import journal as publish_journal
from toryo.workbench.git.publish.fast_forward import Move, Outcome, checked_out, hold, merge, over, stands_of
from toryo.workbench.git.publish.journal import Entry
from toryo.workbench.git.publish.landing_paths import ABSENT, Change, On
from toryo.workbench.git.publish.user_index import Held

PATIENCE_S = 10
"""How long a git that outlived its coordinator is waited for."""
ORPHANS_S = 2
"""How long programs that a dead git had started are waited for."""
COARSE_NS = 2_000_000_000
"""The coarsest clock of a file system: a lock may look that much older than it is."""


def settle(entry: Entry, journal: Path) -> Outcome:
    """Bring an interrupted attempt to its end, or say whose file stands against it.

    `arrived` also when nothing is left to be done: whatever the branch is now, it is no longer half way."""
    checkout = Path(entry.checkout)
    if not _gone(entry):
        return Outcome(waiting=landing_paths.waiting("index.lock", checkout))
    git_dir = layout.git_dir_of(checkout)
    if git_dir is None:
        publish_journal.clear(journal)
        return Outcome(arrived=True)
    user_index.clear_dead(git_dir)
    _clear_locks(entry, git_dir, layout.common_dir(checkout))
    was_left = user_index.was_left(git_dir)
    held = hold(checkout)
    if isinstance(held, Outcome):
        return held
    with held:
        git = Git(checkout, held.env)
        goes_on = checked_out(git) == entry.ref and git.commit_of(entry.ref) == entry.old
        if not goes_on and _has_arrived(git, entry):
            return _finish(entry, journal, held, was_left)
        if busy := holders.underway(git_dir, but="index.lock"):
            held.drop()
            return Outcome(waiting=landing_paths.waiting(busy, checkout))
        if goes_on:
            return _go_on(entry, journal, held)
        undo.undo(git, entry.old, entry.new, entry.same)
        held.put_in_place()
        return over(checkout, journal, entry.orig_head)


def _finish(entry: Entry, journal: Path, held: Held, was_left: bool) -> Outcome:
    """The branch arrived. An index that was not replaced still has what was there before; one that was is
    the user's, and so is all that they did since."""
    checkout = Path(entry.checkout)
    git = Git(checkout, held.env)
    git_dir = layout.git_dir_of(checkout) or checkout / ".git"
    is_away = checked_out(git) != entry.ref and not _has_landing(git, entry)
    if (is_away and was_left) or undo.may_be_left(git_dir, entry.ref, entry.old, entry.new):
        undo.undo(git, entry.old, entry.new, entry.same)
    elif was_left:
        undo.renew(git, entry.old)
    held.put_in_place()
    return over(checkout, journal, entry.orig_head)


def _go_on(entry: Entry, journal: Path, held: Held) -> Outcome:
    checkout = Path(entry.checkout)
    git = Git(checkout, held.env)
    landing = landing_paths.changes(git, entry.old, entry.new)
    found = _sort(git, landing, entry.same)
    if found.theirs:
        held.drop()
        return Outcome(waiting=landing_paths.waiting("dirty", checkout, found.theirs))
    contents.snapshot(git, entry.old, found.half)
    step("publish.snapshotted")
    contents.put_away(checkout, found.half)
    contents.clear_hollow(checkout, (one.path for one in landing if not one.is_submodule))
    step("publish.put_away")
    contents.write_out(git, found.unwritten)
    contents.take_up(git, landing, found.same)
    move = Move(checkout, entry.ref, entry.old, entry.new, found.same)
    return merge(move, journal, held, entry.orig_head)


def _has_arrived(git: Git, entry: Entry) -> bool:
    """Whether the branch stood on the new commit once: then the checkout did too, and what is there now is
    the user's. So it is where no reflog tells; a branch that is gone has perhaps another name now."""
    now, *before = stands_of(git, entry.ref)
    if not now:
        return _has_landing(git, entry)
    return not before or entry.new in (now, *before)


def _has_landing(git: Git, entry: Entry) -> bool:
    """Whether the commit that is checked out, under whatever name, stands on the new one."""
    head = git.commit_of("HEAD")
    return head is not None and git.is_ancestor(entry.new, head)


def _gone(entry: Entry) -> bool:
    end = time.monotonic() + PATIENCE_S
    while entry.git_lives():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    # its hook or filter outlives a killed git for a moment, and would look like somebody at work there
    end = min(end, time.monotonic() + ORPHANS_S)
    while other_gits.has_session(entry.pid) and time.monotonic() < end:
        time.sleep(0.02)
    return True


# ── locks ─────────────────────────────────────────────────────────────────────────────────────────────


def _clear_locks(entry: Entry, git_dir: Path, common: Path) -> None:
    """Remove the locks that our dead git left. One that somebody alive may hold stays."""
    names = [git_dir / name for name in ("index.lock", "HEAD.lock", "ORIG_HEAD.lock")]
    for lock in (*names, common / f"{entry.ref}.lock"):
        try:
            made = lock.stat().st_mtime_ns
        except FileNotFoundError:
            continue
        if made >= entry.at_ns - COARSE_NS and not other_gits.somebody_holds(lock, Path(entry.checkout)):
            lock.unlink(missing_ok=True)


# ── ours and theirs ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Sorted:
    theirs: tuple[str, ...]
    half: tuple[str, ...]
    """Ours, on the disk and not settled: snapshotted and put away before git writes them anew."""
    unwritten: tuple[str, ...]
    """Already new in the index, so that a merge would leave them as they are on the disk."""
    same: tuple[str, ...]
    """The user's, and as the landing has them still."""


def _sort(git: Git, landing: tuple[Change, ...], before: Collection[str]) -> Sorted:
    """`before`: files of the user's that held the new content when it began; git wrote nothing there."""
    paths = {change.path for change in landing}
    index = contents.in_index(git, paths)
    touched, _ = landing_paths.touched_and_unmerged(git)
    theirs: list[str] = []
    half: list[str] = []
    unwritten: list[str] = []
    same: list[str] = []
    present: list[tuple[Change, On]] = []
    for change in landing:
        staged = index.get(change.path, ABSENT)
        if change.is_submodule or (staged == change.before != ABSENT and change.path not in touched):
            continue
        if staged not in (change.before, change.after):
            theirs.append(change.path)
            continue
        seen = landing_paths.look(git.where, change.path, paths)
        theirs += seen.strangers
        if seen.on in (On.FILE, On.LINK):
            present.append((change, seen.on))
        elif staged == change.after != ABSENT:
            unwritten.append(change.path)
    held = contents.clean_ids(git, present)
    for change, on in present:
        if change.path in before:
            (same if held[change.path] == change.new else theirs).append(change.path)
            continue
        is_staged = index.get(change.path, ABSENT) == change.after != ABSENT
        if is_staged and held[change.path] == change.new:
            continue
        if held[change.path] in (change.old, change.new) or contents.is_beginning(git, change, on):
            half.append(change.path)
            unwritten += [change.path] if is_staged else []
        else:
            theirs.append(change.path)
    return Sorted(tuple(theirs), tuple(half), tuple(unwritten), tuple(same))
