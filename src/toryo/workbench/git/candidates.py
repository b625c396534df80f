"""Candidates: merges onto a tip, built without a checkout, with an id that only the order decides.

What may be merged and whether the result is good is left to the daemon and the gate.
"""

from __future__ import annotations

import hashlib
import shutil
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from toryo.processes import TimeLimit
from toryo.protocol.models import CandidateBuilt, CandidateInputs, Conflict, Head, Problem
from toryo.workbench.git import locks, places, removals
from toryo.workbench.git.door import ZERO, Git, GitFailed

CANDIDATES = "refs/toryo/candidates"
ATTRIBUTES = ".gitattributes"
LIST_S = 120
_REGULAR = ("100644", "100755")


def candidate_ref(commit: str) -> str:
    return f"{CANDIDATES}/{commit}"


def build(inputs: CandidateInputs, bench_root: Path) -> CandidateBuilt:
    """Merge the heads in order onto the tip, pin the result; or say what stands against it."""
    try:
        common = places.common_dir(inputs.repo)
    except FileNotFoundError as missing:
        return _problem("no_repository", str(missing))
    try:
        return _build(inputs, common, places.git_on(common), bench_root)
    except (GitFailed, TimeLimit) as failed:
        return _problem("git_failed", str(failed))


def _build(inputs: CandidateInputs, common: Path, git: Git, bench_root: Path) -> CandidateBuilt:
    tip = git.commit_of(places.tip_ref(inputs.target))
    if tip is None:
        return _problem("no_tip", f"{inputs.target} has no tip in {inputs.repo}")
    if tip != inputs.tip:
        return CandidateBuilt(stale=tip)
    for head in inputs.heads:
        if git.commit_of(head.commit) is None:
            return _problem("unknown_commit", f"{head.commit} of {head.branch} is not in the hub")
    gone = removals.gone(git, common, inputs.target, tip)
    if not gone and len(inputs.heads) == 1 and git.is_near(tip, inputs.heads[0].commit):
        # nothing came between: the merge is what the branch has
        only = inputs.heads[0].commit
        return _pinned(git, _commit(git, git.tree_of(only), (tip, only), inputs))
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

    bench = bench_root / hashlib.sha256(str(common).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    with locks.held(bench.with_suffix(".lock")):
        _lay_out(bench, git, listed.text)
        at_bench = Git(bench)
        commit = tip

        def merge(ours: str, theirs: str) -> tuple[str, tuple[str, ...]]:
            return _merge(at_bench, common, bench, ours, theirs)

        for head in inputs.heads:
            work, paths = _without(git, merge, commit, head, gone)
            if not work:
                return _problem("removed", f"A person took all of {head.branch} off {inputs.target}.")
            tree, paths = ("", paths) if paths else merge(commit, work)
            if paths:
                return CandidateBuilt(conflict=Conflict(paths=paths, partner=tip, task=head.task))
            if work != commit:
                commit = _commit(git, tree, (commit, work), inputs)
    return _pinned(git, commit)


def _without(
    git: Git, merge: removals.Merge, onto: str, head: Head, gone: set[str]
) -> tuple[str, tuple[str, ...]]:
    """What is to be merged: the head, or its own commits put beside what is gone; or where they conflict.

    Merging the head itself would bring back what a person took off the target."""
    commits = removals.own(git, head.commit, onto, gone, head.since)
    if commits is None:
        return head.commit, ()
    return removals.replay(git, merge, onto, commits) if commits else ("", ())


def _pinned(git: Git, commit: str) -> CandidateBuilt:
    ref = candidate_ref(commit)
    if not git.move_ref(ref, commit, ZERO, "toryo: candidate") and git.commit_of(ref) != commit:
        return _problem("ref_locked", f"could not write {ref}")
    return CandidateBuilt(commit=commit, tree=git.tree_of(commit))


def merge_beside(
    git: Git, common: Path, bench_root: Path, ours: str, theirs: str
) -> tuple[str, tuple[str, ...]]:
    """The merged tree of two commits and the paths in conflict; nothing is pinned."""
    listed = git.do("ls-tree", "-r", "-z", "--full-tree", ours, limit_s=LIST_S)
    bench = bench_root / hashlib.sha256(str(common).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    with locks.held(bench.with_suffix(".lock")):
        _lay_out(bench, git, listed)
        return _merge(Git(bench), common, bench, ours, theirs)


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
    moment = datetime.fromisoformat(inputs.date)
    # git would read a date without a zone in the machine's own, and the id would depend on the machine
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    date = f"@{int(aware.timestamp())} +0000"
    above = [word for parent in parents for word in ("-p", parent)]
    return git.do(
        "commit-tree",
        tree,
        *above,
        stdin=inputs.message.rstrip("\n").encode() + b"\n",
        env={"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
        config=(("i18n.commitEncoding", "UTF-8"),),
    )


def _problem(code: str, message: str) -> CandidateBuilt:
    return CandidateBuilt(problem=Problem(code=code, message=message))
