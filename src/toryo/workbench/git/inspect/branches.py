"""Branches of a repository, local, of agents and remote: newest commit, worktree, distance from a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from toryo.domain.naming import PREFIX
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.inspect.history import LONGEST

_FIELDS = (
    "refname",
    "objectname",
    "objecttype",
    "symref",
    "committerdate:iso-strict",
    "worktreepath",
    "subject",
)
_FORMAT = "%00".join(f"%({name})" for name in _FIELDS)
_ORDER = ("local", "agent", "remote")
_BESIDE = 4
"""Gits that count at the same time."""


@dataclass(frozen=True)
class Branch:
    name: str
    kind: str
    commit: str
    committed_at: str
    subject: str
    worktree: str
    ahead: int | None = None
    behind: int | None = None
    is_target: bool = False
    base: str = ""
    """Where it began; told of one that was asked for by its name."""


def listing(git: Git) -> list[Branch]:
    """By kind, then by name: a commit moves none of them."""
    told = git.do("for-each-ref", f"--format={_FORMAT}", "refs/heads", "refs/remotes")
    found = [_branch(line.split("\0")) for line in told.split("\n") if line.count("\0") == len(_FIELDS) - 1]
    return sorted((one for one in found if one), key=lambda one: (_ORDER.index(one.kind), one.name))


def compared(git: Git, page: Sequence[Branch], target: str, commit: str) -> list[Branch]:
    """With the commits that only they have, and those that only the target has."""
    ids = sorted({one.commit for one in page}) if commit else []
    counts: dict[str, tuple[int, int]] = {}
    for start in range(0, len(ids), _BESIDE):
        some = ids[start : start + _BESIDE]
        argv = [("rev-list", "--left-right", "--count", f"{one}...{commit}", "--") for one in some]
        for one, told in zip(some, git.do_all(*argv), strict=True):
            ahead, behind = told.split()
            counts[one] = (int(ahead), int(behind))
    unknown = (None, None)
    return [
        replace(
            one,
            ahead=counts.get(one.commit, unknown)[0],
            behind=counts.get(one.commit, unknown)[1],
            is_target=one.kind != "remote" and one.name == target,
        )
        for one in page
    ]


def with_base(git: Git, one: Branch, target: str) -> Branch:
    found = git.run("merge-base", one.commit, target) if target else None
    return replace(one, base=found.text.strip()) if found and found.code == 0 else one


def _branch(fields: Sequence[str]) -> Branch | None:
    """None: another name of a branch, or a ref that is no commit."""
    ref, commit, kind_of_object, symbolic, at, worktree, subject = fields
    if symbolic or kind_of_object != "commit":
        return None
    is_local = ref.startswith("refs/heads/")
    name = ref.removeprefix("refs/heads/" if is_local else "refs/remotes/")
    kind = ("agent" if name.startswith(PREFIX) else "local") if is_local else "remote"
    return Branch(name, kind, commit, at, subject[:LONGEST], worktree)
