"""The live tree on a terminal. The one module that imports rich."""

from __future__ import annotations

import time

from rich.console import Console, Group
from rich.live import Live as RichLive
from rich.text import Text
from rich.tree import Tree

from toryo.domain.words import TaskStatus
from toryo.fronts.demo.plan import STATUS_COLOUR, agent_of
from toryo.fronts.demo.repository import NAME
from toryo.fronts.demo.screens import command_line
from toryo.fronts.demo.story import Story

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toryo.fronts.demo.story import Progress

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAMES_A_SECOND = 10
WIDEST = 100
TITLE = 20
"""Columns that a title needs: where they are not there, who works and how often is left out."""
GUIDE = 4
"""Columns that a level of the tree takes."""

SIGNS: dict[str, tuple[str, str]] = {
    "": ("·", "dim"),
    TaskStatus.DONE: ("✔", "green"),
    TaskStatus.FAILED: ("✘", "red"),
    TaskStatus.NEEDS_REVIEW: ("◆", "yellow"),
    TaskStatus.OPEN: ("·", "dim"),
    TaskStatus.BLOCKED: ("·", "dim"),
    TaskStatus.READY: ("·", "dim"),
}


class Live:
    """Redrawn by rich's own thread, so that it moves while a command is waited for."""

    def __init__(self) -> None:
        self._console = Console(highlight=False)
        self._begun = time.monotonic()
        self._story = Story()
        self._doing = ""
        self._live = RichLive(
            console=self._console, get_renderable=self._picture, refresh_per_second=FRAMES_A_SECOND
        )
        self._live.start()

    def say(self, text: str) -> None:
        self._console.print(Text.from_ansi(text))

    def command(self, line: str, outcome: str) -> None:
        self.say(command_line(line, outcome))

    def show(self, story: Story, doing: str) -> None:
        self._story, self._doing = story, doing

    def close(self) -> None:
        self._doing = ""
        self._live.stop()

    def _picture(self) -> Group:
        took = time.monotonic() - self._begun
        return picture(self._story, self._doing, took, self._console.width)


def picture(story: Story, doing: str, took: float, columns: int) -> Group:
    width = min(columns, WIDEST)
    root = Tree(_spread(Text(NAME, "bold"), Text(f"{took:.1f} s", "dim"), width), guide_style="dim")
    branches: dict[int, Tree] = {}
    for number, task in story.tasks.items():
        parent = branches[task.plan.after[-1]] if task.plan.after else root
        depth = 2 if task.plan.after else 1
        branches[number] = parent.add(_label(task, width - GUIDE * depth, time.time()))
    foot = [Text(f"\n{_frame(took)} {doing}", "dim")] if doing else []
    return Group(Text(""), root, *foot)


def _label(task: Progress, width: int, now: float) -> Text:
    """Two lines: what and who and how far, and under it the newest fact."""
    sign, sign_style = SIGNS.get(task.status, (_frame(now), "cyan"))
    elapsed = task.elapsed(now)
    agent = (f"{task.plan.agent:<8}", "" if agent_of(task.plan).honest else "italic")
    state = (f"{task.state:<25}", STATUS_COLOUR.get(task.status, "dim"))
    run = (f"run {task.run} " if task.run else " " * 6, "dim")
    past = (f"{elapsed:4.1f} s" if elapsed is not None else " " * 6, "dim")
    right = Text.assemble(agent, state, run, past)
    if right.cell_len + TITLE > width:
        right = Text.assemble(state, past)
    left = Text.assemble((f"{sign} ", sign_style), (f"{task.plan.number} ", "bold"), task.plan.title)
    note = Text(f"    {task.note}", "dim")
    note.truncate(width, overflow="ellipsis")
    return Text("\n").join((_spread(left, right, width), note))


def _frame(seconds: float) -> str:
    return FRAMES[int(seconds * FRAMES_A_SECOND) % len(FRAMES)]


def _spread(left: Text, right: Text, width: int) -> Text:
    """One at the left, one at the right, and never more than the width."""
    room = width - right.cell_len - 1
    left = left.copy()
    left.truncate(max(room, 8), overflow="ellipsis")
    return Text.assemble(left, " " * max(1, width - left.cell_len - right.cell_len), right)
