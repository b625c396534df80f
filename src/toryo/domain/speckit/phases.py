"""Phases of spec-kit's tasks.md, and which tasks must come before which by their place in it. Pure.

Setup and Foundational come before every story, stories side by side, Polish last; any other phase comes where
it stands. Within a phase a task without `[P]` needs the nearest earlier one without it and all `[P]` between,
a `[P]` task the nearest earlier one without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import groupby

from toryo.domain.speckit.task_lines import TaskLine

_HEADING = re.compile(r"^## +(?P<title>.*?) *$")
_PHASE = re.compile(r"^Phase +[^\s:]+ *[:–—-] *(?P<name>.*)$", re.IGNORECASE)
_STORY = re.compile(r"^User Story +(?P<number>\d+)\b", re.IGNORECASE)

Needs = tuple[str, ...]


class Rank(IntEnum):
    SETUP = 0
    FOUNDATIONAL = 1
    STORIES = 2
    POLISH = 3


_RANKS = {"setup": Rank.SETUP, "foundation": Rank.FOUNDATIONAL, "polish": Rank.POLISH}


@dataclass
class Phase:
    rank: Rank = Rank.STORIES
    story: str = ""
    """`US1` of a user story's phase; stories next to each other run side by side."""
    lines: list[TaskLine] = field(default_factory=list)


def heading(line: str) -> Phase | None:
    """The phase that a line opens; a chapter that is none holds tasks as a phase of its own."""
    found = _HEADING.match(line.rstrip("\r\n"))
    if not found:
        return None
    phase = _PHASE.match(found["title"])
    name = phase["name"] if phase else found["title"]
    if story := _STORY.match(name):
        return Phase(story=f"US{int(story['number'])}")
    first = next((rank for start, rank in _RANKS.items() if name.casefold().startswith(start)), Rank.STORIES)
    return Phase(first)


def place_edges(phases: Iterable[Phase]) -> dict[str, Needs]:
    """What each task needs by its place alone, its own `(depends on …)` left out."""
    needs: dict[str, Needs] = {}
    before: Needs = ()
    for level in _levels([phase for phase in phases if phase.lines]):
        last: list[str] = []
        for phase in level:
            last += _chain(phase.lines, before, needs)
        before = tuple(last)
    return needs


def _levels(phases: Sequence[Phase]) -> list[list[Phase]]:
    """Phases that run side by side, in their order."""
    ranked = sorted(phases, key=lambda phase: phase.rank)
    groups = groupby(enumerate(ranked), key=lambda pair: "stories" if pair[1].story else pair[0])
    return [[phase for _, phase in group] for _, group in groups]


def _chain(lines: Sequence[TaskLine], before: Needs, needs: dict[str, Needs]) -> list[str]:
    """Set what each line needs; returns those that nothing behind them in the phase waits for."""
    spine = ""
    beside: list[str] = []
    for line in lines:
        nearest = (spine,) if spine else before
        if line.parallel:
            needs[line.id] = nearest
            beside.append(line.id)
            continue
        needs[line.id] = (spine, *beside) if spine else tuple(beside) or before
        spine, beside = line.id, []
    return beside or [spine]
