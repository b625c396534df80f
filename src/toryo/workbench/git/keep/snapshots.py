"""Snapshots: one commit that keeps everything a worktree held, committed or not.

Its tree is the files; its parents are HEAD, the index, the branch, and every commit that only a reflog, an
unfinished operation or a new stash still names, and the repositories inside it. The worktree and its index
are only read.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from toryo.protocol.kinds.work import Snapshot
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import ZERO
from toryo.workbench.git.door.layout import Worktree
from toryo.workbench.git.inspect import private_index, reachability, status
from toryo.workbench.git.keep import nested, snapshot_ignored

SPACE = reachability.SNAPSHOTS
MOST_NAMED = 1_000
"""Paths that a fact lists; the commit has them all."""

_UNFINISHED = (
    "HEAD",
    "ORIG_HEAD",
    "MERGE_HEAD",
    "MERGE_AUTOSTASH",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "BISECT_HEAD",
    "rebase-merge/orig-head",
    "rebase-merge/onto",
    "rebase-merge/autostash",
    "rebase-apply/orig-head",
    "rebase-apply/autostash",
)


@dataclass(frozen=True)
class Taken:
    snapshot: Snapshot | None
    kept_worktree: str
    """Why the worktree must stay: the snapshot does not hold all of it."""
    seen: status.Status | None
    """None: there is no worktree any more."""


@dataclass(frozen=True)
class Contents:
    tree: str
    """A tree's id, or an expression for it."""
    index_tree: str = ""
    """Empty where the index equals HEAD, or is in conflict (HEAD and MERGE_HEAD have its sides)."""
    inside: tuple[str, ...] = ()
    """Commits that hold the repositories inside it."""
    left_out: tuple[str, ...] = ()
    why_left_out: str = ""


def take(worktree: Worktree, run: str, number: int | str, stash_before: str = "") -> Taken:
    """Make `refs/toryo/snapshots/{run}/{number}`, or report it if it is there already."""
    seen = None
    if worktree.is_there:
        seen = status.read(worktree.git, every_file=True, ignored=True)
    elif worktree.objects.commit_of(layout.head_ref(worktree.branch)) is None:
        return Taken(None, "", None)
    ref = f"{SPACE}/{run}/{number}"
    inside = _inside(worktree, seen) if seen else ()
    held = _contents(worktree, seen, inside, f"{SPACE}/{run}/{number}-nested")
    commit = worktree.objects.seen(ref)
    if not commit:
        made = _commit(worktree, held, seen, run, stash_before)
        if worktree.objects.move_ref(ref, made, ZERO, "toryo: snapshot"):
            commit = made
        else:
            commit = worktree.objects.do("rev-parse", "--verify", ref)
    return Taken(
        Snapshot(
            ref=ref,
            commit=commit,
            uncommitted=_named(_dirty(seen)) if seen else (),
            left_out=_named(held.left_out),
        ),
        held.why_left_out,
        seen,
    )


def look(worktree: Worktree) -> Contents:
    """What a snapshot would hold besides repositories inside, without making one."""
    seen = status.read(worktree.git, every_file=True, ignored=True)
    return _contents(worktree, seen, _inside(worktree, seen), "")


def has_repositories(worktree: Worktree) -> bool:
    """Whether other repositories lie in it: those are looked at anew whenever it goes."""
    return bool(_inside(worktree, status.read(worktree.git, every_file=True, ignored=True)))


def unreachable(worktree: Worktree, run: str) -> list[str]:
    """The newest commits that only this worktree's HEAD, reflogs or unfinished operations name."""
    return reachability.newest_lost(worktree.objects, _named_commits(worktree, None), run)


def _inside(worktree: Worktree, seen: status.Status) -> tuple[str, ...]:
    """The repositories in it, clones and filled submodules, each by the path of its top."""
    found = [path.rstrip("/") for path in seen.untracked if path.endswith("/")]
    if worktree.admin is not None:
        links = private_index.PrivateIndex(worktree.git, worktree.admin / "index").gitlinks()
        found += [path for path in links if (worktree.path / path / ".git").exists()]
    found += snapshot_ignored.repositories(worktree.path, seen.ignored)
    return tuple(dict.fromkeys(found))


def _contents(
    worktree: Worktree, seen: status.Status | None, inside: tuple[str, ...], nested_ref: str
) -> Contents:
    """`nested_ref` begins the refs that pin the repositories inside; empty: they are left alone."""
    if seen is None:
        return Contents(f"{layout.head_ref(worktree.branch)}^{{tree}}")
    ignored = snapshot_ignored.ignored_texts(worktree.path, seen.ignored)
    dirty = _dirty(seen)
    if not dirty and not ignored and not inside and seen.commit:
        return Contents(f"{seen.commit}^{{tree}}")
    size = snapshot_ignored.total_size(worktree.path, (*dirty, *ignored))
    with tempfile.TemporaryDirectory(prefix="toryo-snapshot-") as folder:
        # a copy: `add` here must never show in the agent's own index
        index = private_index.PrivateIndex(worktree.git, Path(folder) / "index")
        if worktree.admin and (worktree.admin / "index").exists():
            # with its time: from it git knows which files may have changed without looking changed
            shutil.copy2(worktree.admin / "index", index.path)
        index_tree = index.tree() if seen.changed and not seen.unmerged else ""
        if size > snapshot_ignored.LARGEST_SNAPSHOT:
            tree = index_tree or f"{seen.commit or worktree.branch}^{{tree}}"
            why = f"{size // 1_000_000} MB are not committed; a snapshot holds at most 200 MB"
            return Contents(tree, index_tree, left_out=(*dirty, *ignored), why_left_out=why)
        # Git LFS would put them into a store of its own, or refuse where it is not installed
        lfs = snapshot_ignored.lfs_paths(worktree.git, (path for path in dirty if path not in inside))
        ours = tuple(path for path in seen.untracked if _is_ours(path))  # only if nobody ignores it
        unreadable = index.add_all((*_named_to_git(seen, inside), *lfs, *ours))
        index.add(ignored)
        index.add_raw((*lfs, *snapshot_ignored.with_crlf(worktree.path, (*dirty, *ignored))))
        kept, failed = _keep_inside(worktree, inside, nested_ref) if nested_ref else ({}, {})
        index.put_commits(kept)
        tree = index.tree()
    why = f"git could not read it: {unreadable}" if unreadable else ""
    if failed:
        told = "; ".join(f"{layout.shown(path)}/: {reason}" for path, reason in list(failed.items())[:5])
        why = f"a repository inside it could not be snapshotted: {told}"
    return Contents(
        tree, index_tree, tuple(kept.values()), tuple(f"{path}/" for path in failed), why_left_out=why
    )


def _named_to_git(seen: status.Status, inside: tuple[str, ...]) -> tuple[str, ...]:
    """Those that are not ignored."""
    ignored = tuple(path for path in seen.ignored if path.endswith("/"))
    return tuple(path for path in inside if not f"{path}/".startswith(ignored))


def _keep_inside(
    worktree: Worktree, inside: tuple[str, ...], ref: str
) -> tuple[dict[str, str], dict[str, str]]:
    """(path → the commit that holds it, path → why it could not be kept)."""
    kept: dict[str, str] = {}
    failed: dict[str, str] = {}
    for number, path in enumerate(inside, 1):
        try:
            kept[path] = nested.keep(worktree.common, worktree.path / path, f"{ref}/{number}")
        except nested.NotKept as reason:
            failed[path] = reason.message
    return kept, failed


def _commit(
    worktree: Worktree, held: Contents, seen: status.Status | None, run: str, stash_before: str
) -> str:
    git = worktree.objects
    head = seen.commit if seen else ""
    branch = git.commit_of(layout.head_ref(worktree.branch)) or ""
    parents = [head]
    if held.index_tree:
        above = ["-p", head] if head else []
        parents.append(git.do("commit-tree", held.index_tree, *above, "-m", f"Index of {run}"))
    parents += [branch, *held.inside]
    known = [f"^{commit}" for commit in (head, branch) if commit]
    parents += reachability.newest_beyond(git, _named_commits(worktree, stash_before), known)
    above = [word for parent in dict.fromkeys(parents) if parent for word in ("-p", parent)]
    return git.do("commit-tree", held.tree, *above, "-m", f"Toryo snapshot of {run}")


def _named_commits(worktree: Worktree, stash_before: str | None) -> list[str]:
    found: list[str] = []
    if worktree.admin is not None:
        for name in _UNFINISHED:
            found += layout.commits_in(worktree.admin / name)
        found += layout.commits_in(worktree.admin / "logs" / "HEAD")
        for path in sorted((worktree.admin / "refs").rglob("*")):
            found += layout.commits_in(path)  # refs/worktree, refs/bisect: of this worktree alone
    found += layout.commits_in(worktree.common / "logs" / "refs" / "heads" / worktree.branch)
    if stash_before is not None:
        # the stash is one list for all worktrees: what was there before the run is its owner's
        stashes = layout.commits_in(worktree.common / "logs" / "refs" / "stash")
        begin = stashes.index(stash_before) + 1 if stash_before in stashes else 0
        found += stashes[begin:]
    return list(dict.fromkeys(found))


def _dirty(seen: status.Status) -> tuple[str, ...]:
    return tuple(sorted(path for path in (*seen.changed, *seen.untracked) if not _is_ours(path)))


def _is_ours(path: str) -> bool:
    return path.startswith(".aiagent/")


def _named(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(layout.shown(path) for path in paths[:MOST_NAMED])
