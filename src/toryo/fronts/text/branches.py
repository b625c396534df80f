"""Words about branches that every front of this machine says alike. Pure."""

from __future__ import annotations


def unmerged(count: int | None) -> str:
    """What a branch has that its target does not; None: nobody could count it."""
    if count is None:
        return "commits that could not be compared"
    if not count:
        return "nothing that is not merged"
    return f"{count} commit{'' if count == 1 else 's'} that {'is' if count == 1 else 'are'} not merged"
