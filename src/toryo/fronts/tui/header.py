"""Header of the terminal front: the four screens by name, and counts of all work, asked for on news."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text
from textual.css.query import NoMatches
from textual.widgets import Static

from toryo.domain.errors import ToryoError
from toryo.fronts.text.output import width

if TYPE_CHECKING:
    from toryo.fronts.tui.app import ToryoApp

NAMES = {"branches": "Branches", "agent": "Agent", "work": "Work", "queue": "Queue"}
BETWEEN = "  "
CALM_S = 1.0
"""Between two counts, however much happens."""


class Counts:
    """Counts of the project that is shown, whichever screen is seen; Work brings its own."""

    def __init__(self, front: ToryoApp) -> None:
        self._front = front
        self._is_stale = self._is_counting = False

    def news(self) -> None:
        self._is_stale = True
        if not self._is_counting:
            self._is_counting = True
            self._front.run_worker(self._count(), name="count")

    async def _count(self) -> None:
        try:
            while self._is_stale:
                self._is_stale = False
                if self._front.mode != "work":
                    self._front.show_counts(await self._front.ask("get_status", **self._front.where))
                await asyncio.sleep(CALM_S)
        except (ToryoError, NoMatches):
            return  # who is lost is shown already; without its widgets the front is being closed
        finally:
            self._is_counting = False


def counted(status: dict[str, Any]) -> str:
    """`2 moving · 1 needs you`."""
    moving = sum(status["counts"].get(name, 0) for name in ("running", "verifying", "landing"))
    needs = len(status["needs_you"])
    return f"{moving} moving" + (f" · {needs} need{'s' if needs == 1 else ''} you" if needs else "")


def hints(parts: str, room: int) -> Text:
    """Keys with what they do, the most useful first: as many as fit, and always the last one."""
    *first, last = parts.split(" · ")
    text, left = Text(), room - width(last)
    for part in first:
        left -= width(part) + len(BETWEEN)
        if left >= 0:
            text.append_text(_hint(part)).append(BETWEEN)
    return text.append_text(_hint(last))


def _hint(part: str) -> Text:
    key, _, does = part.partition(" ")
    return Text.assemble((key, "bold"), f" {does}")


class ModeNames(Static):
    """The four screens; a click shows one."""

    def show(self, mode: str) -> None:
        text = Text(" 棟 ", style="bold")
        for number, (name, title) in enumerate(NAMES.items(), 1):
            text.append(f" {number} {title} ", style="reverse bold" if name == mode else "")
        self.update(text)

    def on_click(self, event: Any) -> None:
        at = 4
        for number, (name, title) in enumerate(NAMES.items(), 1):
            wide = len(f" {number} {title} ")
            if at <= event.x < at + wide:
                cast("ToryoApp", self.app).show(name)
            at += wide
