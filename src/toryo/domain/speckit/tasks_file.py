"""Spec-kit's tasks.md as planned tasks: read, and ticked from evidence. Pure."""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby

from toryo.domain.planned_tasks import PlannedTask
from toryo.domain.speckit.phases import Phase, heading, place_edges
from toryo.domain.speckit.task_lines import TaskLine, outside_examples, read, ticked

INDENT = "  "
"""Before each line of a description, which stands below its task's line."""


def parse(text: str) -> tuple[PlannedTask, ...]:
    """All tasks in the file's order, with the edges of their places and of `(depends on …)`.

    An id that stands there twice is given back twice, and a named one that is nowhere is kept: the rules for
    plans say so.
    """
    phases, described = _phases(text)
    needs = place_edges(phases)
    return tuple(
        PlannedTask(
            id=line.id,
            title=line.text,
            description=described.get(line.id, ""),
            depends_on=tuple(dict.fromkeys((*needs[line.id], *line.depends_on))),
            story=line.story or phase.story,
            done=line.done,
        )
        for phase in phases
        for line in phase.lines
    )


def tick(text: str, landed: Collection[str]) -> str:
    """The text with the marks of these tasks set, and not one character else changed."""
    lines = []
    for line, counts in outside_examples(text):
        task = read(line) if counts else None
        lines.append(ticked(line) if task and task.id in landed and not task.done else line)
    return "".join(lines)


def _phases(text: str) -> tuple[list[Phase], dict[str, str]]:
    phases = [Phase()]
    described: dict[str, list[str]] = {}
    newest = ""
    for line, counts in outside_examples(text):
        opened, task = (heading(line), read(line)) if counts else (None, None)
        if opened:
            phases.append(opened)
            newest = ""
        elif task:
            phases[-1].lines.append(task)
            newest = task.id
            described[newest] = []
        elif newest and (line.startswith(INDENT) or not line.strip()):
            described[newest].append(line.removeprefix(INDENT).rstrip())
        else:
            newest = ""
    first = _without_heading(phases[0].lines)
    return [*first, *phases[1:]], {id: "\n".join(lines).strip("\n") for id, lines in described.items()}


def _without_heading(lines: list[TaskLine]) -> list[Phase]:
    """A list without phases: runs of tagged lines are stories side by side, others a phase each."""
    phases = []
    for tagged, run in groupby(lines, key=lambda line: bool(line.story)):
        if not tagged:
            phases.append(Phase(lines=list(run)))
            continue
        stories: dict[str, Phase] = {}
        for line in run:
            stories.setdefault(line.story, Phase(story=line.story)).lines.append(line)
        phases += stories.values()
    return phases
