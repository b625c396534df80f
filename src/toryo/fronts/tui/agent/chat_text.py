"""Chat text: messages, questions, the plan whole and the line about the mission, as Rich text. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from toryo.fronts.text import questions, task_graph
from toryo.fronts.text.output import clock, cut, one_line, plain, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toryo.protocol.views.missions import MessageView, MissionView, QuestionView

WHO = {
    "person": ("you", "bold green"),
    "planner": ("toryo", "bold cyan"),
    "progress": ("·", "dim"),
    "system": ("·", "dim"),
}
LEAST_TITLE = 8
TOLD_WITH_REASON = ("active", "paused", "failed")
"""Statuses that do not say by themselves what is going on."""


def message(one: MessageView) -> Table:
    """`12:03:10  you  the words`, long ones set in below their beginning."""
    name, style = WHO.get(one["who"], (one["who"], "bold"))
    words = Text(plain(one["text"].strip()), style="dim" if one["who"] == "system" else "")
    return _line(Text(clock(one["at"]), style="dim"), Text(name, style=style), words)


def note(words: str, style: str = "yellow") -> Table:
    """A word of this front, which no message of the mission is."""
    return _line(Text(), Text(), Text(plain(words), style=style))


def _line(at: Text, who: Text, words: Text) -> Table:
    line = Table.grid(padding=(0, 1), expand=True)
    line.add_column(width=8)
    line.add_column(width=5, justify="right")
    line.add_column(ratio=1)
    line.add_row(at, who, words)
    return line


def asked(found: Sequence[QuestionView]) -> Text:
    """The whole batch, each with its default."""
    lines = questions.batch(found).splitlines()
    text = Text(lines[0], style="bold yellow")
    for line in lines[1:]:
        is_default = line.startswith("   ") and ("(default)" in line or "default:" in line)
        text.append(f"\n{line}", style="bold" if line[:1].isdigit() else "green" if is_default else "")
    text.append(f"\n\n{questions.how_to_answer(found)}", style="dim")
    return text


def plan_parts(mission: MissionView) -> list[tuple[str, Text]]:
    """Title and text of each part: spec, plan, tasks, and what is wrong with them."""
    plan = mission["plan"]
    if plan is None:
        return []
    tasks = plan["tasks"]
    graph = "\n".join(task_graph.draw(tasks))
    most = f", at most {plan['parallelism']} at once" if plan["parallelism"] else ""
    head = f"tasks ({len(tasks)}{most})"
    parts = [(f"spec (plan {plan['version']})", _markdown(plan["spec"])), ("plan", _markdown(plan["plan"]))]
    parts = [part for part in parts if part[1].plain.strip()]
    parts.append((head, Text.from_ansi(graph)))
    findings = [
        f"{'fatal: ' if one['fatal'] else ''}{one['where']} {one['text']}" for one in plan["findings"]
    ]
    for title, style, lines in (
        ("faults: it cannot be started like this", "red", plan["faults"]),
        ("notes", "yellow", plan["notes"]),
        ("findings of the analysis", "yellow", findings),
    ):
        if lines:
            told = "\n".join(f"- {one_line(line)}" for line in lines)
            parts.append((title, Text(told, style=style)))
    return parts


def _markdown(source: str) -> Text:
    """As it is written, its headings set off."""
    text = Text()
    for line in plain(source.strip("\n")).split("\n"):
        style = "bold cyan" if line.startswith("#") else "bold" if line.startswith("**") else ""
        text.append(f"{line}\n", style=style)
    text.rstrip()
    return text


def status(mission: MissionView | None, queued: int, room: int) -> Text:
    """`Limits · active · 2 queued · 3 model calls · about 1,240 tokens`; the title gives way."""
    waiting = f"{queued} queued"
    if mission is None:
        return Text.assemble(("no mission", "bold"), f" · {waiting}")
    used = mission["usage"]
    state = mission["status"].replace("_", " ")
    reason = mission["reason"].replace("_", " ")
    if reason not in ("", state) and mission["status"] in TOLD_WITH_REASON:
        state += f" ({reason})"
    calls = "1 model call" if used["calls"] == 1 else f"{used['calls']} model calls"
    tokens = used["input_tokens"] + used["output_tokens"]
    told = f" · {state} · {waiting} · {calls} · about {tokens:,} tokens"
    title = cut(one_line(mission["title"] or mission["text"]), max(LEAST_TITLE, room - width(told)))
    return Text.assemble((title, "bold"), told)
