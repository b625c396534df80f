"""Preview text of the work screen: why, diff with marks, checks, as Rich text. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from rich.console import Group
from rich.table import Table
from rich.text import Text

from toryo.fronts.text.output import ago, duration, one_line, plain
from toryo.fronts.text.steps import MOVING_SIGN, SIGNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from toryo.protocol.views.actions import ActionView
    from toryo.protocol.views.evidence import Evidence
    from toryo.protocol.views.missions import MissionView
    from toryo.protocol.views.reviews import HunkView, Review
    from toryo.protocol.views.why import Why

RESULTS = {
    "passed": ("✔", "green"),
    "failed": ("✘", "red"),
    "timed_out": ("✘", "red"),
    "flaky": ("◆", "yellow"),
}
LONGEST_OUTPUT = 4000
MOST_LINES = 3000


def why(found: Why, now: float) -> Group:
    """Sentence, facts with their age, what it waits for, whose turn it is, what may be done."""
    sign, style = SIGNS.get(found["status"], (MOVING_SIGN, "cyan"))
    text = Text(f"{one_line(found['subject']['title'])}\n", style="bold")
    text.append(f"{found['subject']['kind']} {found['subject']['id']}  ", style="dim")
    state = found["status"].replace("_", " ")
    reason = f" ({found['reason'].replace('_', ' ')})" if found["reason"] else ""
    text.append(f"{sign} {state}{reason}\n\n", style=style)
    text.append(f"{plain(found['sentence'])}\n")
    text.append(f"It is the turn of: {found['turn']}.\n", style="bold" if found["turn"] == "person" else "")
    if found["waits_for"]:
        text.append("\nwaits for\n", style="bold")
        for link in found["waits_for"]:
            text.append(f"  {link['subject']}  {link['status']} {link['reason']}\n")
    return Group(text, *_may(found["actions"]), *_facts(found, now))


def _may(actions: Sequence[ActionView]) -> list[RenderableType]:
    """What a person may do, with the line to type beside it."""
    rows = [(Text(one["do"].replace("_", " "), "cyan"), Text(plain(one["line"]), "dim")) for one in actions]
    return [Text("you may", "bold"), _grid(rows, "left"), Text()] if rows else []


def _facts(found: Why, now: float) -> list[RenderableType]:
    rows = []
    for fact in found["facts"]:
        told = Text.assemble(one_line(fact["what"]), (f"  {fact['row']}", "dim"))
        rows.append((Text(ago(fact["at"], now) or "—", "dim"), told))
    return [Text("it stands on", "bold"), _grid(rows, "right")] if rows else []


def _grid(rows: Sequence[tuple[Text, Text]], justify: Literal["left", "right"]) -> Table:
    """Two columns; what is long goes on below its beginning."""
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(justify=justify, no_wrap=True, min_width=8)
    grid.add_column(ratio=1)
    for row in rows:
        grid.add_row(*row)
    return grid


def mission(found: MissionView) -> Group:
    """For the first tab of a mission: where it stands and each task of its plan."""
    sign, style = SIGNS.get(found["status"], (MOVING_SIGN, "cyan"))
    text = Text(f"{one_line(found['title'])}\n", style="bold")
    text.append(f"mission {found['id']}  ", style="dim")
    text.append(
        f"{sign} {found['status'].replace('_', ' ')} {found['reason'].replace('_', ' ')}\n", style=style
    )
    text.append(f"lands on {found['target']}\n", style="dim")
    if found["detail"]:
        text.append(f"\n{plain(found['detail'])}\n")
    for one in found["plan"]["tasks"] if found["plan"] else ():
        sign, style = SIGNS.get(str(one["status"] or ""), (MOVING_SIGN, "cyan"))
        text.append(f"\n{sign} ", style=style)
        text.append(f"{one['id']} {one_line(one['title'])}")
        text.append(f"  {(one['status'] or 'planned').replace('_', ' ')}", style=style)
    text.append("\n")
    return Group(text, *_may(found["actions"]))


def hunks(found: Review) -> list[HunkView]:
    """In the order in which they are shown."""
    return [one for file in found["files"] for one in file["hunks"]]


def place(found: Review, chosen: str) -> dict[str, Any]:
    """Path and lines of a hunk as it is now; empty: it is gone."""
    for file in found["files"]:
        for hunk in file["hunks"]:
            if hunk["id"] == chosen:
                first = max(1, hunk["new_start"])
                count = sum(line[:1] != "-" for line in hunk["lines"])
                excerpt = "\n".join(hunk["lines"])
                return {
                    "path": file["path"],
                    "first": first,
                    "last": first + max(0, count - 1),
                    "excerpt": excerpt,
                }
    return {}


def diff(found: Review, chosen: str = "") -> tuple[Text, int]:
    """Hunks with their marks, comments below their file; and where the chosen hunk begins."""
    text, begin = Text(f"{found['seen']} of {found['hunks']} hunks seen", style="bold"), 0
    text.append(" · } { V one · v all" if found["seen"] < found["hunks"] else " · all seen", style="dim")
    text.append("\n")
    for file in found["files"]:
        text.append(f"\n{plain(file['path'])}", style="bold cyan")
        text.append(f"  {file['kind']}{' binary' if file['binary'] else ''}\n", style="dim")
        for hunk in file["hunks"]:
            if hunk["id"] == chosen:
                begin = len(text)
            text.append_text(_hunk(hunk, is_chosen=hunk["id"] == chosen))
        for one in found["comments"]:
            if one["path"] == file["path"]:
                state = "sent" if one["sent_at"] else "draft"
                text.append(
                    f"  ▎{one['first']}-{one['last']} {plain(one['text'])} ({state})\n", style="magenta"
                )
    if not found["files"]:
        text.append("\nIt changed nothing.", style="dim")
    if found["cut"]:
        text.append("\nThe change is larger than what is shown.", style="yellow")
    return text, begin


def _hunk(hunk: HunkView, *, is_chosen: bool) -> Text:
    text = Text("▌ " if is_chosen else "  ", style="bold")
    text.append("✔ seen " if hunk["seen"] else "· new  ", style="green" if hunk["seen"] else "yellow")
    text.append(f"{plain(hunk['header'])}\n", style="reverse" if is_chosen else "dim")
    for line in hunk["lines"]:
        text.append(f"{plain(line)}\n", style={"+": "green", "-": "red"}.get(line[:1], ""))
    return text


def checks(found: Evidence) -> Text:
    """The checks that its status stands on, with their output."""
    text = Text(f"verdict: {found['verdict'] or 'none yet'}", style="bold")
    text.append(
        f"  commit {found['commit'][:12]}  tree {found['tree'][:12]}\n" if found["commit"] else "\n",
        style="dim",
    )
    if running := found["checking"]:
        since = f"{running['number']} of {running['of']}"
        text.append(f"● {plain(running['command'])}  runs now ({since})\n", style="cyan")
    for one in found["checks"]:
        sign, style = RESULTS.get(one["result"], ("◆", "yellow"))
        text.append(f"\n{sign} {plain(one['command'])}", style=f"bold {style}")
        took = duration(one["duration_s"])
        text.append(f"  {one['result'].replace('_', ' ')}, {took}, {one['attempts']} tries\n", style="dim")
        text.append(f"{plain(one['output'][-LONGEST_OUTPUT:].rstrip())}\n")
    for broken in found["violations"]:
        text.append(f"\n◆ {plain(broken['path'])}: {plain(broken['rule'])}", style="yellow")
    if not found["checks"] and not found["checking"]:
        is_unchecked = found["verdict"] == "unchecked"
        text.append("\nNo check is configured." if is_unchecked else "\nNo check has run yet.", style="dim")
    return text
