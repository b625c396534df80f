"""Own commits of a unit: all that its branch has, without what its children landed there.

A landing is a merge of ours: its second parent brings a child's work. All else is the unit's own, also what
it merged itself from elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from toryo.workbench.git.door.git import Git


def own(git: Git, head: str, known: Iterable[str], landed: Collection[str]) -> tuple[str, ...]:
    """The newest first; `known`: what the branch above has."""
    listed = git.do("rev-list", "--topo-order", "--parents", head, "--not", *known, "--", limit_s=600)
    parents = {words[0]: tuple(words[1:]) for line in listed.splitlines() if (words := line.split())}
    others = brought(parents, landed)
    return tuple(commit for commit in parents if commit not in others)


def brought(parents: Mapping[str, tuple[str, ...]], landed: Iterable[str]) -> frozenset[str]:
    """The landings themselves, and what each of them has and its first parent had not."""
    found: set[str] = set()
    for landing in landed:
        first, *others = parents.get(landing, ()) or ("",)
        if landing in parents:
            before = _reach(parents, (first,))
            found |= {landing} | (_reach(parents, others) - before)
    return frozenset(found)


def _reach(parents: Mapping[str, tuple[str, ...]], start: Iterable[str]) -> set[str]:
    found: set[str] = set()
    stack = [one for one in start if one in parents]
    while stack:
        one = stack.pop()
        if one not in found:
            found.add(one)
            stack += [parent for parent in parents[one] if parent in parents and parent not in found]
    return found
