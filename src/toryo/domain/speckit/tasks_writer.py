"""Writer of tasks.md: planned tasks under spec-kit's headings; reading it gives the same graph. Pure.

A mark or a heading says something about order, so each is set only where the plan's own edges say it, too;
every edge that neither says is named by `(depends on …)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from toryo.domain.dependency_graphs import ancestors, in_order
from toryo.domain.planned_tasks import PlannedTask
from toryo.domain.speckit import task_lines
from toryo.domain.speckit.phases import Phase, Rank, place_edges
from toryo.domain.speckit.task_lines import TaskLine
from toryo.domain.speckit.tasks_file import INDENT

_NAMES = {
    Rank.SETUP: "Setup (Shared Infrastructure)",
    Rank.STORIES: "Implementation",
    Rank.POLISH: "Polish & Cross-Cutting Concerns",
}
_LEGEND = """## Dependencies & Execution Order

- A task without `[P]` begins after every task above it in its phase; one with it runs beside others.
- Setup comes before every story, stories run side by side, Polish comes last.
- `(depends on …)` names what a task needs besides.
"""
_TAG = re.compile(r"(?:US|User Story)? *0*(\d+)", re.IGNORECASE)

Behind = Mapping[str, frozenset[str]]
"""Of each task all that it waits for."""


def write(tasks: Sequence[PlannedTask], title: str, stories: Mapping[str, str] | None = None) -> str:
    """The file's text. `stories` has the titles of the spec's stories: `US1` → `Sign in (Priority: P1)`."""
    graph = {task.id: task.depends_on for task in tasks}
    behind = ancestors(graph)
    order = in_order(graph)
    placed = {id: place for place, id in enumerate(order)}
    ranked = sorted(tasks, key=lambda task: placed.get(task.id, 0))
    phases = _phases(ranked, behind) if order else [_beside_each_other(tasks)]
    by_place = ancestors(place_edges(phases))
    written = {task.id: task for task in tasks}
    chapters = [f"# Tasks: {task_lines.plain_title(title) or 'the plan'}\n"]
    for number, phase in enumerate(phases, 1):
        chapters.append(f"## Phase {number}: {_name(phase, stories or {})}\n")
        lines = [_entry(line, written[line.id], by_place[line.id]) for line in phase.lines]
        chapters.append("".join(lines))
    return "\n".join([*chapters, _LEGEND])


def story_tag(story: str) -> str:
    """`US1` of what a planner wrote (`US1`, `1`, `User Story 1`); empty for anything else."""
    found = _TAG.fullmatch(story.strip())
    return f"US{int(found[1])}" if found else ""


def _entry(line: TaskLine, task: PlannedTask, by_place: frozenset[str]) -> str:
    named = tuple(need for need in dict.fromkeys(task.depends_on) if need not in by_place)
    whole = TaskLine(line.id, task.title, task.done, line.parallel, line.story, named)
    below = [f"{INDENT}{text}".rstrip() for text in task.description.strip().splitlines()]
    return "\n".join([task_lines.write(whole), *below]) + "\n"


def _name(phase: Phase, stories: Mapping[str, str]) -> str:
    if not phase.story:
        return _NAMES[phase.rank]
    title = task_lines.plain_title(stories.get(phase.story, ""))
    return f"User Story {phase.story[2:]}" + (f" - {title}" if title else "")


def _phases(tasks: Sequence[PlannedTask], behind: Behind) -> list[Phase]:
    """Setup, stories and Polish where the edges say so; otherwise one phase holds all."""
    first = _apart(tasks, lambda one, other: one in behind[other])
    later = [task for task in tasks if task.id not in first]
    last = _apart(later, lambda one, other: other in behind[one])
    middle = [task for task in tasks if task.id not in first | last]
    tags = sorted({story_tag(task.story) for task in middle}, key=lambda tag: int(tag[2:] or 0))
    if not middle or "" in tags:
        return [_marked(Phase(), tasks, behind)]
    setup = [task for task in tasks if task.id in first]
    polish = [task for task in tasks if task.id in last]
    parts = [(Phase(Rank.SETUP), setup)]
    parts += [(Phase(story=tag), [one for one in middle if story_tag(one.story) == tag]) for tag in tags]
    parts += [(Phase(Rank.POLISH), polish)]
    return [_marked(phase, its, behind) for phase, its in parts if its]


def _apart(tasks: Sequence[PlannedTask], is_before: Callable[[str, str], bool]) -> frozenset[str]:
    """Tasks of no story, each on the same side of every other task: a phase of their own says no more."""
    found = {task.id for task in tasks if not story_tag(task.story)}
    while True:
        rest = [task.id for task in tasks if task.id not in found]
        kept = {one for one in found if all(is_before(one, other) for other in rest)}
        if kept == found:
            return frozenset(found)
        found = kept


def _marked(phase: Phase, tasks: Sequence[PlannedTask], behind: Behind) -> Phase:
    """Without `[P]` stands only what waits for all above it, and what all below it wait for."""
    ids = [task.id for task in tasks]
    for place, task in enumerate(tasks):
        above, below = ids[:place], ids[place + 1 :]
        alone = all(one in behind[task.id] for one in above) and all(task.id in behind[one] for one in below)
        phase.lines.append(_line(task, parallel=not alone))
    return phase


def _beside_each_other(tasks: Sequence[PlannedTask]) -> Phase:
    """What waits for itself has no order: every edge is named."""
    return Phase(lines=[_line(task, parallel=True) for task in tasks])


def _line(task: PlannedTask, *, parallel: bool) -> TaskLine:
    return TaskLine(task.id, task.title, task.done, parallel, story_tag(task.story))
