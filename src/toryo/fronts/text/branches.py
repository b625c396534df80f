"""Words about branches that every front of this machine says alike. Pure."""

from __future__ import annotations


def unmerged(count: int | None) -> str:
    """What a branch has that its target does not; None: nobody could count it."""
    if count is None:
        return "commits that could not be compared"
    if not count:
        return "nothing that is not merged"
    return f"{counted(count)} that {'is' if count == 1 else 'are'} not merged"


def counted(commits: int) -> str:
    return "1 commit" if commits == 1 else f"{commits} commits"
