"""Fast-forward of one checkout, journalled before it begins; what git refuses is reported as waiting.

A hook of ours lets git move the target from where it was seen and nothing else: the user may have switched,
committed or reset meanwhile, and git would take whatever is checked out then.
"""

from __future__ import annotations

import os
import uuid
from dataclasses import dataclass
from pathlib import Path

from toryo import processes
from toryo.processes import Finished, TimeLimit
from toryo.protocol.kinds.landing import PublishWaiting
from toryo.steps import step
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.publish import contents, landing_paths, other_gits, undo, user_index
from toryo.workbench.git.publish import journal as publish_journal
from toryo.workbench.git.publish.landing_paths import Change
from toryo.workbench.git.publish.user_index import Held

LIMIT_S = 600
_TRIES = 3
"""Of holding an index that gits of the user's have just been at work on."""
# each word undoes a setting by which the user's own merges may stash, squash, edit, verify or print
_QUIET = (
    "--commit",
    "--no-edit",
    "--no-squash",
    "--no-autostash",
    "--no-verify-signatures",
    "--no-stat",
    "-q",
)
FENCE = """\
#!/bin/sh
[ "$1" = prepared ] || exit 0
moved= head=
while read -r old new ref; do
    case "$ref" in
    ORIG_HEAD) # the first thing a merge does, before it touches a file
        read -r branch < "$TORYO_HEAD"
        [ "$new" = "$TORYO_OLD" ] && [ "$branch" = "ref: $TORYO_REF" ] || exit 1 ;;
    "$TORYO_REF") [ "$old $new" = "$TORYO_OLD $TORYO_NEW" ] && moved=yes || exit 1 ;;
    HEAD) head=yes ;;
    refs/*) exit 1 ;;
    esac
done
[ -z "$head" ] || [ -n "$moved" ]
"""
_ELSEWHERE = "refs/heads/.invalid"
"""What HEAD's file says where refs are kept in another way than in files."""
# git's messages for a merge it refuses, and the reason that a waiting publish shows
_REFUSALS = (
    ("index.lock': File exists", "index.lock"),
    ("local changes to the following files", "dirty"),
    ("not uptodate", "dirty"),
    ("MERGE_HEAD exists", "merge"),
    ("unmerged files", "merge"),
    ("CHERRY_PICK_HEAD exists", "cherry-pick"),
    ("untracked working tree files", "untracked"),
    ("would lose untracked files", "untracked"),
)


@dataclass(frozen=True)
class Move:
    """One fast-forward: this checkout's branch from one commit to another."""

    checkout: Path
    ref: str
    old: str
    new: str
    same: tuple[str, ...] = ()
    """The user's own files that hold the new content already: they stay as they lie there."""


@dataclass(frozen=True)
class Outcome:
    arrived: bool = False
    waiting: PublishWaiting | None = None
    """git refused and touched nothing; or, on arrival, a git of the user's is to end first."""
    interrupted: bool = False
    """git was killed, or a person came in between: the checkout may be half written, as the journal says."""
    complaint: str = ""

    @property
    def is_over(self) -> bool:
        return self.arrived and self.waiting is None


def fast_forward(move: Move, journal: Path, landing: tuple[Change, ...] = ()) -> Outcome:
    """Run the merge, with the user's index held. The journal is cleared on arrival only; the rest is the
    caller's to judge."""
    held = hold(move.checkout)
    if isinstance(held, Outcome):
        return held
    with held:
        contents.take_up(Git(move.checkout, held.env), landing, move.same)
        return merge(move, journal, held, layout.read(_orig_head(move.checkout)))


def hold(checkout: Path) -> Held | Outcome:
    """The index, once no git of the user's is at work that may have read it or HEAD already."""
    git_dir = _git_dir(checkout)
    for _ in range(_TRIES):
        held = user_index.take(git_dir)
        if held is None:
            return Outcome(waiting=landing_paths.waiting("index.lock", checkout))
        others = other_gits.at_work(checkout)
        if not others:
            return held
        held.drop()
        if not other_gits.have_ended(others):
            break
    return Outcome(waiting=landing_paths.waiting("git", checkout, (one.verb for one in others)))


def merge(move: Move, journal: Path, held: Held, orig_head: str) -> Outcome:
    """`orig_head`: the user's, which git's merge overwrites."""
    head = _git_dir(move.checkout) / "HEAD"
    allowed = {"TORYO_REF": move.ref, "TORYO_OLD": move.old, "TORYO_NEW": move.new, "TORYO_HEAD": str(head)}
    git = Git(move.checkout, allowed | held.env | _no_options(move.ref))

    def know(pid: int, started: str) -> None:
        entry = publish_journal.Entry(
            str(move.checkout),
            move.ref,
            move.old,
            move.new,
            pid,
            started,
            processes.boot_id(),
            orig_head,
            move.same,
        )
        publish_journal.write(journal, entry)
        step("publish.journalled")

    try:
        done = git.run_known(
            *("merge", "--ff-only", "--no-overwrite-ignore", *_QUIET, move.new),
            know=know,
            limit_s=LIMIT_S,
            config=(("submodule.recurse", "false"), ("core.hooksPath", str(_fence(journal.parent)))),
        )
    except TimeLimit as late:
        return Outcome(interrupted=True, complaint=str(late))
    step("publish.merged")
    if done.code < 0:
        # also where the branch has arrived: a lock may be left behind
        return Outcome(interrupted=True, complaint=f"git merge was killed by signal {-done.code}")
    if done.code == 0 and has_stood(git, move.ref, move.new):  # a person may have moved it on, or back
        return arrive(move, journal, held, orig_head)
    put_back_orig_head(move.checkout, orig_head)
    refused = _refusal(done, move.checkout)
    if refused is None:  # the files may be written, and the branch locked by one that is about to rename it
        other_gits.have_ended(other_gits.at_work(move.checkout))
    # one that says it went well met a failing rename, which wrote back what it had seen before
    if done.code == 0 or git.commit_of(move.ref) != move.old or checked_out(git) != move.ref:
        return Outcome(interrupted=True, complaint=done.complaint)
    held.drop()
    return Outcome(waiting=refused, complaint=done.complaint)


def arrive(move: Move, journal: Path, held: Held, orig_head: str) -> Outcome:
    """The branch has the landing, and so has the copy of the index. Nothing of it may stay where a switch
    that the user began meanwhile goes to; one still at work is told as waiting, and keeps the journal.

    Any other git that began meanwhile meets the lock, or would write an index that it read before."""
    others = other_gits.at_work(move.checkout)
    ended = other_gits.have_ended(others)
    git = Git(move.checkout, held.env)
    if _was_put_back(move):
        return Outcome(interrupted=True, complaint=f"a rename of {move.ref} failed and put it back")
    if checked_out(git) != move.ref:
        undo.undo(git, move.old, move.new, move.same)
    held.put_in_place()
    if not ended and any(one.verb in other_gits.SWITCHES for one in others):
        return Outcome(arrived=True, waiting=landing_paths.waiting("switch", move.checkout))
    return over(move.checkout, journal, orig_head)


def _was_put_back(move: Move) -> bool:
    """Whether the branch is where it was, without a word why: a `git branch -m` that had looked before our
    merge fails over it and writes back what it saw. A person's reset says so in the log."""
    # the branch's own log it had put aside meanwhile
    last = _last_line(_git_dir(move.checkout) / "logs" / "HEAD")
    about, _, why = last.partition("\t")
    return about.split(" ")[:2] == [move.new, move.old] and not why


def _last_line(log: Path) -> str:
    """Of a file that may be long; empty if there is none."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 4096))
            return file.read().decode("utf-8", "replace").rstrip("\n").rpartition("\n")[2]
    except OSError:
        return ""


def over(checkout: Path, journal: Path, orig_head: str) -> Outcome:
    """Nothing is left to be done there."""
    put_back_orig_head(checkout, orig_head)
    publish_journal.clear(journal)
    return Outcome(arrived=True)


def checked_out(git: Git) -> str:
    """The branch's ref; empty if HEAD is detached."""
    head = layout.symbolic_head(_git_dir(git.where))
    if head and head != _ELSEWHERE:
        return head
    return git.run("symbolic-ref", "-q", "HEAD").text.strip()


def has_stood(git: Git, ref: str, commit: str) -> bool:
    return git.commit_of(ref) == commit or commit in stands_of(git, ref)


def stands_of(git: Git, ref: str) -> tuple[str, ...]:
    """Every commit that the branch stood on, as far as it is known: at least the one of now."""
    logged = git.run("log", "-g", "--format=%H", "--no-show-signature", ref, "--").text.split()
    return (git.commit_of(ref) or "", *logged)


def put_back_orig_head(checkout: Path, kept: str) -> None:
    """git's merge notes there where it began; to the user it is the way back from a step of their own."""
    path = _orig_head(checkout)
    if layout.read(path) == kept:
        return
    if not kept:
        path.unlink(missing_ok=True)
        return
    fresh = path.with_name("ORIG_HEAD.toryo")
    fresh.write_text(f"{kept}\n")
    fresh.replace(path)


def _orig_head(checkout: Path) -> Path:
    return _git_dir(checkout) / "ORIG_HEAD"


def _git_dir(checkout: Path) -> Path:
    return layout.git_dir_of(checkout) or checkout / ".git"


def _no_options(ref: str) -> dict[str, str]:
    """The user's options for merges into that branch, undone: a strategy would make a merge commit.

    Not by `-c`: the branch's name may have a `=`."""
    key = f"branch.{ref.removeprefix('refs/heads/')}.mergeOptions"
    return {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": key, "GIT_CONFIG_VALUE_0": ""}


def _fence(folder: Path) -> Path:
    """A directory with our one hook."""
    hooks = folder / "hooks"
    hook = hooks / "reference-transaction"
    if layout.read(hook) != FENCE.strip() or not os.access(hook, os.X_OK):
        hooks.mkdir(parents=True, exist_ok=True)
        fresh = hooks / f".{uuid.uuid4().hex}"
        fresh.write_text(FENCE)
        fresh.chmod(0o700)
        fresh.replace(hook)
    return hooks


def _refusal(done: Finished, checkout: Path) -> PublishWaiting | None:
    """The user's files that git named; None if it failed for another reason, perhaps half way."""
    text = done.err.decode("utf-8", "replace")
    for sign, why in _REFUSALS:
        if sign in text:
            named = [line.strip() for line in text.splitlines() if line.startswith("\t")]
            return landing_paths.waiting(why, checkout, named)
    return None
