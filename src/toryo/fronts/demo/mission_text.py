"""Questions and plan of the mission in a few lines: what `toryo do` asks, takes and approves. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.text.output import cut, one_line, paint

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

INDENT = "  "
TITLE = 26
AGENT = 9


def brief(mission: Mapping[str, Any], columns: int) -> list[str]:
    return [*questions(mission, columns), *plan(mission, columns)]


def questions(mission: Mapping[str, Any], columns: int) -> list[str]:
    """Each with its answer."""
    lines = []
    room = max((len(one_line(one["text"])) for one in mission["questions"]), default=0)
    for one in mission["questions"]:
        answer = one_line(str(one["answer"] or ""))
        taken = "  (default)" if answer == one["default"] else ""
        head = f"{INDENT}? {one_line(one['text']):<{room}}  "
        told = cut(f"{answer}{taken}", max(columns - len(head), 8))
        lines.append(f"{INDENT}{paint('?', 'cyan')}{head[len(INDENT) + 1 :]}{told}")
    return lines


def plan(mission: Mapping[str, Any], columns: int) -> list[str]:
    """The task graph: who does what after whom, and what the analysis found."""
    shown = mission["plan"]
    if not shown:
        return []
    head = f"plan {shown['version']}: spec, plan and {len(shown['tasks'])} tasks, approved whole"
    lines = [f"{INDENT}{paint('+', 'cyan')} {head}"]
    for one in shown["tasks"]:
        after = f"after {', '.join(one['depends_on'])}" if one["depends_on"] else ""
        told = f"{one['id']}  {one_line(one['title']):<{TITLE}}{one['agent'] or '':<{AGENT}}{after}"
        lines.append(cut(f"{INDENT}  {told}", columns).rstrip())
    for one in shown["findings"]:
        found = cut(f"{one['where']}: {one_line(one['text'])}", columns - 4)
        lines.append(f"{INDENT}{paint('!', 'yellow')} {found}")
    return lines
