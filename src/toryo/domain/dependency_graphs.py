"""Dependency graphs of plans: a cycle, an order, and everything that a task waits for. Pure.

A graph maps each id to what it waits for. Ids that are no key of it are passed over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

Graph = Mapping[str, Collection[str]]


def cycle(graph: Graph) -> tuple[str, ...]:
    """The first cycle in the graph's order: each followed by what it waits for, first and last the same."""
    done: set[str] = set()
    for start in graph:
        way: dict[str, None] = {}
        stack: list[tuple[str, bool]] = [(start, False)]
        while stack:
            one, left = stack.pop()
            if left:
                way.pop(one)
                done.add(one)
                continue
            if one in way:
                found = list(way)
                return (*found[found.index(one) :], one)
            if one in done:
                continue
            way[one] = None
            stack.append((one, True))
            stack += [(need, False) for need in reversed(list(graph[one])) if need in graph]
    return ()


def in_order(graph: Graph) -> tuple[str, ...]:
    """Each behind what it waits for, otherwise as given; empty where there is a cycle."""
    placed: dict[str, None] = {}
    left = {one: {need for need in needs if need in graph} for one, needs in graph.items()}
    while left:
        free = next((one for one, needs in left.items() if needs <= placed.keys()), None)
        if free is None:
            return ()
        placed[free] = None
        del left[free]
    return tuple(placed)


def ancestors(graph: Graph) -> dict[str, frozenset[str]]:
    """Of each all that it waits for, however far away; in a cycle that is itself, too."""
    return {one: _behind(graph, graph[one]) for one in graph}


def _behind(graph: Graph, first: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    stack = [one for one in first if one in graph]
    while stack:
        one = stack.pop()
        if one not in found:
            found.add(one)
            stack += [need for need in graph[one] if need in graph]
    return frozenset(found)
