"""Ref cleanup: candidates that a tip contains, or that lay unused for a month, are let go.

What evidence names stays reachable from the tip; a candidate that never landed can be built again, with the
same id, from the branch and the tip that it was made of.
"""

from __future__ import annotations

from toryo.clock import passed
from toryo.workbench.git.door import layout
from toryo.workbench.git.door.git import Git
from toryo.workbench.git.inspect.reachability import TIPS
from toryo.workbench.git.landing.candidates import CANDIDATES

KEEP_S = 30 * 24 * 3600.0
AT_ONCE = 500
"""Refs per transaction: a transaction holds a lock on each."""


def thin(repo: str, *, now: float | None = None) -> int:
    """How many refs went. Each only if it still names what was looked at."""
    git = layout.git_on(layout.common_dir(repo))
    moment = passed() if now is None else now
    spent = _contained(git) | _old(git, moment - KEEP_S)
    listed = sorted(spent.items())
    for start in range(0, len(listed), AT_ONCE):
        lines = [f"delete {ref} {commit}" for ref, commit in listed[start : start + AT_ONCE]]
        git.do("update-ref", "--stdin", stdin="\n".join([*lines, ""]).encode())
    return len(listed)


def _contained(git: Git) -> dict[str, str]:
    found: dict[str, str] = {}
    tips = git.do("for-each-ref", "--format=%(objectname)", TIPS).split()
    for tip in dict.fromkeys(tips):
        found |= _listed(git, "--merged", tip)
    return found


def _old(git: Git, before: float) -> dict[str, str]:
    text = git.do("for-each-ref", "--format=%(committerdate:unix) %(objectname) %(refname)", CANDIDATES)
    lines = (line.split(" ", 2) for line in text.split("\n") if line)
    return {ref: commit for date, commit, ref in lines if date and float(date) < before}


def _listed(git: Git, *options: str) -> dict[str, str]:
    text = git.do("for-each-ref", "--format=%(objectname) %(refname)", *options, CANDIDATES)
    return {ref: commit for commit, ref in (line.split(" ", 1) for line in text.split("\n") if line)}
