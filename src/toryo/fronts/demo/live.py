"""The live tree on a terminal. The one module that imports rich."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live as RichLive
from rich.text import Text
from rich.tree import Tree

from toryo.fronts.demo.plan import SENTENCE, agent_of
from toryo.fronts.demo.repository import NAME
from toryo.fronts.demo.screens import command_line
from toryo.fronts.demo.story import JUDGED, Story
from toryo.fronts.text.steps import ARROW, SIGNS, STATUS_COLOUR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toryo.fronts.demo.mission_steps import MissionProgress
    from toryo.fronts.demo.story import Progress

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAMES_A_SECOND = 10
WIDEST = 100
TITLE = 20
"""Columns that a title needs: where they are not there, who works and how often is left out."""
GUIDE = 4
"""Columns that a level of the tree takes."""
SIDE = "│ "


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

    @property
    def columns(self) -> int:
        return min(self._console.width, WIDEST)

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
    head = _spread(Text(NAME, "bold"), Text(f"{took:.1f} s", "dim"), width)
    root = Tree(Text("\n").join((head, *_mission(story.mission, took, width))), guide_style="dim")
    branches: dict[int, Tree] = {}
    for number, task in story.tasks.items():
        if task.id:
            parent = branches.get(task.plan.after[-1], root) if task.plan.after else root
            depth = 1 if parent is root else 2
            branches[number] = parent.add(_label(task, width - GUIDE * depth, time.time()))
    foot = [Text(f"\n{_frame(took)} {doing}", "dim")] if doing else []
    return Group(Text(""), root, *foot)


def _mission(mission: MissionProgress, took: float, width: int) -> list[Text]:
    """The sentence, and the way from it, each step with its time."""
    if not mission.id:
        return []
    words = [Text.assemble(word, (f" {at:.1f} s", "dim")) for word, at in mission.steps]
    if mission.moves:
        words.append(Text(f"{_frame(took)} {mission.moves}", "cyan"))
    sentence = Text(f"“{SENTENCE}”", "italic")
    sentence.truncate(width - len(SIDE), overflow="ellipsis")
    lines = [sentence, *_folded(words, width - len(SIDE))]
    return [Text.assemble((SIDE, "dim"), line) for line in lines]


def _label(task: Progress, width: int, now: float) -> Text:
    """What and who and how far, and under it the newest fact; at rest, the whole way."""
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
    notes = _folded([Text(word) for word in task.note.split(ARROW)], width - GUIDE, JUDGED)
    for note in notes:
        note.stylize("dim")
    return Text("\n").join((_spread(left, right, width), *(Text.assemble(" " * GUIDE, one) for one in notes)))


def _folded(words: Sequence[Text], width: int, turn: str = "") -> list[Text]:
    """Words with arrows between them, in as many lines as they need; a further one begins with its arrow, and
    so does the one of `turn`."""
    lines: list[Text] = []
    for word in words:
        more = Text.assemble((ARROW, "dim"), word)
        if lines and word.plain != turn and lines[-1].cell_len + more.cell_len <= width:
            lines[-1].append_text(more)
        else:
            lines.append(Text.assemble((ARROW.lstrip(), "dim"), word) if lines else word)
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines


def _frame(seconds: float) -> str:
    return FRAMES[int(seconds * FRAMES_A_SECOND) % len(FRAMES)]


def _spread(left: Text, right: Text, width: int) -> Text:
    """One at the left, one at the right, and never more than the width."""
    room = width - right.cell_len - 1
    left = left.copy()
    left.truncate(max(room, 8), overflow="ellipsis")
    return Text.assemble(left, " " * max(1, width - left.cell_len - right.cell_len), right)
