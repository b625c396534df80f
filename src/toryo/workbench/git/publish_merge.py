"""The fast-forward of one checkout, journalled before it begins; what git refuses is told as waiting."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toryo import processes
from toryo.processes import Finished, TimeLimit
from toryo.protocol.models import PublishWaiting
from toryo.steps import step
from toryo.workbench.git import publish_journal, publish_landing
from toryo.workbench.git.door import Git

LIMIT_S = 600
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
_REFUSALS = (
    ("index.lock': File exists", "index.lock"),
    ("local changes to the following files", "dirty"),
    ("not uptodate", "dirty"),
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


@dataclass(frozen=True)
class Outcome:
    arrived: bool = False
    waiting: PublishWaiting | None = None
    """git refused and touched nothing."""
    died: bool = False
    """git was killed: the checkout may be half written, the journal says by what."""
    complaint: str = ""


def fast_forward(move: Move, journal: Path) -> Outcome:
    """Run the merge. The journal is cleared on arrival only; the rest is the caller's to judge."""
    git = Git(move.checkout)

    def know(pid: int, started: str) -> None:
        entry = publish_journal.Entry(
            str(move.checkout), move.ref, move.old, move.new, pid, started, processes.boot_id()
        )
        publish_journal.write(journal, entry)
        step("publish.journalled")

    try:
        done = git.run_known(
            *("merge", "--ff-only", "--no-overwrite-ignore", *_QUIET, move.new),
            know=know,
            limit_s=LIMIT_S,
            config=(("submodule.recurse", "false"),),
        )
    except TimeLimit as late:
        return Outcome(died=True, complaint=str(late))
    step("publish.merged")
    if done.code < 0:
        # also where the branch has arrived: a lock may be left behind
        return Outcome(died=True, complaint=f"git merge was killed by signal {-done.code}")
    if git.commit_of(move.ref) == move.new:
        publish_journal.clear(journal)
        return Outcome(arrived=True)
    return Outcome(waiting=_refusal(done), complaint=done.complaint)


def _refusal(done: Finished) -> PublishWaiting | None:
    """The user's files that git named; None if it failed for another reason, perhaps half way."""
    text = done.err.decode("utf-8", "replace")
    for sign, why in _REFUSALS:
        if sign in text:
            named = [line.strip() for line in text.splitlines() if line.startswith("\t")]
            return publish_landing.waiting(why, named)
    return None
