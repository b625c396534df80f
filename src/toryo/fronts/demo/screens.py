"""Progress display of the demo: a live tree on a terminal, lines elsewhere, nothing beside `--json`.

The live tree (live.py) is the only user of rich, imported where it is needed.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from toryo.fronts.text.output import in_colour, paint

if TYPE_CHECKING:
    from typing import Protocol

    from toryo.fronts.demo.story import Story

    class Screen(Protocol):
        @property
        def columns(self) -> int: ...

        def say(self, text: str) -> None:
            """A line of its own that stays."""

        def command(self, line: str, outcome: str) -> None:
            """A command that was typed for the user, and what came of it."""

        def show(self, story: Story, doing: str) -> None:
            """The state of all tasks, and what the demo does at the moment."""

        def close(self) -> None: ...


COMMAND_COLUMNS = 36
WIDEST = 100


def choose(*, json: bool) -> Screen:
    if json:
        return Silent()
    if in_colour(sys.stdout):
        from toryo.fronts.demo.live import Live

        return Live()
    return Lines()


class Silent:
    """On a terminal one line on stderr says that something is going on."""

    columns = WIDEST

    def __init__(self) -> None:
        from toryo.fronts.text.output import Progress

        self._progress = Progress("the demo is running")

    def say(self, text: str) -> None: ...

    def command(self, line: str, outcome: str) -> None: ...

    def show(self, story: Story, doing: str) -> None:
        self._progress.tick()

    def close(self) -> None:
        self._progress.__exit__()


class Lines:
    """A line for everything that happens, for pipes and logs."""

    columns = WIDEST

    def __init__(self) -> None:
        self._begun = time.time()
        self._told = 0

    def say(self, text: str) -> None:
        print(text, flush=True)

    def command(self, line: str, outcome: str) -> None:
        self.say(command_line(line, outcome))

    def show(self, story: Story, doing: str) -> None:
        for one in story.told[self._told :]:
            since = max(0.0, one.at - self._begun)
            self.say(f"{since:5.1f} s  {_who(story, one.number)}: {one.text}")
        self._told = len(story.told)

    def close(self) -> None: ...


def _who(story: Story, number: int) -> str:
    if number not in story.tasks:
        return "the mission"
    task = story.tasks[number].plan
    return f"{number} {task.title} ({task.agent})"


def command_line(line: str, outcome: str) -> str:
    if not outcome:
        return f"{paint('$', 'dim')} {line}"
    return f"{paint('$', 'dim')} {line:<{COMMAND_COLUMNS}} {paint(outcome, 'dim')}"
