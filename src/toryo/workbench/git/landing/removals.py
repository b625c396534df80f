"""Removals: what a person took off a target, and how work that stands on it goes on without it.

A removal is a commit under `refs/toryo/removed/{target}/`: its first parent is the history that was taken
away, the others are what stays. It keeps what was removed, and says that only a person brings it back: as
soon as the target contains it again it counts no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from toryo.protocol.kinds.target import Removal
from toryo.workbench.git.door import packed_refs
from toryo.workbench.git.door.git import ZERO, Git

SPACE = "refs/toryo/removed"
MOST = 1_000
"""Commits that a sight of the target names."""
_DATE = {"GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}

Merge = Callable[[str, str], tuple[str, tuple[str, ...]]]
"""(ours, theirs) → the merged tree and the paths in conflict."""


def keep(git: Git, target: str, removal: Removal) -> None:
    """Repeated after a crash it is the same commit."""
    if git.commit_of(removal.commit) is None:
        return  # nothing can stand on what is not there
    stays = [one for one in dict.fromkeys(removal.stays) if git.commit_of(one)]
    above = [word for parent in (removal.commit, *stays) for word in ("-p", parent)]
    tree = git.tree_of(removal.commit)
    words = f"Taken off {target}\n".encode()
    made = git.do("commit-tree", tree, *above, stdin=words, env=_DATE)
    git.move_ref(f"{SPACE}/{target}/{made}", made, ZERO, "toryo: removed")


def gone(git: Git, common: Path, target: str, kept: str) -> set[str]:
    """The commits that were taken off the target and that `kept` does not have."""
    if not _is_any(common):
        return set()
    listed = git.do("for-each-ref", "--format=%(parent)", f"{SPACE}/{target}").split("\n")
    found: set[str] = set()
    for removed, *stays in (line.split() for line in listed if line):
        found.update(git.do("rev-list", removed, "--not", *stays, kept, "--").split())
    return found


def _is_any(common: Path) -> bool:
    """As a rule there is none, which costs no process; git itself is asked where refs are no files."""
    if (common / SPACE).is_dir() or (common / "reftable").is_dir():
        return True
    return "removed" in packed_refs.names_below(common, "refs/toryo/")


def own(git: Git, head: str, onto: str, gone: set[str], since: Iterable[str] = ()) -> list[str] | None:
    """The commits to put onto `onto` instead of merging `head`, the oldest first, merges left out.

    None: it stands on nothing that is gone. `since`: what is its own from there on is wanted once more."""
    if not gone:
        return None
    ahead = git.do("rev-list", "--reverse", "--topo-order", "--parents", head, "--not", onto, "--")
    lines = [line.split() for line in ahead.split("\n") if line]
    if since:
        gone = gone - set(git.do("rev-list", head, "--not", *since, "--").split())
    if gone.isdisjoint(line[0] for line in lines):
        return None
    return [line[0] for line in lines if len(line) == 2 and line[0] not in gone]


def replay(git: Git, merge: Merge, onto: str, commits: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """These commits on top of `onto`, with their own authors, dates and words; or the paths in conflict.

    The same inputs have the same id. What `onto` has already is left out."""
    at = onto
    for commit in commits:
        # beside the commit, on its own parent: so that this parent is what both sides are compared with
        beside = git.do("commit-tree", git.tree_of(at), "-p", f"{commit}^1", "-m", "beside", env=_DATE)
        tree, paths = merge(beside, commit)
        if paths:
            return at, paths
        if tree != git.tree_of(at):
            at = _again(git, commit, tree, at)
    return at, ()


def _again(git: Git, commit: str, tree: str, parent: str) -> str:
    """The same commit elsewhere; a signature would not fit it any more."""
    head, _, words = git.run("cat-file", "commit", commit).out.partition(b"\n\n")
    kept: list[bytes] = []
    is_signature = False
    for line in head.split(b"\n"):
        is_signature = line.startswith(b"gpgsig") or (is_signature and line.startswith(b" "))
        if not is_signature and not line.startswith((b"tree ", b"parent ")):
            kept.append(line)
    lines = [b"tree " + tree.encode(), b"parent " + parent.encode(), *kept]
    whole = b"\n".join(lines) + b"\n\n" + words
    return git.do("hash-object", "-t", "commit", "-w", "--stdin", stdin=whole)
