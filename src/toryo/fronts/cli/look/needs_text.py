"""Attention list as text, each item with the line to type; on a low screen the first of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.cli.look.work_tree import list_line
from toryo.fronts.cli.work.own_path import mended
from toryo.fronts.text.output import columns, cut, folded, one_line, paint, plain, width

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

LONGEST = 3
"""Lines of a reason on a terminal; `task show` has the whole of it."""


def draw(answer: dict[str, Any], room: int = 0) -> list[str]:
    """Its head and the entries in at most so many lines, with how many more there are; 0: all of them."""
    entries = [_problem(one) for one in answer.get("problems") or ()]
    statuses = [""] * len(entries)
    for one in answer.get("needs_you") or ():
        entries.append(_wish(one, answer))
        statuses.append(str(one.get("status") or ""))
    kept = len(entries)
    lines = _with_rest(entries, statuses, kept, answer)
    while room and len(lines) > room and kept > 1:
        kept -= 1
        lines = _with_rest(entries, statuses, kept, answer)
    return lines


def _with_rest(
    entries: Sequence[list[str]], statuses: Sequence[str], kept: int, answer: dict[str, Any]
) -> list[str]:
    rest = _rest(statuses[:kept], answer)
    if not entries and not rest:
        return []
    return [paint("needs you", "yellow"), *(line for entry in entries[:kept] for line in entry), *rest]


def _rest(shown: Sequence[str], answer: dict[str, Any]) -> list[str]:
    """How many more there are of each status, with the line that lists them."""
    counts = answer.get("needs_you_counts")
    if counts is None:  # of an older daemon
        counts = {"failed": (answer.get("counts") or {}).get("failed", 0)}
    lines = []
    for status, number in counts.items():
        more = number - sum(one == status for one in shown)
        if more > 0:
            told = "and" if shown else ""
            told = f"{told} {more} {'more ' if status in shown else ''}{status}: ".lstrip()
            line = list_line(answer, status)
            between = "\n    " if 0 < columns() < width(told + line) + 2 else ""
            lines += f"  {told.rstrip() if between else told}{between}{paint(line, 'cyan')}".split("\n")
    return lines


def _problem(one: dict[str, Any]) -> list[str]:
    lines = folded(one_line(f"{one['project']}: {one['what']}"), 2).split("\n")
    told = [f"  {lines[0]}", *lines[1:]]
    if one.get("type"):
        told.append("    " + paint(plain(mended(str(one["type"]))), "cyan"))
    return told


def _wish(one: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    name = str(one["task"])
    indent = len(name) + 4
    title = one_line(str(one.get("title") or ""))
    project = one_line(str(one.get("project_name") or "")) if len(answer.get("projects") or ()) > 1 else ""
    why = one_line(mended(str(one["why"])))
    if title:
        told = _folded(title, indent + (width(project) + 2 if project else 0), 1)
        begin = f"  {name}  " + (f"{paint(project, 'bold')}  " if project else "")
        lines = [begin + told[0], *(" " * indent + line for line in _folded(why, indent, LONGEST))]
    else:
        first, *others = _folded(why, indent, LONGEST)
        lines = [f"  {name}  {first}", *(" " * indent + line for line in others)]
    if one.get("type"):
        lines.append(" " * indent + _lines_to_type(one))
    return lines


def _folded(text: str, indent: int, most: int) -> list[str]:
    lines = [line.strip() for line in folded(text, indent).split("\n")]
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], cut(" ".join(lines[most - 1 :]), max(columns() - indent, 1))]


def _lines_to_type(one: dict[str, Any]) -> str:
    """The likeliest; of a failure also the one that takes it off this page."""
    first = paint(plain(mended(str(one["type"]))), "cyan")
    dismiss = f"toryo task dismiss {one['task']}"
    if dismiss not in (one.get("lines") or ()) or dismiss == one["type"]:
        return first
    return f"{first}  {paint('or', 'dim')}  {paint(dismiss, 'cyan')}"
