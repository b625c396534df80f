"""Candidates: merges onto a tip, built without a checkout, with an id that only the order decides.

What may be merged and whether the result is good is left to the daemon and the gate.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from toryo.processes import TimeLimit
from toryo.protocol.base import Problem
from toryo.protocol.kinds.landing import CandidateBuilt, CandidateInputs, Conflict, Head
from toryo.workbench.git.door import layout, locks
from toryo.workbench.git.door.git import ZERO, Git, GitFailed
from toryo.workbench.git.landing import kept_paths, removals

CANDIDATES = "refs/toryo/candidates"
ATTRIBUTES = ".gitattributes"
LIST_S = 120
_REGULAR = ("100644", "100755")


def candidate_ref(commit: str) -> str:
    return f"{CANDIDATES}/{commit}"


def build(inputs: CandidateInputs, bench_root: Path) -> CandidateBuilt:
    """Merge the heads in order onto the tip, pin the result; or say what stands against it."""
    try:
        common = layout.common_dir(inputs.repo)
    except FileNotFoundError as missing:
        return _problem("no_repository", str(missing))
    try:
        return _build(inputs, common, layout.git_on(common), bench_root)
    except (GitFailed, TimeLimit) as failed:
        return _problem("git_failed", str(failed))


def _build(inputs: CandidateInputs, common: Path, git: Git, bench_root: Path) -> CandidateBuilt:
    tip = git.commit_of(layout.tip_ref(inputs.target))
    if tip is None:
        return _problem("no_tip", f"{inputs.target} has no tip in {inputs.repo}")
    if tip != inputs.tip:
        return CandidateBuilt(stale=tip)
    for head in inputs.heads:
        if git.commit_of(head.commit) is None:
            return _problem("unknown_commit", f"{head.commit} of {head.branch} is not in the hub")
    if inputs.private:
        there = kept_paths.entries(git, tip, inputs.private)
        out = tuple(path for path in inputs.private if path not in there)
        inputs = inputs.model_copy(update={"restore": (*inputs.restore, *out), "private": ()})
    if inputs.linear:
        return _made_on_the_tip(git, tip, inputs.heads[0].commit)
    gone = removals.gone(git, common, inputs.target, tip)
    if not gone and len(inputs.heads) == 1 and git.is_near(tip, inputs.heads[0].commit):
        # nothing came between: the merge is what the branch has
        only = inputs.heads[0].commit
        kept = kept_paths.keep(git, git.tree_of(only), tip, inputs.restore)
        return _pinned(git, _commit(git, kept.tree, (tip, only), inputs), kept.changed)
    listing = git.begin("ls-tree", "-r", "-z", "--full-tree", tip)  # beside the next question
    try:
        merged = all(head.commit == tip or git.is_ancestor(head.commit, tip) for head in inputs.heads)
    finally:
        listed = listing.finish(LIST_S)
    if merged:
        # somebody merged it already: the tip itself is what is to be gated and accepted
        return CandidateBuilt(commit=tip, tree=git.tree_of(tip))
    if listed.code != 0:
        raise GitFailed(("ls-tree", tip), listed.code, listed.complaint)

    with laid_out(bench_root, common, git, listed.text) as bench:
        at_bench = Git(bench)
        commit = tip
        restored: tuple[str, ...] = ()

        def merge(ours: str, theirs: str) -> tuple[str, tuple[str, ...]]:
            return _merge(at_bench, common, bench, ours, theirs)

        for head in inputs.heads:
            work, paths = _without(git, merge, commit, head, gone)
            if not work:
                return _problem("removed", f"A person took all of {head.branch} off {inputs.target}.")
            tree, paths = ("", paths) if paths else merge(commit, work)
            # what is set back anyway conflicts with nobody
            if not tree or not set(paths) <= set(inputs.restore):
                return CandidateBuilt(conflict=Conflict(paths=paths, partner=tip, task=head.task))
            if work != commit:
                kept = kept_paths.keep(git, tree, tip, inputs.restore)
                commit = _commit(git, kept.tree, (commit, work), inputs)
                restored = tuple(dict.fromkeys((*restored, *kept.changed)))
    return _pinned(git, commit, restored)


def _made_on_the_tip(git: Git, tip: str, head: str) -> CandidateBuilt:
    if git.commit_of(f"{head}^1") != tip:
        return CandidateBuilt(stale=tip)
    return _pinned(git, head)


def _without(
    git: Git, merge: removals.Merge, onto: str, head: Head, gone: set[str]
) -> tuple[str, tuple[str, ...]]:
    """What is to be merged: the head, or its own commits put beside what is gone; or where they conflict.

    Merging the head itself would bring back what a person took off the target."""
    commits = removals.own(git, head.commit, onto, gone, head.since)
    if commits is None:
        return head.commit, ()
    return removals.replay(git, merge, onto, commits) if commits else ("", ())


def _pinned(git: Git, commit: str, restored: tuple[str, ...] = ()) -> CandidateBuilt:
    if not pin(git, commit):
        return _problem("ref_locked", f"could not write {candidate_ref(commit)}")
    return CandidateBuilt(commit=commit, tree=git.tree_of(commit), restored=restored)


def pin(git: Git, commit: str) -> bool:
    ref = candidate_ref(commit)
    return git.move_ref(ref, commit, ZERO, "toryo: candidate") or git.commit_of(ref) == commit


def merge_beside(
    git: Git, common: Path, bench_root: Path, ours: str, theirs: str
) -> tuple[str, tuple[str, ...]]:
    """The merged tree of two commits and the paths in conflict; nothing is pinned."""
    listed = git.do("ls-tree", "-r", "-z", "--full-tree", ours, limit_s=LIST_S)
    with laid_out(bench_root, common, git, listed) as bench:
        return _merge(Git(bench), common, bench, ours, theirs)


@contextmanager
def laid_out(bench_root: Path, common: Path, git: Git, listing: str) -> Iterator[Path]:
    """The repository's bench, with the attributes of that listing of a tree; one user at a time."""
    bench = bench_root / hashlib.sha256(str(common).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    with locks.held(bench.with_suffix(".lock")):
        _lay_out(bench, git, listing)
        yield bench


def _lay_out(bench: Path, git: Git, listing: str) -> None:
    """Fill the bench with the tip's `.gitattributes`, each at its path, and nothing else.

    merge-tree reads attributes from its work tree: without the nested ones it reports false conflicts."""
    shutil.rmtree(bench, ignore_errors=True)
    bench.mkdir(parents=True, mode=0o700)
    for path, blob in _attribute_files(listing):
        place = bench / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(git.run("cat-file", "blob", blob).out)


def _attribute_files(listing: str) -> list[tuple[str, str]]:
    """(path, blob) from the lines of ls-tree."""
    found = []
    for line in listing.split("\0"):
        if not line.endswith(ATTRIBUTES):
            continue
        about, path = line.split("\t", 1)
        mode, _, blob = about.split(" ")
        parts = PurePosixPath(path).parts
        # a forged tree may name a way out of the bench; git itself ignores attributes behind a symbolic link
        if parts[-1] == ATTRIBUTES and mode in _REGULAR and ".." not in parts and not path.startswith("/"):
            found.append((path, blob))
    return found


def _merge(git: Git, common: Path, bench: Path, ours: str, theirs: str) -> tuple[str, tuple[str, ...]]:
    """The merged tree and the paths in conflict."""
    argv = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
    done = git.run(*argv, env={"GIT_DIR": str(common), "GIT_WORK_TREE": str(bench)})
    if done.code not in (0, 1):
        raise GitFailed(argv, done.code, done.complaint)
    tree, *paths = done.out.decode("utf-8", "replace").rstrip("\0").split("\0")
    return tree, tuple(dict.fromkeys(paths)) if done.code == 1 else ()


def _commit(git: Git, tree: str, parents: tuple[str, str], inputs: CandidateInputs) -> str:
    return commit_tree(git, tree, parents, inputs.message, inputs.date)


def commit_tree(git: Git, tree: str, parents: tuple[str, ...], message: str, when: str) -> str:
    """The same commit whenever it is made of the same."""
    moment = datetime.fromisoformat(when)
    # git would read a date without a zone in the machine's own, and the id would depend on the machine
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    date = f"@{int(aware.timestamp())} +0000"
    above = [word for parent in parents for word in ("-p", parent)]
    return git.do(
        "commit-tree",
        tree,
        *above,
        stdin=message.rstrip("\n").encode() + b"\n",
        env={"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
        config=(("i18n.commitEncoding", "UTF-8"),),
    )


def _problem(code: str, message: str) -> CandidateBuilt:
    return CandidateBuilt(problem=Problem(code=code, message=message))
