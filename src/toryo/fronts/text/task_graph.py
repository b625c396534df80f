"""Graph of a plan's tasks as text: each below what it waits for, its other edges named beside it. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.text.output import columns, cut, one_line, paint, width, word
from toryo.fronts.text.steps import MOVING_SIGN, SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toryo.protocol.views.missions import PlannedTaskView

FORK, LAST, PASS, NOTHING = "├─ ", "└─ ", "│  ", "   "


def draw(tasks: Sequence[PlannedTaskView]) -> list[str]:
    """One line a task, and one with its agent, paths and checks where the plan names them."""
    known = {one["id"] for one in tasks}
    below: dict[str, list[PlannedTaskView]] = {}
    for one in tasks:
        below.setdefault(_parent(one, known), []).append(one)
    drawn: set[str] = set()
    lines = list(_branches(below, "", "", drawn))
    for one in tasks:  # of a cycle nobody is the first
        if one["id"] not in drawn:
            lines += _branches(
                {"": [one], **{key: kept for key, kept in below.items() if key}}, "", "", drawn
            )
    return lines


def _parent(task: PlannedTaskView, known: set[str]) -> str:
    """The last of those that it waits for: it stands below that one."""
    needed = [one for one in task["depends_on"] if one in known]
    return needed[-1] if needed else ""


def _branches(
    below: dict[str, list[PlannedTaskView]], above: str, guide: str, drawn: set[str]
) -> Iterator[str]:
    here = [one for one in below.get(above, []) if one["id"] not in drawn]
    for place, one in enumerate(here):
        if one["id"] in drawn:
            continue
        drawn.add(one["id"])
        is_last = place == len(here) - 1
        fork = "" if not above else LAST if is_last else FORK
        inner = guide if not above else guide + (NOTHING if is_last else PASS)
        yield _line(one, guide + fork, above)
        under = PASS if any(child["id"] not in drawn for child in below.get(one["id"], [])) else NOTHING
        for note in _notes(one):
            yield _fitting(f"{paint(inner + under, 'dim')}  ", f"{inner + under}  ", note)
        yield from _branches(below, one["id"], inner, drawn)


def _line(task: PlannedTaskView, guide: str, above: str) -> str:
    status = str(task["status"] or "")
    sign, colour = SIGNS.get(status, (MOVING_SIGN, "cyan"))
    others = [one for one in task["depends_on"] if one != above]
    after = f"after {', '.join(others)}" if others else ""
    state = f"{word(status)}{_because(task)}" if status else ""
    named = f"{task['id']} {task['task']}" if task["task"] else task["id"]
    begin = f"{guide}{sign} {named}  "
    told = "  ".join(part for part in (state, paint(one_line(after), "dim")) if part)
    bare = "  ".join(part for part in (status + _because(task) if status else "", after) if part)
    room = columns() - width(begin) - (width(bare) + 2 if bare else 0)
    title = one_line(task["title"])
    title = cut(title, max(room, 16)) if columns() else title
    painted = f"{paint(guide, 'dim')}{paint(sign, colour)} {named}  "
    return f"{painted}{title}{'  ' + told if told else ''}"


def _because(task: PlannedTaskView) -> str:
    return f" ({one_line(task['reason'])})" if task["reason"] else ""


def _notes(task: PlannedTaskView) -> list[str]:
    parts = [
        f"agent {task['agent']}" if task["agent"] else "",
        "by its predecessor's agent" if task["worktree"] == "shared" else "",
        "a unit: its agent may divide it" if task["unit"] else "",
        _paths("writes", task["write"]),
        f"checks {'; '.join(task['checks'])}" if task["checks"] else "",
        f"story {task['story']}" if task["story"] else "",
        _surprise(task),
    ]
    told = " · ".join(part for part in parts if part)
    return [told] if told else []


def _paths(verb: str, paths: Sequence[str] | None) -> str:
    return f"{verb} {', '.join(paths)}" if paths else ""


def _surprise(task: PlannedTaskView) -> str:
    """Paths that its landing changed, and which of them the plan did not predict."""
    if not task["touched"]:
        return ""
    from toryo.domain.scopes import matches

    predicted = task["write"]
    beyond = [] if predicted is None else [one for one in task["touched"] if not matches(predicted, one)]
    told = _paths("touched", task["touched"])
    return f"{told} (not predicted: {', '.join(beyond)})" if beyond else told


def _fitting(painted: str, bare: str, note: str) -> str:
    note = one_line(note)
    return painted + paint(cut(note, max(columns() - width(bare), 16)) if columns() else note, "dim")
