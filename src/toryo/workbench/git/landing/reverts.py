"""Reverts: the commit that takes a landing back, made on the target's tip without a checkout.

Whether it may land is left to the daemon and the gate, as for any other work.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from toryo.protocol.base import Problem
from toryo.protocol.kinds.landing import RevertInputs
from toryo.protocol.kinds.work import Collected, CommitLine
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import ZERO, Git
from toryo.workbench.git.inspect import reachability
from toryo.workbench.git.landing import candidates

MOST_FILES = 1_000
MOST_NAMED = 5


def revert(inputs: RevertInputs, bench_root: Path) -> Collected:
    """Make it and pin it, or say why it cannot be made. Repeated, it is the same commit."""
    common = layout.common_dir(inputs.repo)
    git = layout.git_on(common)
    ref = f"{reachability.KEPT}/{inputs.run}/branch"
    made = git.commit_of(ref)
    if made is not None:
        return _told(git, inputs, made)
    tip = git.commit_of(layout.tip_ref(inputs.target))
    if tip is None:
        return _problem("no_tip", f"{inputs.target} has no tip in {inputs.repo}")
    if git.commit_of(inputs.commit) is None or not git.is_ancestor(inputs.commit, tip):
        said = f"{inputs.commit[:12]} is not on {inputs.target} any more: there is nothing to take back"
        return _problem("not_on_target", said)
    tree, paths = _reversed(git, common, bench_root, tip, inputs)
    if paths:
        more = f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
        named = ", ".join(layout.shown(path) for path in paths[:MOST_NAMED])
        return _problem("revert_conflict", f"later work changed the same lines: {named}{more}")
    made = _commit(git, tree, (tip,), inputs.message, inputs.date)
    git.move_ref(ref, made, ZERO, "toryo: reverted")
    return _told(git, inputs, git.commit_of(ref) or made)


def _reversed(
    git: Git, common: Path, bench_root: Path, tip: str, inputs: RevertInputs
) -> tuple[str, tuple[str, ...]]:
    """The tip's tree without what the landing brought, and the paths in conflict."""
    parents = git.do("rev-list", "--parents", "--no-walk", inputs.commit, "--").split()[1:]
    new, old = (inputs.commit, parents[0]) if inputs.head in parents[1:] else (inputs.head, inputs.base)
    # git 2.38 and 2.39 merge only what has a common ancestor, so it is given one: the state to go back from
    above = _commit(git, git.tree_of(new), (), "from", inputs.date)
    ours = _commit(git, git.tree_of(tip), (above,), "tip", inputs.date)
    theirs = _commit(git, git.tree_of(old), (above,), "back", inputs.date)
    return candidates.merge_beside(git, common, bench_root, ours, theirs)


def _told(git: Git, inputs: RevertInputs, made: str) -> Collected:
    changed = git.do("diff", "--no-renames", "--name-only", "-z", f"{made}^1", made, "--").split("\0")
    files = [layout.shown(path) for path in changed if path]
    return Collected(
        head=made,
        commits=1,
        new_commits=1,
        log=(CommitLine(id=made, subject=inputs.message.partition("\n")[0][:200]),),
        changed_files=tuple(files[:MOST_FILES]),
        changed_count=len(files),
    )


def _commit(git: Git, tree: str, parents: tuple[str, ...], message: str, date: str) -> str:
    moment = datetime.fromisoformat(date)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    when = f"@{int(aware.timestamp())} +0000"
    above = [word for parent in parents for word in ("-p", parent)]
    env = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    utf8 = (("i18n.commitEncoding", "UTF-8"),)
    return git.do("commit-tree", tree, *above, stdin=message.encode(), env=env, config=utf8)


def _problem(code: str, message: str) -> Collected:
    return Collected(problem=Problem(code=code, message=message))
