"""Plan of a mission as text: spec, plan and task graph whole, with faults, notes and findings. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toryo.fronts.text import task_graph
from toryo.fronts.text.output import columns, fold_copyable, one_line, paint, plain

if TYPE_CHECKING:
    from toryo.protocol.views.missions import FindingView, MissionView, PlanView

WIDEST_RULE = 72
ALONE = "One agent is enough for this: the plan has one task."


def page(mission: MissionView) -> str:
    """Everything that is approved or rejected; empty before there is a plan."""
    plan = mission["plan"]
    if plan is None:
        return ""
    parts = [_section(f"spec (plan {plan['version']})", plan["spec"]), _section("plan", plan["plan"])]
    parts.append(_section(_tasks_head(plan), "\n".join(task_graph.draw(plan["tasks"])), written=True))
    for head, colour, lines in (
        ("faults: the plan cannot be started like this", "red", plan["faults"]),
        ("notes", "yellow", plan["notes"]),
        ("findings of the analysis", "yellow", [_finding(one) for one in plan["findings"]]),
    ):
        if lines:
            parts.append("\n".join([paint(head, colour), *(_item(line) for line in lines)]))
    return "\n\n".join(part for part in parts if part)


def _tasks_head(plan: PlanView) -> str:
    tasks = plan["tasks"]
    if len(tasks) == 1:
        return ALONE
    most = f", at most {plan['parallelism']} at once" if plan["parallelism"] else ""
    return f"{len(tasks)} tasks{most}"


def _section(head: str, text: str, *, written: bool = False) -> str:
    """Set apart by a rule; a model's Markdown is shown as it is, folded for the terminal."""
    if not text.strip():
        return ""
    rule = "─" * max(4, min(columns() or WIDEST_RULE, WIDEST_RULE) - len(head) - 4)
    shown = text if written else fold_copyable(plain(text.strip("\n")), columns(), 0)
    return f"{paint(f'── {head} {rule}', 'bold')}\n\n{shown}"


def _finding(one: FindingView) -> str:
    where = f"{one['where']}: " if one["where"] else ""
    return f"{'fatal: ' if one['fatal'] else ''}{where}{one['text']}"


def _item(text: str) -> str:
    return f"  - {one_line(text)}"


def lines_to_type(mission: MissionView) -> list[str]:
    """For who cannot be asked here."""
    plan = mission["plan"]
    faulty = plan is not None and bool(plan["faults"])
    approve = [] if faulty else [f"toryo mission approve {mission['id']}"]
    return [*approve, f'toryo mission reject {mission["id"]} "what is to be different"']
