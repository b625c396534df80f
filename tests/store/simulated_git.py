"""A repository made of strings, for tests of the head: commits with parents, a tip, a branch, worktrees.

Its answers follow the same rules as the workbench's, so that a decision which would lose work loses it here.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

ROOT = "c0"


@dataclass
class Worktree:
    name: str
    base: str
    head: str
    merging: str = ""
    """The commit whose merge was begun and is not committed yet."""


@dataclass
class Repository:
    project: str
    tip: str = ROOT
    branch: str = ROOT
    """Empty: the branch is gone."""
    busy: str = ""
    """Why a publish must wait."""
    worktrees: dict[str, Worktree] = field(default_factory=dict)
    parents: dict[str, tuple[str, ...]] = field(default_factory=lambda: {ROOT: ()})
    reflog: list[str] = field(default_factory=lambda: [ROOT])
    retired: set[str] = field(default_factory=set)
    conflicts: dict[tuple[str, str], bool] = field(default_factory=dict)
    removals: list[frozenset[str]] = field(default_factory=list)
    """What people took off the branch, and said yes to."""
    settings: dict[str, str] = field(default_factory=dict)
    """Commits that changed `.toryo/`, and what they put there."""

    sight: str = ""
    """What is seen where the repository was, if it is not there: gone, other, owned."""

    def history(self, commit: str) -> frozenset[str]:
        """The commit and all it stands on."""
        found: set[str] = set()
        left = [commit] if commit else []
        while left:
            one = left.pop()
            if one not in found:
                found.add(one)
                left.extend(self.parents[one])
        return frozenset(found)

    def contains(self, commit: str, other: str) -> bool:
        return other in self.history(commit)

    def tree(self, commit: str) -> str:
        """Named by the work it holds: merges of the same work have the same tree."""
        work = sorted(one for one in self.history(commit) if len(self.parents[one]) < 2)
        return "tree-" + hashlib.sha256("/".join(work).encode()).hexdigest()[:8]

    def settings_tree(self, commit: str) -> str:
        """What the newest change of `.toryo/` in its history put there; empty without one."""
        held = [one for one in self.settings if one in self.history(commit)]
        return f"{held[-1]}:{self.settings[held[-1]]}" if held else ""

    def commit(self, *parents: str, name: str = "") -> str:
        made = name or f"c{len(self.parents)}"
        self.parents.setdefault(made, parents)
        return made

    def merge(self, tip: str, head: str, message: str) -> str:
        """The same inputs have the same id."""
        digest = hashlib.sha256(f"{tip}/{head}/{message}".encode()).hexdigest()[:8]
        return self.commit(tip, head, name=f"m{digest}")

    def move(self, to: str) -> None:
        self.branch = to
        if to:
            self.reflog.append(to)

    def ever_held(self) -> frozenset[str]:
        """Every commit that the branch contained at some time."""
        return frozenset().union(*(self.history(one) for one in set(self.reflog)))

    def relation(self) -> str:
        if not self.tip:
            return "no_tip"
        if self.sight and self.sight != "owned":  # that is known by its owner
            return self.sight
        if not self.branch:
            return "missing"
        if self.branch == self.tip:
            return "same"
        if self.contains(self.branch, self.tip):
            return "ahead"
        return "behind" if self.contains(self.tip, self.branch) else "diverged"

    def gone(self, kept: str) -> frozenset[str]:
        """The commits that were taken off and that this one has not."""
        return frozenset().union(*self.removals) - self.history(kept)

    def without(self, head: str, onto: str, since: str = "") -> str:
        """The head, or its own work put onto this one where it stands on what is gone; empty: none left."""
        gone = self.gone(onto) - (self.history(head) - self.history(since) if since else frozenset())
        ahead = self.history(head) - self.history(onto)
        if not ahead & gone:
            return head
        own = sorted(one for one in ahead - gone if len(self.parents[one]) < 2)
        at = onto
        for one in own:
            at = self.commit(at, name=f"{one}'{at}")
        return at if own else ""

    def was_rewound(self, new: str) -> bool:
        ahead = self.history(new) - self.history(self.branch)
        return bool(ahead & set(self.reflog))
