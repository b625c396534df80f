"""`status --watch`: the page stays open and is drawn again in place when something happened.

It sleeps in the daemon's long poll for events; only the clocks tick by themselves, once a second at most.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from toryo.fronts.cli.look.status import newest, only_its_own, with_page
from toryo.fronts.cli.look.status_page import page as page_of
from toryo.fronts.cli.look.status_page import rows_left
from toryo.fronts.text.output import paint
from toryo.protocol.wire import WireError

if TYPE_CHECKING:
    import argparse
    from typing import Any, NoReturn

    from toryo.fronts.client import Desk

LOOK_AGAIN_S = 10.0
"""A coordinator that falls silent makes no event: the page is asked for again after so long."""
CALM_S = 0.2
"""Between two looks, however much happens."""

ENTER, LEAVE = "\033[?1049h\033[?25l\033[?7l", "\033[?7h\033[?25h\033[?1049l"
"""The terminal's other screen, without a cursor and without breaking long lines; and back."""
BEGIN, END = "\033[?2026h\033[H", "\033[J\033[?2026l"
"""Terminals that know it show what is between the two at once; the others see it drawn over in place."""


def watch(args: argparse.Namespace, desk: Desk) -> int:
    """Until Ctrl-C, which is how one ends it: exit code 0."""
    page = Page(with_page(only_its_own(args, newest(args.project, desk.call)), desk), max(1.0, args.every))
    before = signal.signal(signal.SIGTERM, _leave)
    sys.stdout.write(ENTER)
    try:
        page.draw()
        _follow(args, desk, page)
    except KeyboardInterrupt:
        return 0  # it is how one ends it
    finally:
        sys.stdout.write(LEAVE)
        print("\n".join(page_of(page.answer, time.time(), rows_left())))
        signal.signal(signal.SIGTERM, before)


def _leave(*_: object) -> None:
    raise KeyboardInterrupt


def _follow(args: argparse.Namespace, desk: Desk, page: Page) -> NoReturn:
    seen = -1
    while True:
        try:
            if seen < 0:
                seen = int(desk.call_if_there("list_events", {"limit": 1})["newest"])
            page.show(with_page(only_its_own(args, newest(args.project, desk.call_if_there)), desk))
            time.sleep(CALM_S)
            wait = {"after": seen, "limit": 1000, "wait_s": LOOK_AGAIN_S}
            seen = int(desk.call_if_there("list_events", wait, on_wait=page.tick)["next_after"])
        except WireError:
            seen = -1
            page.lost()
            time.sleep(1.0)


class Page:
    """What was answered last, and how it looks on this terminal now."""

    def __init__(self, answer: dict[str, Any], every_s: float) -> None:
        self.answer = answer
        self._every_s = every_s
        self._asked = self._drawn = time.monotonic()
        self._there = True

    def show(self, answer: dict[str, Any]) -> None:
        self.answer, self._asked, self._there = answer, time.monotonic(), True
        self.draw()

    def lost(self) -> None:
        self._there = False
        self.draw()

    def tick(self) -> None:
        if time.monotonic() - self._drawn > self._every_s - 0.5:
            self.draw()

    def draw(self) -> None:
        self._drawn = time.monotonic()
        size = os.get_terminal_size(sys.stdout.fileno())
        lines = self._lines(size.lines)
        sys.stdout.write(BEGIN + "\033[K\n".join(lines) + "\033[K" + END)
        sys.stdout.flush()

    def _lines(self, rows: int) -> list[str]:
        elapsed = time.monotonic() - self._asked
        clock = time.strftime("%H:%M:%S")
        note = paint(f"{clock} · Ctrl-C ends this, not the work", "dim")
        if not self._there:
            note = paint(f"{clock} · the daemon does not answer: `toryo up`", "red")
        lines = page_of(self.answer, time.time(), max(rows - 2, 1), elapsed)
        return [*lines, "", note][-rows:]
