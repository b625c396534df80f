"""Collect: what a run left, seen from outside: snapshot first, then commits, files, breaches of scope and
foreign changes. Whether that is good enough is left to the daemon.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from toryo.domain.scopes import Scope, matches
from toryo.protocol.base import Problem
from toryo.protocol.kinds.work import Collected, CollectInputs, CommitLine, FileLines, Foreign, Violation
from toryo.workbench.git.door import layout, reflogs
from toryo.workbench.git.door.git import ZERO, Git, GitFailed
from toryo.workbench.git.door.layout import Worktree
from toryo.workbench.git.inspect import growth, links, reachability
from toryo.workbench.git.keep import deleted_branches, fingerprint, hand_work, snapshots, user_backup
from toryo.workbench.git.landing import kept_paths
from toryo.workbench.git.worktrees import begin_merge, merged_by_hand, own_commits, sparse
from toryo.workbench.git.worktrees.prepare import read_before
from toryo.workbench.runs import records

MOST_FILES = 1_000
MOST_LINES = 100
SETTINGS = ".toryo/"
PUBLISH_WAIT_S = 5

_Rule = Literal["exclude", "write", "settings", "protected"]


@dataclass(frozen=True)
class _Work:
    """The run's own commits: what the base and the target's tip do not have."""

    lines: tuple[CommitLine, ...] = ()
    commits: int = 0
    new_commits: int = 0
    touched: frozenset[str] = frozenset()
    """By any commit, also where a later one took it back: history lands too."""
    changed: tuple[str, ...] = ()
    """In the end."""
    tricks: tuple[Violation, ...] = ()
    """Of the paths that may be written: what is no file."""
    grown: frozenset[str] | None = None
    """Added, or with more lines than before; None: nobody asked."""


def collect(inputs: CollectInputs, run_dir: Path) -> Collected:
    """Safe to repeat: the snapshot of this attempt is made once."""
    if inputs.committed:
        return _of_branch(inputs)
    worktree = layout.find_worktree(inputs.repo, inputs.worktree, inputs.branch)
    if (run_dir / records.STARTED).exists():  # by us, so that its end was seen
        begin_merge.drop_locks(worktree)
    before = read_before(run_dir)
    stash_before = before["stash"] if before else ""
    unsaid = merged_by_hand.take(worktree, inputs) if inputs.brought else None
    with ThreadPoolExecutor(1) as beside:
        # nothing of the run writes any more: what it did elsewhere can be looked at meanwhile
        looking = beside.submit(_foreign, inputs, before, run_dir)
        taken = snapshots.take(worktree, inputs.run, inputs.attempt, stash_before)
        if inputs.commit:
            unsaid = hand_work.commit_rest(worktree, taken.seen, inputs.commit)
        head = worktree.objects.commit_of(layout.head_ref(inputs.branch))
        work = _work(worktree.objects, worktree.common, inputs, head) if head else _Work()
        stat = _stat(worktree.objects, inputs, head) if inputs.counted and head else []
        foreign = (*looking.result(), *_widened(worktree, inputs))
    return Collected(
        problem=unsaid or _problem(inputs, head, worktree.is_there),
        head=head or "",
        branch=inputs.branch,
        commits=work.commits,
        new_commits=work.new_commits,
        log=work.lines,
        changed_files=tuple(layout.shown(path) for path in work.changed[:MOST_FILES]),
        changed_count=len(work.changed),
        matched=_fitting(inputs.wanted, work.changed),
        more=None if work.grown is None else _fitting(inputs.more, work.grown),
        stat=tuple(stat[:MOST_LINES]),
        stat_count=len(stat),
        violations=_strongest(_violations(worktree.objects, work, inputs), work.tricks),
        foreign=foreign,
        snapshot=taken.snapshot,
        kept_worktree=taken.kept_worktree,
        unmerged=tuple(layout.shown(path) for path in taken.seen.unmerged) if taken.seen else (),
    )


def _of_branch(inputs: CollectInputs) -> Collected:
    """A branch that a person sends: the commit that they saw, held by us from now on, wherever the branch
    goes. Nothing of a worktree or a checkout is looked at."""
    common = layout.common_dir(inputs.repo)
    git, ref = layout.git_on(common), f"{reachability.KEPT}/{inputs.run}/branch"
    if git.commit_of(inputs.committed) is None:
        message = f"The commit {inputs.committed[:12]} of {inputs.branch} is not there any more."
        return Collected(problem=Problem(code="branch_missing", message=message), branch=inputs.branch)
    git.move_ref(ref, inputs.committed, ZERO, "toryo: sent by a person")
    work = _work(git, common, inputs, inputs.committed)
    return Collected(
        head=inputs.committed,
        branch=inputs.branch,
        commits=work.commits,
        new_commits=work.new_commits,
        log=work.lines,
        changed_files=tuple(layout.shown(path) for path in work.changed[:MOST_FILES]),
        changed_count=len(work.changed),
        matched=_fitting(inputs.wanted, work.changed),
        more=None if work.grown is None else _fitting(inputs.more, work.grown),
        violations=_strongest(_violations(git, work, inputs), work.tricks),
    )


def _fitting(patterns: tuple[str, ...], paths: Collection[str]) -> tuple[str, ...]:
    """Those that one of the paths fits."""
    return tuple(one for one in patterns if any(matches((one,), layout.shown(path)) for path in paths))


def _stat(git: Git, inputs: CollectInputs, head: str) -> list[FileLines]:
    """What would land, counted: with the work of its children, of which none is its own."""
    old = git.commit_of(layout.tip_ref(inputs.target)) or inputs.base
    if git.run("merge-base", old, head).code == 1:
        return []  # a history that was begun anew
    return [
        FileLines(path=layout.shown(path), added=added, removed=removed)
        for path, added, removed in growth.counted(git, f"{old}...{head}")
    ]


def _violations(git: Git, work: _Work, inputs: CollectInputs) -> tuple[Violation, ...]:
    """One per path: the strongest rule it breaks. What the target tracks is never private."""
    scope = inputs.scope.scope
    paths = work.touched | set(work.changed)
    if named := sorted(paths & set(scope.private)):
        tip = git.commit_of(layout.tip_ref(inputs.target)) or inputs.base
        tracked = kept_paths.entries(git, tip, named)
        scope = replace(scope, private=tuple(path for path in scope.private if path not in tracked))
    found = []
    for path in sorted(paths):
        rule = _broken_rule(path, scope, inputs.protected)
        if rule is not None:
            found.append(Violation(path=layout.shown(path), rule=rule))
    return tuple(found)


def _strongest(found: tuple[Violation, ...], tricks: tuple[Violation, ...]) -> tuple[Violation, ...]:
    named = {violation.path for violation in found}
    every = (*found, *(trick for trick in tricks if trick.path not in named))
    return tuple(sorted(every, key=lambda violation: violation.path))[:MOST_FILES]


def _broken_rule(path: str, scope: Scope, protected: tuple[str, ...]) -> _Rule | None:
    # in any case: where names differ only by it, this is the same folder
    if f"{path}/".casefold().startswith(SETTINGS):
        return "settings"
    if scope.is_excluded(path):
        return "exclude"
    if not scope.may_write(path) and path not in (*scope.kept_out, *scope.private):
        return "write"
    return "protected" if matches(protected, path) else None


def _problem(inputs: CollectInputs, head: str | None, is_there: bool) -> Problem | None:
    if head is None:
        message = f"The branch {inputs.branch} was deleted."
        hint = "What it held is in the snapshot: `toryo restore`."
        return Problem(code="branch_missing", message=message, hint=hint)
    if not is_there:
        message = f"The worktree {inputs.worktree} was deleted."
        hint = f"The branch {inputs.branch} still holds what was committed."
        return Problem(code="worktree_missing", message=message, hint=hint)
    return None


def _work(git: Git, common: Path, inputs: CollectInputs, head: str) -> _Work:
    made = merged_by_hand.merged(git, common, inputs, head)
    tip = None if made else git.commit_of(layout.tip_ref(inputs.target))
    if inputs.landed:
        known = [commit for commit in (inputs.base, tip) if commit]
        return _own_work(git, inputs, head, tip, own_commits.own(git, head, known, inputs.landed))
    # of an outside run the user's branch may be ahead of the tip, and its own go there by hand
    ahead = git.commit_of(layout.head_ref(inputs.target)) if inputs.brought and not made else None
    # a resolve run merges the target: those commits are not the run's
    known = [commit for commit in (inputs.base, tip, ahead) if commit]
    since = inputs.start or inputs.base
    # against the tip, not the base: a merge that threw the target's side away touches nothing by itself
    old = tip or inputs.base
    if ahead and git.is_ancestor(old, ahead):
        old = ahead
    between: tuple[str, ...] = (f"{old}...{head}",)
    questions = [
        (
            *("log", "-z", "--no-renames", "-c", "--name-only", "--format=tformat:%x01%H%x09%s"),
            *(head, "--not", *known, "--"),
        ),
        ("diff", "--no-renames", "--raw", "--no-abbrev", "-z", *between, "--"),
    ]
    if since not in known:
        questions.append(("rev-list", "--count", head, "--not", since, *known, "--"))
    try:
        log, net, *counted = git.do_all(*questions, limit_s=600)
    except GitFailed:
        if git.run("merge-base", old, head).code != 1:
            raise
        # a history that was begun anew has nothing in common: all that it differs in is its work
        between = (old, head)
        questions[1] = (*questions[1][:-2], *between, "--")
        log, net, *counted = git.do_all(*questions, limit_s=600)
    lines: list[CommitLine] = []
    touched: set[str] = set()
    is_own = True
    for word in log.split("\0"):
        if word.startswith("\x01"):
            commit, _, subject = word[1:].partition("\t")
            is_own = not made or commit in made
            if not is_own:
                continue
            lines.append(CommitLine(id=commit, subject=layout.shown(subject)[:200]))
        elif is_own and (name := word.removeprefix("\n")):
            touched.add(name)
    fields = net.split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)  # the text ends with a separator
    entries = {path: (about.split()[1], about.split()[3]) for about, path in pairs}
    if made:  # the rest between base and head is what others landed meanwhile
        entries = {path: entry for path, entry in entries.items() if path in touched}
    return _Work(
        tuple(lines[:MOST_LINES]),
        len(lines),
        int(counted[0]) if counted and not made else len(lines),
        frozenset(touched),
        tuple(sorted(entries)),
        tricks=tuple(links.tricks(git, head, entries, inputs.scope.exclude)),
        grown=growth.grown(git, *between) if inputs.more else None,
    )


def _own_work(git: Git, inputs: CollectInputs, head: str, tip: str | None, own: tuple[str, ...]) -> _Work:
    """Of a unit whose children landed on its branch: only what it committed itself is judged as its own."""
    lines: list[CommitLine] = []
    touched: set[str] = set()
    if own:
        argv = ("log", "-z", "--no-walk=unsorted", "--no-renames", "-c", "--name-only", "--stdin")
        log = git.do(*argv, "--format=tformat:%x01%H%x09%s", stdin="\n".join([*own, ""]).encode())
        for word in log.split("\0"):
            if word.startswith("\x01"):
                commit, _, subject = word[1:].partition("\t")
                lines.append(CommitLine(id=commit, subject=layout.shown(subject)[:200]))
            elif name := word.removeprefix("\n"):
                touched.add(name)
    net = git.do("diff", "--no-renames", "--raw", "--no-abbrev", "-z", f"{tip or inputs.base}...{head}", "--")
    fields = net.split("\0")
    pairs = zip(fields[::2], fields[1::2], strict=False)
    entries = {path: (about.split()[1], about.split()[3]) for about, path in pairs if path in touched}
    since = inputs.start or inputs.base
    before = set(git.do("rev-list", head, "--not", since, "--").split())
    return _Work(
        tuple(lines[:MOST_LINES]),
        len(own),
        len(before.intersection(own)),
        frozenset(touched),
        tuple(sorted(entries)),
        tricks=tuple(links.tricks(git, head, entries, inputs.scope.exclude)),
        grown=frozenset(touched) if inputs.more else None,
    )


def _widened(worktree: Worktree, inputs: CollectInputs) -> list[Foreign]:
    """The worktree's own settings say what it may see; the next run gets them as they should be."""
    if worktree.admin is None:
        return []
    scope = inputs.scope.scope
    where = f"worktrees/{worktree.admin.name}"
    return [Foreign(what="config", name=f"{where}/{name}") for name in sparse.changed(worktree.admin, scope)]


def _foreign(inputs: CollectInputs, before: dict[str, Any] | None, run_dir: Path) -> tuple[Foreign, ...]:
    if before is None:
        return ()
    common = layout.common_dir(inputs.repo)
    git = layout.git_on(common)

    def is_ours(branch: str, old: str, new: str) -> bool:
        """Publishing goes forward and follows accepting: behind the tip by now perhaps, never beside it. A
        person's move of a target is followed, and is no act of the agent's either."""
        if old and not new:
            return deleted_branches.is_kept(git, branch, old)  # by a person, through us
        tip = after["tips"].get(branch)
        if not tip or not old or not new:
            return False
        if tip == new or (git.is_ancestor(old, new) and git.is_ancestor(new, tip)):
            return True
        return not reflogs.is_by_the_run(common, git, inputs.branch, inputs.base, old, new)

    after = fingerprint.take(inputs.repo, inputs.branch)
    found = fingerprint.compare(before, after, is_ours)
    found += fingerprint.others(before, after, common, inputs.branch)
    if any(change.what == "checkout" for change in found):
        # perhaps a publish of ours was half done: look again when no git works there
        end = time.monotonic() + PUBLISH_WAIT_S
        while (common / "index.lock").exists() and time.monotonic() < end:
            time.sleep(0.05)
        after = fingerprint.take(inputs.repo, inputs.branch)
        again = (
            *fingerprint.compare(before, after, is_ours),
            *fingerprint.others(before, after, common, inputs.branch),
        )
        found = tuple(change for change in found if change in again)
    found = _without_what_people_did(common, git, found, before, after)
    found = _without_their_moves(common, git, found, before, after)
    found = merged_by_hand.without(common, inputs, found)
    return user_backup.pin(common, run_dir, inputs.run, found, before, after)


def _without_what_people_did(
    common: Path, git: Git, found: tuple[Foreign, ...], before: dict[str, Any], after: dict[str, Any]
) -> tuple[Foreign, ...]:
    """A person who commits on a target, or resets it, changes the state of files in that checkout."""
    branch, ref = after["head"]["branch"], layout.head_ref(after["head"]["branch"])
    old, new = (seen["refs"].get(ref, "") for seen in (before, after))
    is_files = any(change.what == "checkout" and change.name != "HEAD" for change in found)
    is_told = any(change.name == layout.shown(ref) for change in found)
    if not is_files or is_told or branch not in after["tips"] or not old or old == new:
        return found
    excused = reflogs.excused_by(reflogs.moves_of_people(common, ref, old), git)
    return tuple(
        change
        for change in found
        if change.what != "checkout" or not excused.covers(change.name, change.after)
    )


def _without_their_moves(
    common: Path, git: Git, found: tuple[Foreign, ...], before: dict[str, Any], after: dict[str, Any]
) -> tuple[Foreign, ...]:
    """A person who commits, switches or stashes does so in a checkout of theirs, whose log tells of it."""
    known = before.get("logs", {})
    moves = reflogs.moves_since(common, known) if found else []
    if not moves:
        return found
    here = reflogs.moves_since(common, known, of_main=True)
    excused = reflogs.excused_by(here, git)
    has_switched = any(move.words.startswith(reflogs.SWITCH) for move in here)
    has_stashed = any(move.words.startswith("reset: ") for move in moves)
    has_stashed = has_stashed and set(before["stashes"]) <= set(after["stashes"])

    def is_theirs(change: Foreign) -> bool:
        if change.what == "ref":
            name = change.name.removeprefix(layout.head_ref(""))
            return name != change.name and any(move.makes(name, change.after) for move in moves)
        if change.what == "checkout" and change.name == "HEAD":
            return has_switched
        if change.what == "checkout":
            return excused.covers(change.name, change.after)
        return change.what == "stash" and has_stashed

    return tuple(change for change in found if not is_theirs(change))
